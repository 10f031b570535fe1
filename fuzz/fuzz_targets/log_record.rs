//! Records that the broker reads from its own logs and from members of groups. The first byte says which kind.
#![no_main]

use bytes::Bytes;
use headwater_codec::records::{
    ConsumerOffsetsKey, ConsumerProtocolAssignment, ConsumerProtocolSubscription, ControlRecordType,
    GroupMetadataValue, MetadataLogRecord, OffsetCommitValue, decode_versioned, decode_versioned_leniently,
};
use headwater_codec::{Message, Reader, records};
use headwater_fuzz::{reads_back, within_budget};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let &[kind, ref data @ ..] = data else { return };
    let bytes = Bytes::copy_from_slice(data);
    match kind {
        0 => metadata(bytes),
        1 => {
            if let Ok(key) = ConsumerOffsetsKey::decode(bytes.clone()) {
                assert_eq!(key.encode().expect("what was read can be written"), bytes);
            }
        }
        2 => versioned::<OffsetCommitValue>(bytes),
        3 => versioned::<GroupMetadataValue>(bytes),
        4 => versioned::<ConsumerProtocolSubscription>(bytes),
        5 => versioned::<ConsumerProtocolAssignment>(bytes),
        6 => {
            if let Ok(kind) = ControlRecordType::from_key(bytes.clone()) {
                assert_eq!(kind.to_key()[2..], bytes[2..4]);
            }
        }
        kind => {
            if let Some(versioned) = VERSIONED.get(usize::from(kind - 7)) {
                versioned(bytes);
            }
        }
    }
});

fn metadata(bytes: Bytes) {
    let length = bytes.len();
    let decode = || MetadataLogRecord::decode_with_version(bytes);
    if let Ok((version, record)) = within_budget(length, Reader::BUDGET_PER_BYTE, decode) {
        let written = record.encode(version).expect("what was read can be written");
        let again = MetadataLogRecord::decode(written).expect("what was written can be read");
        // A quota may be NaN, which is not itself.
        assert_eq!(format!("{again:?}"), format!("{record:?}"));
    }
}

fn versioned<M: Message>(bytes: Bytes) {
    let length = bytes.len();
    let strict = within_budget(length, Reader::BUDGET_PER_BYTE, || decode_versioned::<M>(bytes.clone()));
    let lenient =
        within_budget(length, Reader::BUDGET_PER_BYTE, || decode_versioned_leniently::<M>(bytes.clone()));
    if let Ok((version, message)) = strict {
        reads_back(&message, version);
        assert!(
            lenient.is_ok_and(|lenient| lenient == (version, message)),
            "lenient reading reads all that strict does"
        );
    }
}

macro_rules! all_versioned {
    ($($record:ident)*) => { &[$(versioned::<records::$record>),*] };
}

/// Keys and values of the internal topics, for kinds 7 and up.
const VERSIONED: &[fn(Bytes)] = all_versioned! {
    ConsumerGroupCurrentMemberAssignmentKey ConsumerGroupCurrentMemberAssignmentValue
    ConsumerGroupMemberMetadataKey ConsumerGroupMemberMetadataValue ConsumerGroupMetadataKey
    ConsumerGroupMetadataValue ConsumerGroupPartitionMetadataKey ConsumerGroupPartitionMetadataValue
    ConsumerGroupRegularExpressionKey ConsumerGroupRegularExpressionValue
    ConsumerGroupTargetAssignmentMemberKey ConsumerGroupTargetAssignmentMemberValue
    ConsumerGroupTargetAssignmentMetadataKey ConsumerGroupTargetAssignmentMetadataValue
    DefaultPrincipalData ShareGroupCurrentMemberAssignmentKey ShareGroupCurrentMemberAssignmentValue
    ShareGroupMemberMetadataKey ShareGroupMemberMetadataValue ShareGroupMetadataKey
    ShareGroupMetadataValue ShareGroupStatePartitionMetadataKey
    ShareGroupStatePartitionMetadataValue ShareGroupTargetAssignmentMemberKey
    ShareGroupTargetAssignmentMemberValue ShareGroupTargetAssignmentMetadataKey
    ShareGroupTargetAssignmentMetadataValue ShareSnapshotKey ShareSnapshotValue ShareUpdateKey
    ShareUpdateValue StreamsGroupCurrentMemberAssignmentKey StreamsGroupCurrentMemberAssignmentValue
    StreamsGroupMemberMetadataKey StreamsGroupMemberMetadataValue StreamsGroupMetadataKey
    StreamsGroupMetadataValue StreamsGroupTargetAssignmentMemberKey
    StreamsGroupTargetAssignmentMemberValue StreamsGroupTargetAssignmentMetadataKey
    StreamsGroupTargetAssignmentMetadataValue StreamsGroupTopologyKey StreamsGroupTopologyValue
    TransactionLogKey TransactionLogValue
};

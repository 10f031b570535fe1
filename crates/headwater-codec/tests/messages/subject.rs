//! The messages and records under test, as one list.

use bytes::Bytes;
use headwater_codec::{DecodeError, EncodeError, Message, MessageSchema, for_each_api, messages, records};

/// One message, with what the tests do to it.
pub(crate) struct Subject {
    pub(crate) schema: &'static MessageSchema,
    recode: fn(Bytes, i16, i16) -> Result<Bytes, Failure>,
    decode: fn(Bytes, i16) -> Result<(), DecodeError>,
    encode_default: fn(i16) -> Result<Bytes, EncodeError>,
}

/// Which half failed.
#[derive(Debug)]
#[allow(dead_code, reason = "the contents are for the panic that shows them")]
pub(crate) enum Failure {
    Decode(DecodeError),
    Encode(EncodeError),
}

impl Subject {
    fn of<M: Message>() -> Self {
        Self {
            schema: M::SCHEMA,
            recode: |bytes, from, to| {
                let message = M::decode_body(bytes, from).map_err(Failure::Decode)?;
                message.encode_body(to).map_err(Failure::Encode)
            },
            decode: |bytes, version| M::decode_body(bytes, version).map(drop),
            encode_default: |version| M::default().encode_body(version),
        }
    }

    /// Reads a body and writes it again, in another version if need be.
    pub(crate) fn recode(&self, bytes: Bytes, from: i16, to: i16) -> Result<Bytes, Failure> {
        (self.recode)(bytes, from, to)
    }

    /// Reads a body and drops it.
    #[allow(dead_code, reason = "for the test that counts memory")]
    pub(crate) fn decode(&self, bytes: Bytes, version: i16) -> Result<(), DecodeError> {
        (self.decode)(bytes, version)
    }

    /// The body of a message that is nothing but defaults.
    pub(crate) fn encode_default(&self, version: i16) -> Result<Bytes, EncodeError> {
        (self.encode_default)(version)
    }

    /// What to say when a check fails.
    pub(crate) fn at(&self, version: i16) -> String {
        format!("{} v{version}", self.schema.name)
    }
}

/// Requests and responses of every API.
pub(crate) fn messages() -> Vec<Subject> {
    macro_rules! subjects {
        ($($key:ident $module:ident $request:ident $response:ident;)*) => {
            vec![$(
                Subject::of::<messages::$module::$request>(),
                Subject::of::<messages::$module::$response>(),
            )*]
        };
    }
    for_each_api!(subjects)
}

/// Records of the metadata log, control records, records of the internal topics and the consumer protocol.
pub(crate) fn records() -> Vec<Subject> {
    macro_rules! subjects {
        ($($record:ident)*) => { vec![$(Subject::of::<records::$record>()),*] };
    }
    subjects! {
        AbortTransactionRecord AccessControlEntryRecord BeginTransactionRecord
        BrokerRegistrationChangeRecord ClearElrRecord ClientQuotaRecord ConfigRecord
        ConsumerGroupCurrentMemberAssignmentKey ConsumerGroupCurrentMemberAssignmentValue
        ConsumerGroupMemberMetadataKey ConsumerGroupMemberMetadataValue ConsumerGroupMetadataKey
        ConsumerGroupMetadataValue ConsumerGroupPartitionMetadataKey
        ConsumerGroupPartitionMetadataValue ConsumerGroupRegularExpressionKey
        ConsumerGroupRegularExpressionValue ConsumerGroupTargetAssignmentMemberKey
        ConsumerGroupTargetAssignmentMemberValue ConsumerGroupTargetAssignmentMetadataKey
        ConsumerGroupTargetAssignmentMetadataValue ConsumerProtocolAssignment
        ConsumerProtocolSubscription DefaultPrincipalData DelegationTokenRecord EndTransactionRecord
        EndTxnMarker FeatureLevelRecord FenceBrokerRecord GroupMetadataKey GroupMetadataValue
        KRaftVersionRecord LeaderChangeMessage NoOpRecord OffsetCommitKey OffsetCommitValue
        PartitionChangeRecord PartitionRecord ProducerIdsRecord QuorumStateData RegisterBrokerRecord
        RegisterControllerRecord RemoveAccessControlEntryRecord RemoveDelegationTokenRecord
        RemoveTopicRecord RemoveUserScramCredentialRecord ShareGroupCurrentMemberAssignmentKey
        ShareGroupCurrentMemberAssignmentValue ShareGroupMemberMetadataKey
        ShareGroupMemberMetadataValue ShareGroupMetadataKey ShareGroupMetadataValue
        ShareGroupStatePartitionMetadataKey ShareGroupStatePartitionMetadataValue
        ShareGroupTargetAssignmentMemberKey ShareGroupTargetAssignmentMemberValue
        ShareGroupTargetAssignmentMetadataKey ShareGroupTargetAssignmentMetadataValue
        ShareSnapshotKey ShareSnapshotValue ShareUpdateKey ShareUpdateValue SnapshotFooterRecord
        SnapshotHeaderRecord StreamsGroupCurrentMemberAssignmentKey
        StreamsGroupCurrentMemberAssignmentValue StreamsGroupMemberMetadataKey
        StreamsGroupMemberMetadataValue StreamsGroupMetadataKey StreamsGroupMetadataValue
        StreamsGroupTargetAssignmentMemberKey StreamsGroupTargetAssignmentMemberValue
        StreamsGroupTargetAssignmentMetadataKey StreamsGroupTargetAssignmentMetadataValue
        StreamsGroupTopologyKey StreamsGroupTopologyValue TopicRecord TransactionLogKey
        TransactionLogValue UnfenceBrokerRecord UnregisterBrokerRecord UserScramCredentialRecord
        VotersRecord ZkMigrationStateRecord
    }
}

/// Messages of an API that is in no registry.
pub(crate) fn unlisted() -> Vec<Subject> {
    vec![
        Subject::of::<messages::get_replica_log_info::GetReplicaLogInfoRequest>(),
        Subject::of::<messages::get_replica_log_info::GetReplicaLogInfoResponse>(),
    ]
}

/// All of them.
pub(crate) fn all() -> Vec<Subject> {
    let mut all = messages();
    all.extend(records());
    all.extend(unlisted());
    all
}

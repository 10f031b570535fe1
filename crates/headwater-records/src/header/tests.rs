use headwater_codec::{LeaderEpoch, Offset, ProducerEpoch, ProducerId};

use super::*;
use crate::{
    Compression, TimestampType,
    testing::{NOW_MS, hex},
};

/// A batch of the Java client 4.3.0 (`MemoryRecords.withEndTransactionMarker`): commit, producer 7, epoch 3.
const COMMIT: &str = "0000000000000064000000420000000502159354790030000000000000018bcfe568000000018bcfe5680000000000000000\
                      070003ffffffff000000012000000008000000010c00000000000900";

#[test]
fn reads_every_field_and_writes_it_back() {
    let bytes = hex(COMMIT);
    let header = BatchHeader::parse(&bytes).unwrap();
    assert_eq!(header.base_offset, Offset::new(100).unwrap());
    assert_eq!(header.total_len(), bytes.len());
    assert_eq!(header.records_len(), bytes.len() - 61);
    assert_eq!(header.leader_epoch, LeaderEpoch::new(5));
    assert_eq!(header.crc, 0x1593_5479);
    assert!(header.attributes.is_transactional() && header.attributes.is_control());
    assert!(!header.attributes.has_delete_horizon());
    assert_eq!(header.attributes.codec(), Some(Compression::None));
    assert_eq!(header.attributes.timestamp_type(), TimestampType::CreateTime);
    assert_eq!((header.last_offset_delta, header.record_count), (0, 1));
    assert_eq!((header.base_timestamp, header.max_timestamp), (NOW_MS, NOW_MS));
    assert_eq!((header.producer_id, header.producer_epoch), (ProducerId::new(7), ProducerEpoch::new(3)));
    assert_eq!((header.base_sequence, header.last_sequence(), header.next_sequence()), (-1, -1, -1));
    assert_eq!(header.last_offset(), Offset::new(100).unwrap());
    assert_eq!(header.next_offset(), Offset::new(101).unwrap());
    assert_eq!(header.encode()[..], bytes[..61]);
    assert_eq!(header.computed_crc(&bytes[61..]), header.crc);
}

#[test]
fn old_message_sets_are_recognised_even_when_shorter_than_a_header() {
    for magic in [0, 1] {
        let mut bytes = [0; 34];
        bytes[16] = magic;
        assert_eq!(BatchHeader::parse(&bytes), Err(BatchError::OldMagic { magic }));
    }
    let mut bytes = [0; 61];
    bytes[16] = 3;
    assert_eq!(BatchHeader::parse(&bytes), Err(BatchError::UnknownMagic { magic: 3 }));
    bytes[16] = 0xff;
    assert_eq!(BatchHeader::parse(&bytes), Err(BatchError::UnknownMagic { magic: -1 }));
}

#[test]
fn short_bytes_are_truncated_at_every_length() {
    let bytes = hex(COMMIT);
    for have in 0..61 {
        assert_eq!(BatchHeader::parse(&bytes[..have]), Err(BatchError::Truncated { have, need: 61 }));
    }
    assert!(BatchHeader::parse(&bytes[..61]).is_ok(), "the records need not be there");
}

#[test]
fn lengths_that_cannot_hold_a_header_are_refused() {
    for length in [i32::MIN, -1, 0, 48] {
        let mut bytes = hex(COMMIT);
        bytes[8..12].copy_from_slice(&length.to_be_bytes());
        assert_eq!(BatchHeader::parse(&bytes), Err(BatchError::BadLength { length }));
    }
    let mut bytes = hex(COMMIT);
    bytes[8..12].copy_from_slice(&i32::MAX.to_be_bytes());
    assert_eq!(BatchHeader::parse(&bytes).unwrap().total_len(), i32::MAX as usize + 12);
}

#[test]
fn offset_ranges_that_do_not_exist_are_refused() {
    let with = |base_offset: i64, last_offset_delta: i32| {
        let mut bytes = hex(COMMIT);
        bytes[0..8].copy_from_slice(&base_offset.to_be_bytes());
        bytes[23..27].copy_from_slice(&last_offset_delta.to_be_bytes());
        BatchHeader::parse(&bytes).map(|header| header.last_offset().get())
    };
    for (base_offset, last_offset_delta) in [(-1, 0), (0, -1), (i64::MIN, 5), (i64::MAX, 1)] {
        assert_eq!(
            with(base_offset, last_offset_delta),
            Err(BatchError::BadOffsets { base_offset, last_offset_delta })
        );
    }
    assert_eq!(with(i64::MAX - 1, 1), Ok(i64::MAX));
}

#[test]
fn sequences_wrap_to_zero() {
    assert_eq!(increment_sequence(0, 0), 0);
    assert_eq!(increment_sequence(5, 7), 12);
    assert_eq!(increment_sequence(i32::MAX, 1), 0);
    assert_eq!(increment_sequence(i32::MAX - 1, 2), 0);
    assert_eq!(increment_sequence(i32::MAX, i32::MAX), i32::MAX - 1);
    let mut header = BatchHeader::new(0).unwrap();
    header.base_sequence = i32::MAX - 1;
    header.last_offset_delta = 1;
    assert_eq!((header.last_sequence(), header.next_sequence()), (i32::MAX, 0));
}

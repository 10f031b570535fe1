use headwater_codec::{LeaderEpoch, ProducerEpoch, ProducerId};
use headwater_records::{Batch, NO_SEQUENCE, TimestampType};

use super::*;

fn record(timestamp: i64, value: &[u8]) -> Record<'_> {
    Record { timestamp, value: Some(value), headers: vec![(&b"h"[..], None)].into(), ..Record::default() }
}

#[test]
fn offsets_are_those_of_the_messages_with_their_gaps() {
    let mut rebuild = BatchRebuild::new();
    assert!(rebuild.clone().finish().unwrap().is_none());
    rebuild.push(40, record(9, b"a")).unwrap();
    rebuild.push(41, record(-1, b"b")).unwrap();
    rebuild.push(50, record(7, b"c")).unwrap();
    assert_eq!(rebuild.record_count(), 3);
    let bytes = rebuild.finish().unwrap().unwrap().to_bytes();
    let batch = Batch::parse(&bytes).unwrap();
    batch.check_crc().unwrap();
    let header = batch.header();
    assert_eq!((header.base_offset.get(), header.last_offset_delta, header.record_count), (40, 10, 3));
    assert_eq!((header.base_timestamp, header.max_timestamp), (9, 9));
    assert_eq!(header.leader_epoch, LeaderEpoch::NONE);
    assert_eq!((header.producer_id, header.producer_epoch), (ProducerId::NONE, ProducerEpoch::NONE));
    assert_eq!(header.base_sequence, NO_SEQUENCE);
    assert_eq!(header.attributes.codec_id(), 0);
    assert_eq!(header.attributes.timestamp_type(), TimestampType::CreateTime);
    assert!(!header.attributes.is_transactional() && !header.attributes.is_control());
    let records = batch.records(0).unwrap();
    let read: Vec<_> =
        records.iter().map(|r| r.map(|r| (r.offset.get(), r.timestamp, r.value.unwrap()))).collect();
    let read: Vec<_> = read.into_iter().map(Result::unwrap).collect();
    assert_eq!(read, [(40, 9, &b"a"[..]), (41, -1, b"b"), (50, 7, b"c")]);
}

#[test]
fn offsets_that_cannot_be_are_refused_and_nothing_is_lost() {
    let mut rebuild = BatchRebuild::new();
    assert!(rebuild.push(u64::MAX, record(1, b"x")).is_err());
    rebuild.push(40, record(1, b"a")).unwrap();
    for offset in [40, 39, 0, 41 + (1 << 31), u64::MAX] {
        assert!(rebuild.push(offset, record(1, b"x")).is_err(), "{offset}");
    }
    rebuild.push(41, record(1, b"b")).unwrap();
    assert_eq!(rebuild.finish().unwrap().unwrap().record_count(), 2);
}

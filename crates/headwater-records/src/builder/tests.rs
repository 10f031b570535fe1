use headwater_codec::{LeaderEpoch, Offset, ProducerEpoch, ProducerId};

use super::*;
use crate::{
    check,
    testing::{NOW_MS, hex},
};

#[test]
fn builds_the_transaction_marker_that_java_builds() {
    // A batch of the Java client 4.3.0 (`MemoryRecords.withEndTransactionMarker`).
    let java = hex(
        "0000000000000064000000420000000502159354790030000000000000018bcfe568000000018bcfe5680000000000000000\
                    070003ffffffff000000012000000008000000010c00000000000900",
    );
    let mut builder = BatchBuilder::new()
        .base_offset(Offset::new(100).unwrap())
        .leader_epoch(LeaderEpoch::new(5))
        .producer(ProducerId::new(7), ProducerEpoch::new(3), -1)
        .transactional(true)
        .control(true);
    builder.push(NOW_MS, Some(&[0, 0, 0, 1]), Some(&[0, 0, 0, 0, 0, 9]), &[]).unwrap();
    let batch = builder.build().unwrap();
    assert_eq!(batch.to_bytes()[..], java);
    let producer = batch.producer().unwrap();
    assert_eq!((producer.base_sequence, producer.last_sequence), (-1, -1));
}

#[test]
fn tells_what_it_built() {
    for codec in Compression::ALL {
        let mut builder = BatchBuilder::new().compression(codec).producer(
            ProducerId::new(7),
            ProducerEpoch::new(3),
            i32::MAX - 1,
        );
        for timestamp in [NOW_MS, NOW_MS + 500, NOW_MS + 250] {
            builder.push(timestamp, Some(b"key"), Some(b"value"), &[(b"h", None)]).unwrap();
        }
        assert_eq!(builder.record_count(), 3);
        let unpacked_len = builder.records_len();
        let mut batch = builder.build().unwrap();
        batch.assign(Offset::new(40).unwrap(), LeaderEpoch::new(2));
        assert_eq!((batch.max_timestamp(), batch.max_timestamp_offset_delta()), (NOW_MS + 500, 1));
        assert_eq!((batch.unpacked_len(), batch.log_append_time_ms()), (unpacked_len, None));
        let producer = batch.producer().unwrap();
        assert_eq!((producer.base_sequence, producer.last_sequence), (i32::MAX - 1, 0));
        let bytes = batch.to_bytes();
        assert_eq!(bytes.len(), batch.len());
        assert_eq!(bytes[..61], batch.header_bytes());
        assert_eq!(bytes[61..], batch.records()[..]);
        assert_eq!(check(&bytes).unwrap(), *batch.header());
    }
}

#[test]
fn log_append_time_can_be_set_later() {
    let mut builder = BatchBuilder::new();
    builder.push(1, None, None, &[]).unwrap();
    builder.push(2, None, None, &[]).unwrap();
    let mut batch = builder.build().unwrap();
    batch.set_log_append_time(NOW_MS);
    assert_eq!((batch.log_append_time_ms(), batch.max_timestamp_offset_delta()), (Some(NOW_MS), 0));
    assert_eq!(check(&batch.to_bytes()).unwrap().max_timestamp, NOW_MS);
}

#[test]
fn deltas_ascend_and_a_refused_record_leaves_no_trace() {
    let mut builder = BatchBuilder::new();
    builder.push_at(5, 0, None, None, [].into_iter()).unwrap();
    let before = builder.records_len();
    for delta in [5, 4, -1] {
        let error = builder.push_at(delta, 0, None, None, [].into_iter()).unwrap_err();
        assert!(matches!(error, RecordError::Batch(BatchError::BadOffsets { .. })), "{error}");
    }
    assert_eq!((builder.records_len(), builder.record_count()), (before, 1));
    builder.push(0, None, None, &[]).unwrap();
    assert_eq!(builder.build().unwrap().header().last_offset_delta, 6);
}

#[test]
fn a_batch_without_records_or_span_is_refused() {
    assert!(matches!(BatchBuilder::new().build(), Err(RecordError::Count { count: 0, .. })));
}

#[test]
fn extreme_timestamps_come_back() {
    let mut builder = BatchBuilder::new();
    for timestamp in [i64::MAX, i64::MIN, -1, 0] {
        builder.push(timestamp, None, None, &[]).unwrap();
    }
    let bytes = builder.build().unwrap().to_bytes();
    let records = crate::Batch::parse(&bytes).unwrap().records(1000).unwrap();
    let timestamps: Vec<i64> = records.iter().map(|record| record.unwrap().timestamp).collect();
    assert_eq!(timestamps, [i64::MAX, i64::MIN, -1, 0]);
}

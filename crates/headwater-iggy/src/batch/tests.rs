use headwater_codec::{ProducerEpoch, ProducerId};
use headwater_records::{BatchBuilder, Compression};

use super::*;
use crate::{Message, SEND_BYTES_MAX, from_iggy};

fn limits(bytes_max: usize) -> BatchLimits {
    BatchLimits { bytes_max }
}

fn builder(codec: Compression) -> BatchBuilder {
    let mut builder = BatchBuilder::new().compression(codec);
    builder.push(5, Some(b"k"), Some(b"value"), &[(b"b", Some(b"1")), (b"a", Some(b"2"))]).unwrap();
    builder.push(-1, None, None, &[]).unwrap();
    builder.push(0, Some(b""), Some(b""), &[(b"n", None)]).unwrap();
    builder
}

#[test]
fn every_codec_gives_the_same_messages() {
    let plain =
        batch_to_messages(builder(Compression::None).build().unwrap(), BatchLimits::default()).unwrap();
    assert_eq!(plain.len(), 3);
    for codec in [Compression::Gzip, Compression::Snappy, Compression::Lz4, Compression::Zstd] {
        let batch = builder(codec).build().unwrap();
        assert_eq!(batch_to_messages(batch, BatchLimits::default()).unwrap(), plain, "{codec}");
    }
    let batch = builder(Compression::None).build().unwrap();
    let records = batch.open(0).unwrap();
    for (record, sent) in records.iter().zip(&plain) {
        let message = Message {
            origin_timestamp: sent.origin_timestamp,
            user_headers: &sent.user_headers,
            payload: &sent.payload,
            ..Message::default()
        };
        assert_eq!(from_iggy(&message).unwrap(), record.unwrap().into());
    }
}

#[test]
fn payloads_are_slices_of_the_batch() {
    let batch = builder(Compression::None).build().unwrap();
    let range = batch.records().as_ptr_range();
    let messages = batch_to_messages(batch, BatchLimits::default()).unwrap();
    assert!(range.contains(&messages[0].payload.as_ptr()));
}

#[test]
fn producer_fields_are_dropped_and_transactions_and_control_refused() {
    let producer = |builder: BatchBuilder| builder.producer(ProducerId::new(7), ProducerEpoch::new(1), 4);
    let idempotent = producer(builder(Compression::None)).build().unwrap();
    assert_eq!(batch_to_messages(idempotent, BatchLimits::default()).unwrap().len(), 3);
    let transactional = producer(builder(Compression::None)).transactional(true).build().unwrap();
    let error = batch_to_messages(transactional, BatchLimits::default()).unwrap_err();
    assert_eq!(error.error_code().code(), 35);
    for codec in [Compression::None, Compression::Gzip] {
        let control = producer(builder(codec)).control(true).build().unwrap();
        let error = batch_to_messages(control, BatchLimits::default()).unwrap_err();
        assert_eq!(error.error_code().code(), 87);
    }
}

#[test]
fn one_record_that_cannot_be_held_refuses_all() {
    for (timestamp, name) in [(-2, &b"n"[..]), (5, b"\xff")] {
        let mut builder = builder(Compression::Gzip);
        builder.push(timestamp, None, None, &[(name, Some(b"x"))]).unwrap();
        let error = batch_to_messages(builder.build().unwrap(), BatchLimits::default()).unwrap_err();
        assert_eq!(error.error_code().code(), 87, "{error}");
    }
}

#[test]
fn bytes_are_bounded_with_and_without_a_codec() {
    let value = vec![0; 100_000];
    for codec in
        [Compression::None, Compression::Gzip, Compression::Snappy, Compression::Lz4, Compression::Zstd]
    {
        let batch = || {
            let mut builder = BatchBuilder::new().compression(codec);
            builder.push(5, None, Some(&value), &[]).unwrap();
            builder.build().unwrap()
        };
        let needed = 64 + value.len() + 18;
        assert_eq!(batch_to_messages(batch(), limits(needed)).unwrap().len(), 1);
        for bytes_max in [needed - 1, value.len(), 1000, 0] {
            let error = batch_to_messages(batch(), limits(bytes_max)).unwrap_err();
            assert_eq!(error.error_code().code(), 10, "{codec} within {bytes_max}");
        }
    }
}

#[test]
fn records_and_headers_are_bounded_too() {
    // A record of nothing takes 7 bytes in a batch and counts 64.
    let mut builder = BatchBuilder::new().compression(Compression::Zstd);
    for _ in 0..1001 {
        builder.push(5, None, None, &[]).unwrap();
    }
    let batch = builder.build().unwrap();
    assert!(batch.unpacked_len() < 10_000);
    let error = batch_to_messages(batch.clone(), limits(1000 * 64)).unwrap_err();
    assert!(matches!(error, MapError::BatchTooLarge { .. }));
    let whole = 1001 * (64 + 1 + 18 + 25);
    assert_eq!(batch_to_messages(batch, limits(whole)).unwrap().len(), 1001);

    let mut builder = BatchBuilder::new();
    let headers = vec![(&b""[..], None); 30_000];
    builder.push(5, None, None, &headers).unwrap();
    let error = batch_to_messages(builder.build().unwrap(), limits(10_000 * 64)).unwrap_err();
    assert_eq!(error.error_code().code(), 10);
}

#[test]
fn the_default_bound_is_iggys() {
    assert_eq!(SEND_BYTES_MAX, 67_108_864 - 4096);
    assert_eq!(BatchLimits::default().bytes_max, SEND_BYTES_MAX);
}

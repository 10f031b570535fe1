use super::*;
use crate::{
    BatchBuilder, Batches, TimestampType,
    testing::{NOW_MS, hex, record, sealed},
};

const MAX: usize = 1 << 20;

type OwnedHeaders = Vec<(Vec<u8>, Option<Vec<u8>>)>;

fn headers(record: &RecordView<'_>) -> OwnedHeaders {
    record.headers.map(|(name, value)| (name.to_vec(), value.map(<[u8]>::to_vec))).collect()
}

#[test]
fn null_and_empty_header_values_stay_apart() {
    // The bytes of case C06: key `k`, value `v`, header `n` null, header `e` empty.
    let bytes = hex(
        "000000000000000000000040ffffffff02689680cb0000000000000000018bcfe568000000018bcfe56800ffffffffffff\
                     ffffffffffffffff000000011c000000026b027604026e01026500",
    );
    let records = Batch::parse(&bytes).unwrap().records(MAX).unwrap();
    let record = records.iter().next().unwrap().unwrap();
    assert_eq!((record.key, record.value), (Some(&b"k"[..]), Some(&b"v"[..])));
    assert_eq!((record.offset, record.timestamp), (Offset::ZERO, NOW_MS));
    assert_eq!(headers(&record), [(b"n".to_vec(), None), (b"e".to_vec(), Some(vec![]))]);
    assert_eq!(record.headers.len(), 2);
}

#[test]
fn header_bytes_need_not_be_text() {
    // The bytes of case C07: header name `ff fe`, value `c3 28`.
    let bytes = hex(
        "000000000000000000000040ffffffff0213c9d0900000000000000000018bcfe568000000018bcfe56800ffffffffffff\
                     ffffffffffffffff000000011c000000026b02760204fffe04c328",
    );
    let records = Batch::parse(&bytes).unwrap().records(MAX).unwrap();
    let record = records.iter().next().unwrap().unwrap();
    assert_eq!(headers(&record), [(vec![0xff, 0xfe], Some(vec![0xc3, 0x28]))]);
}

#[test]
fn repeated_headers_keep_their_order_and_the_last_one_counts() {
    let mut builder = BatchBuilder::new();
    let given: &[(&[u8], Option<&[u8]>)] =
        &[(b"a", Some(b"1")), (b"b", None), (b"a", Some(b"2")), (b"a", None)];
    builder.push(0, None, None, given).unwrap();
    let bytes = builder.build().unwrap().to_bytes();
    let records = Batch::parse(&bytes).unwrap().records(MAX).unwrap();
    let record = records.iter().next().unwrap().unwrap();
    assert_eq!(record.headers.collect::<Vec<_>>(), given);
    assert_eq!(record.headers.last_named(b"a"), Some(None));
    assert_eq!(record.headers.last_named(b"b"), Some(None));
    assert_eq!(record.headers.last_named(b"c"), None);
    assert_eq!(Headers::EMPTY.len(), 0);
}

#[test]
fn offsets_and_timestamps_count_from_the_base() {
    for codec in Compression::ALL {
        let mut builder = BatchBuilder::new().compression(codec).base_offset(Offset::new(500).unwrap());
        for (delta, timestamp) in [(0, NOW_MS), (3, NOW_MS - 10), (9, NOW_MS + 20)] {
            builder.push_at(delta, timestamp, None, Some(b""), [].into_iter()).unwrap();
        }
        builder.span(12);
        let bytes = builder.build().unwrap().to_bytes();
        let batch = Batches::new(&bytes).next().unwrap().unwrap();
        assert_eq!(batch.header().last_offset().get(), 512);
        let records = batch.records(MAX).unwrap();
        let found: Vec<_> =
            records.iter().map(|r| r.map(|r| (r.offset.get(), r.timestamp)).unwrap()).collect();
        assert_eq!(found, [(500, NOW_MS), (503, NOW_MS - 10), (509, NOW_MS + 20)]);
    }
}

#[test]
fn log_append_time_is_every_records_time() {
    let mut builder = BatchBuilder::new().timestamp_type(TimestampType::LogAppendTime);
    for timestamp in [5, NOW_MS, 7] {
        builder.push(timestamp, None, None, &[]).unwrap();
    }
    let bytes = builder.build().unwrap().to_bytes();
    let records = Batch::parse(&bytes).unwrap().records(MAX).unwrap();
    assert!(records.iter().all(|record| record.unwrap().timestamp == NOW_MS));
}

#[test]
fn an_unsound_record_ends_the_iteration() {
    let sound = record(&hex("00 00 00 01 01 00"));
    let unsound = record(&hex("00 00 02 01 01"));
    let bytes = sealed(|header| header.record_count = 3, &[&sound[..], &unsound, &sound].concat());
    let records = Batch::parse(&bytes).unwrap().records(MAX).unwrap();
    let results: Vec<_> = records.iter().map(|record| record.map(|record| record.offset)).collect();
    assert_eq!(results.len(), 2);
    assert!(results[0].is_ok());
    assert!(matches!(results[1], Err(RecordError::Malformed { index: 1, reason: Malformed::Truncated })));
}

#[test]
fn bytes_after_the_last_record_are_told() {
    let sound = record(&hex("00 00 00 01 01 00"));
    let bytes = sealed(|_| {}, &[sound.clone(), sound].concat());
    let records = Batch::parse(&bytes).unwrap().records(MAX).unwrap();
    let mut iter = records.iter();
    assert!(iter.next().unwrap().is_ok());
    assert!(matches!(iter.next(), Some(Err(RecordError::BytesAfterRecords { count: 1 }))));
    assert!(iter.next().is_none());
}

#[test]
fn an_offset_below_zero_is_malformed() {
    let bytes = sealed(|_| {}, &record(&hex("00 00 01 01 01 00")));
    let records = Batch::parse(&bytes).unwrap().records(MAX).unwrap();
    let error = records.iter().next().unwrap().unwrap_err();
    assert!(matches!(error, RecordError::Malformed { index: 0, reason: Malformed::Offset(-1) }), "{error}");
}

#[test]
fn unpacking_is_bounded_and_unknown_codecs_are_told() {
    let mut builder = BatchBuilder::new().compression(Compression::Gzip);
    builder.push(0, None, Some(&[0; 10_000]), &[]).unwrap();
    let bytes = builder.build().unwrap().to_bytes();
    let batch = Batch::parse(&bytes).unwrap();
    assert!(matches!(batch.records(9_999), Err(RecordError::UnpackedTooLarge { max: 9_999, .. })));
    assert!(batch.records(10_100).is_ok());

    let bytes = sealed(|header| header.attributes = crate::Attributes::from_bits(6), b"");
    assert!(matches!(Batch::parse(&bytes).unwrap().records(MAX), Err(RecordError::UnknownCodec { id: 6 })));
}

#[test]
fn a_batch_that_compaction_emptied_has_no_records() {
    let mut builder = BatchBuilder::new();
    builder.span(4);
    let bytes = builder.build().unwrap().to_bytes();
    let batch = Batch::parse(&bytes).unwrap();
    assert_eq!((batch.header().record_count, batch.header().next_offset().get()), (0, 5));
    assert_eq!(batch.records(MAX).unwrap().iter().count(), 0);
}

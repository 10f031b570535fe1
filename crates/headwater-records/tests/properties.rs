//! Whatever is built passes the door and reads back, and whatever is sent does no harm.

use bytes::Bytes;
use headwater_codec::{Offset, ProducerEpoch, ProducerId};
use headwater_records::{
    Batch, BatchBuilder, Batches, Compression, ProduceRules, RecordError, TimestampType, check, validate,
};
use proptest::{collection::vec, option, prelude::*, sample::Index};

const NOW_MS: i64 = 1_700_000_000_000;
const MAX: usize = 1 << 20;

#[derive(Clone, Debug, PartialEq)]
struct Given {
    timestamp: i64,
    key: Option<Vec<u8>>,
    value: Option<Vec<u8>>,
    headers: Vec<(Vec<u8>, Option<Vec<u8>>)>,
}

fn given() -> impl Strategy<Value = Given> {
    let bytes = || prop_oneof![4 => vec(any::<u8>(), 0..40), 1 => vec(0..4_u8, 0..20_000)];
    let name = || prop_oneof![vec(any::<u8>(), 0..20), Just(b"same".to_vec())];
    (
        NOW_MS - 100_000..NOW_MS,
        option::of(bytes()),
        option::of(bytes()),
        vec((name(), option::of(bytes())), 0..5),
    )
        .prop_map(|(timestamp, key, value, headers)| Given { timestamp, key, value, headers })
}

fn codec() -> impl Strategy<Value = Compression> {
    prop::sample::select(Compression::ALL.to_vec())
}

fn build(codec: Compression, records: &[Given]) -> Bytes {
    let mut builder =
        BatchBuilder::new().compression(codec).producer(ProducerId::new(9), ProducerEpoch::new(1), 100);
    for record in records {
        let headers: Vec<_> =
            record.headers.iter().map(|(name, value)| (&name[..], value.as_deref())).collect();
        builder.push(record.timestamp, record.key.as_deref(), record.value.as_deref(), &headers).unwrap();
    }
    builder.build().unwrap().to_bytes()
}

fn read(bytes: &[u8]) -> Result<Vec<Given>, RecordError> {
    let records = Batch::parse(bytes)?.records(MAX)?;
    let owned = |bytes: Option<&[u8]>| bytes.map(<[u8]>::to_vec);
    records
        .iter()
        .map(|record| {
            record.map(|record| Given {
                timestamp: record.timestamp,
                key: owned(record.key),
                value: owned(record.value),
                headers: record.headers.map(|(name, value)| (name.to_vec(), owned(value))).collect(),
            })
        })
        .collect()
}

/// Looks into `bytes` in every way there is; only a panic or endless work would fail.
fn look_into(bytes: &Bytes) {
    for timestamp_type in [TimestampType::CreateTime, TimestampType::LogAppendTime] {
        let rules = ProduceRules { timestamp_type, transactional_allowed: true, ..ProduceRules::new(NOW_MS) };
        if let Ok(batch) = validate(bytes.clone(), &rules) {
            assert!(check(&batch.to_bytes()).is_ok(), "what passes the door is sound");
            let count = read(&batch.to_bytes()).expect("what passes the door can be read").len();
            assert_eq!(count, batch.record_count() as usize);
        }
    }
    for batch in Batches::new(bytes).flatten() {
        let _ = batch.check_crc();
        let _ = batch.first_at_or_after(NOW_MS - 50_000, Offset::ZERO, MAX);
        let _ = batch.first_at_max_timestamp(MAX);
        if let Ok(records) = batch.records(MAX) {
            for record in records.iter().flatten() {
                assert!(record.headers.count() <= bytes.len().max(MAX));
            }
        }
    }
}

/// Makes the checksum fit, so that a changed batch gets past it.
fn reseal(bytes: &mut [u8]) {
    if bytes.len() > 21 {
        let crc = crc32c::crc32c(&bytes[21..]);
        bytes[17..21].copy_from_slice(&crc.to_be_bytes());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn what_is_built_passes_the_door_unchanged_and_reads_back(codec in codec(), records in vec(given(), 1..20)) {
        let bytes = build(codec, &records);
        let batch = validate(bytes.clone(), &ProduceRules::new(NOW_MS)).unwrap();
        prop_assert_eq!(batch.to_bytes(), bytes.clone());
        let latest = records.iter().map(|record| record.timestamp).max();
        prop_assert_eq!(Some(batch.max_timestamp()), latest);
        let first_latest = records.iter().position(|record| Some(record.timestamp) == latest);
        prop_assert_eq!(Some(batch.max_timestamp_offset_delta() as usize), first_latest);
        prop_assert_eq!(read(&bytes).unwrap(), records);
    }

    #[test]
    fn a_lookup_by_time_agrees_with_reading(
        codec in codec(),
        records in vec(given(), 1..20),
        target in NOW_MS - 110_000..NOW_MS + 10_000,
        from in 0..25_i64,
    ) {
        let bytes = build(codec, &records);
        let batch = Batch::parse(&bytes).unwrap();
        let expected = records.iter().enumerate().skip(from as usize).find(|(_, record)| record.timestamp >= target);
        let expected = expected.map(|(offset, record)| (offset as i64, record.timestamp));
        let found = batch.first_at_or_after(target, Offset::new(from).unwrap(), MAX).unwrap();
        prop_assert_eq!(found.map(|(offset, timestamp)| (offset.get(), timestamp)), expected);
    }

    #[test]
    fn a_cut_batch_is_refused(codec in codec(), records in vec(given(), 1..5), cut in any::<Index>()) {
        let bytes = build(codec, &records);
        let cut = bytes.slice(..cut.index(bytes.len()));
        prop_assert!(validate(cut.clone(), &ProduceRules::new(NOW_MS)).is_err());
        prop_assert!(check(&cut).is_err());
        prop_assert_eq!(Batches::new(&cut).count(), 0);
    }

    #[test]
    fn a_batch_with_cut_records_is_refused(codec in codec(), records in vec(given(), 1..5), cut in 1..30_usize) {
        let mut bytes = build(codec, &records).to_vec();
        bytes.truncate((bytes.len() - cut.min(bytes.len() - 61)).max(61));
        let length = bytes.len() as i32 - 12;
        bytes[8..12].copy_from_slice(&length.to_be_bytes());
        reseal(&mut bytes);
        prop_assert!(check(&bytes).is_ok());
        prop_assert!(validate(bytes.into(), &ProduceRules::new(NOW_MS)).is_err());
    }

    #[test]
    fn a_changed_batch_does_no_harm(
        codec in codec(),
        records in vec(given(), 1..5),
        changes in vec((any::<Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = build(codec, &records).to_vec();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        look_into(&Bytes::from(bytes.clone()));
        reseal(&mut bytes);
        look_into(&Bytes::from(bytes));
    }

    #[test]
    fn random_records_do_no_harm(codec in 0..8_u8, count in 1..5_i32, records in vec(any::<u8>(), 0..300)) {
        let mut batch = vec![0; 61];
        batch[8..12].copy_from_slice(&(49 + records.len() as i32).to_be_bytes());
        batch[16] = 2;
        batch[22] = codec;
        batch[23..27].copy_from_slice(&(count - 1).to_be_bytes());
        batch[57..61].copy_from_slice(&count.to_be_bytes());
        batch.extend_from_slice(&records);
        reseal(&mut batch);
        look_into(&batch.into());
    }

    #[test]
    fn random_bytes_do_no_harm(bytes in vec(any::<u8>(), 0..300)) {
        look_into(&bytes.into());
    }
}

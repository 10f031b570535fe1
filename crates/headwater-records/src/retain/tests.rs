use headwater_codec::{LeaderEpoch, ProducerEpoch, ProducerId};
use proptest::{collection::vec, option, prelude::*};

use super::*;
use crate::{
    BatchBuilder, BatchError, HeaderRef, check,
    testing::{NOW_MS, hex},
};

const HORIZON: i64 = NOW_MS + 86_400_000;
const RULES: RetainRules = RetainRules {
    delete_horizon_ms: Some(HORIZON),
    is_spent_marker: false,
    hold: false,
    unpacked_bytes_max: 1 << 20,
};

/// Every record: offset, timestamp, key, value, headers.
type Facts = (i64, i64, Option<Vec<u8>>, Option<Vec<u8>>, Vec<(Vec<u8>, Option<Vec<u8>>)>);
/// A record that is to be pushed: time, key, value, headers.
type Pushed = (i64, Option<Vec<u8>>, Option<Vec<u8>>, Vec<(Vec<u8>, Option<Vec<u8>>)>);

fn facts(batch: &[u8]) -> Vec<Facts> {
    check(batch).expect("the checksum fits");
    let records = Batch::parse(batch).unwrap().records(1 << 20).unwrap();
    let fact = |record: Result<crate::RecordView<'_>, RecordError>| {
        let record = record.unwrap();
        let headers = record.headers.map(|(name, value)| (name.to_vec(), value.map(<[u8]>::to_vec)));
        let (key, value) = (record.key.map(<[u8]>::to_vec), record.value.map(<[u8]>::to_vec));
        (record.offset.get(), record.timestamp, key, value, headers.collect())
    };
    records.iter().map(fact).collect()
}

fn retain(
    batch: &[u8],
    rules: &RetainRules,
    keep: impl FnMut(KeyedRecord<'_>) -> bool,
) -> (Retained, Vec<u8>) {
    let mut out = vec![7];
    let done = Batch::parse(batch).unwrap().retain(rules, keep, &mut out).unwrap();
    assert_eq!(out.remove(0), 7, "what was there is left alone");
    (done, out)
}

/// Three records of producer 9 at offset 100 on: a value with headers of every kind, a tombstone with some, an empty value.
fn sample(codec: Compression) -> Vec<u8> {
    let headers: [HeaderRef<'_>; 4] =
        [(b"n", None), (b"e", Some(b"")), (b"n", Some(b"2")), (b"", Some(b"x"))];
    let mut builder = BatchBuilder::new()
        .compression(codec)
        .base_offset(Offset::new(100).unwrap())
        .leader_epoch(LeaderEpoch::new(4))
        .producer(ProducerId::new(9), ProducerEpoch::new(2), 40);
    builder.push(NOW_MS + 9, Some(b"a"), Some(b"1"), &headers).unwrap();
    builder.push(NOW_MS, Some(b"b"), None, &headers[..3]).unwrap();
    builder.push(NOW_MS + 5, Some(b"c"), Some(b""), &[]).unwrap();
    builder.build().unwrap().to_bytes().to_vec()
}

#[test]
fn shows_offset_key_and_tombstones_until_it_is_broken_off() {
    for codec in Compression::ALL {
        let bytes = sample(codec);
        let batch = Batch::parse(&bytes).unwrap();
        let mut seen = Vec::new();
        let all = batch.each_keyed(1 << 20, |record| {
            seen.push((record.offset.get(), record.key.map(<[u8]>::to_vec), record.is_tombstone));
            if seen.len() < 5 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        all.unwrap();
        let expected = [
            (100, Some(b"a".to_vec()), false),
            (101, Some(b"b".to_vec()), true),
            (102, Some(b"c".to_vec()), false),
        ];
        assert_eq!(seen, expected);
        let mut count = 0;
        let first = batch.each_keyed(1 << 20, |_| {
            count += 1;
            ControlFlow::Break(())
        });
        first.unwrap();
        assert_eq!(count, 1);
    }
}

#[test]
fn what_stays_keeps_offset_time_headers_and_the_producers_sequence() {
    for codec in Compression::ALL {
        let bytes = sample(codec);
        let (done, out) = retain(&bytes, &RULES, |record| record.offset.get() != 101);
        assert_eq!(done, Retained { kept: 2, dropped: 1, is_changed: true });
        let before = facts(&bytes);
        assert_eq!(facts(&out), [before[0].clone(), before[2].clone()]);
        let (old, new) = (*Batch::parse(&bytes).unwrap().header(), *Batch::parse(&out).unwrap().header());
        assert_eq!((new.base_offset, new.last_offset_delta), (old.base_offset, 2));
        assert_eq!((new.base_sequence, new.last_sequence()), (40, 42));
        assert_eq!((new.producer_id, new.producer_epoch), (old.producer_id, old.producer_epoch));
        assert_eq!((new.leader_epoch, new.max_timestamp), (old.leader_epoch, NOW_MS + 9));
        assert_eq!(new.attributes, old.attributes, "no tombstone stays, so there is no horizon");
        let (_, out) = retain(&bytes, &RULES, |record| record.offset.get() == 102);
        assert_eq!(Batch::parse(&out).unwrap().header().max_timestamp, NOW_MS + 5, "the largest one is gone");
    }
}

#[test]
fn a_tombstone_gives_the_batch_a_horizon_once_and_no_record_another_time() {
    for codec in Compression::ALL {
        let bytes = sample(codec);
        let (done, out) = retain(&bytes, &RULES, |record| record.offset.get() > 100);
        assert_eq!(done, Retained { kept: 2, dropped: 1, is_changed: true });
        assert_eq!(facts(&out), facts(&bytes)[1..]);
        let batch = Batch::parse(&out).unwrap();
        assert_eq!(batch.delete_horizon_ms(), Some(HORIZON));
        assert_eq!(batch.codec().unwrap(), codec);
        let later = RetainRules { delete_horizon_ms: Some(HORIZON + 1), ..RULES };
        let (done, again) = retain(&out, &later, |_| true);
        assert!(!done.is_changed && again == out, "the horizon is not moved");
        let (_, value) = retain(&out, &later, |record| !record.is_tombstone);
        assert_eq!(facts(&value), facts(&bytes)[2..], "times count from the horizon still");
    }
}

#[test]
fn nothing_to_drop_leaves_every_byte() {
    for codec in Compression::ALL {
        let bytes = sample(codec);
        let (done, out) = retain(&bytes, &RetainRules { delete_horizon_ms: None, ..RULES }, |_| true);
        assert_eq!((done, out), (Retained { kept: 3, dropped: 0, is_changed: false }, bytes));
    }
}

#[test]
fn a_batch_without_records_goes_or_is_held_as_a_header() {
    for codec in Compression::ALL {
        let bytes = sample(codec);
        let (done, out) = retain(&bytes, &RULES, |_| false);
        assert_eq!((done, out), (Retained { kept: 0, dropped: 3, is_changed: true }, vec![]));
        let hold = RetainRules { hold: true, ..RULES };
        let (_, out) = retain(&bytes, &hold, |_| false);
        assert_eq!(out.len(), BatchHeader::LEN);
        let header = check(&out).unwrap();
        assert_eq!((header.record_count, header.last_offset().get(), header.last_sequence()), (0, 102, 42));
        assert_eq!((header.attributes.codec(), header.max_timestamp), (Some(Compression::None), NOW_MS + 9));
        let (done, again) = retain(&out, &hold, |_| panic!("there is no record"));
        assert_eq!((done, again), (Retained::default(), out.clone()));
        assert_eq!(retain(&out, &RULES, |_| true).1, []);
    }
}

#[test]
fn the_marker_of_a_transaction_without_records_gets_a_horizon() {
    // A batch of the Java client 4.3.0 (`MemoryRecords.withEndTransactionMarker`).
    let marker = hex(
        "0000000000000064000000420000000502159354790030000000000000018bcfe568000000018bcfe5680000000000000000\
                    070003ffffffff000000012000000008000000010c00000000000900",
    );
    assert!(!retain(&marker, &RULES, |_| true).0.is_changed);
    let (done, out) = retain(&marker, &RetainRules { is_spent_marker: true, ..RULES }, |_| true);
    assert!(done.is_changed);
    assert_eq!(Batch::parse(&out).unwrap().delete_horizon_ms(), Some(HORIZON));
    assert_eq!(facts(&out), facts(&marker));
    assert!(check(&out).unwrap().attributes.is_control());
}

#[test]
fn log_append_time_stays_the_time_of_all() {
    let mut builder = BatchBuilder::new().timestamp_type(TimestampType::LogAppendTime);
    for (time, value) in [(NOW_MS, Some(&b"v"[..])), (NOW_MS + 7, None)] {
        builder.push(time, Some(b"k"), value, &[]).unwrap();
    }
    let bytes = builder.build().unwrap().to_bytes();
    let (_, out) = retain(&bytes, &RULES, |record| record.is_tombstone);
    assert_eq!(facts(&out), facts(&bytes)[1..]);
    assert_eq!(facts(&out)[0].1, NOW_MS + 7);
}

#[test]
fn unsound_records_and_too_much_of_them_are_errors_and_add_nothing() {
    let mut bytes = sample(Compression::None);
    bytes[BatchHeader::LEN] = 0xff;
    let mut out = Vec::new();
    let error = Batch::parse(&bytes).unwrap().retain(&RULES, |_| true, &mut out).unwrap_err();
    assert!(matches!(error, RecordError::Malformed { index: 0, .. }), "{error}");
    let bytes = sample(Compression::Gzip);
    let small = RetainRules { unpacked_bytes_max: 10, ..RULES };
    let error = Batch::parse(&bytes).unwrap().retain(&small, |_| true, &mut out).unwrap_err();
    assert!(matches!(error, RecordError::UnpackedTooLarge { .. }), "{error}");
    assert!(Batch::parse(&bytes).unwrap().each_keyed(10, |_| ControlFlow::Continue(())).is_err());
    assert_eq!(out, []);
    assert!(matches!(Batch::parse(&bytes[..70]), Err(BatchError::Truncated { .. })));
}

fn record() -> impl Strategy<Value = Pushed> {
    let bytes = || vec(any::<u8>(), 0..80);
    let time = prop_oneof![Just(-1), NOW_MS - 1000..NOW_MS + 1000, 0..i64::MAX / 2];
    (time, option::of(bytes()), option::of(bytes()), vec((bytes(), option::of(bytes())), 0..4))
}

proptest! {
    /// Whatever is kept reads back as it was, whatever goes is gone, and a second pass changes nothing.
    #[test]
    fn keeps_exactly_what_is_wanted(
        records in vec((record(), any::<bool>()), 1..12),
        codec in prop::sample::select(&Compression::ALL[..]),
        horizon in option::of(0..i64::MAX / 2),
    ) {
        let mut builder = BatchBuilder::new().compression(codec).base_offset(Offset::new(5).unwrap());
        for ((time, key, value, headers), _) in &records {
            let headers: Vec<HeaderRef<'_>> = headers.iter().map(|(n, v)| (&n[..], v.as_deref())).collect();
            builder.push(*time, key.as_deref(), value.as_deref(), &headers).unwrap();
        }
        let bytes = builder.build().unwrap().to_bytes();
        let wanted = |offset: i64| records[(offset - 5) as usize].1;
        let rules = RetainRules { delete_horizon_ms: horizon, ..RULES };
        let (done, out) = retain(&bytes, &rules, |record| wanted(record.offset.get()));
        let expected: Vec<Facts> = facts(&bytes).into_iter().filter(|fact| wanted(fact.0)).collect();
        prop_assert_eq!(done.kept as usize, expected.len());
        prop_assert_eq!(out.is_empty(), expected.is_empty());
        if !out.is_empty() {
            prop_assert_eq!(&facts(&out), &expected);
            let has_tombstone = expected.iter().any(|fact| fact.3.is_none());
            let set = Batch::parse(&out).unwrap().delete_horizon_ms();
            prop_assert_eq!(set, horizon.filter(|_| has_tombstone));
            prop_assert_eq!(retain(&out, &rules, |_| true).1, out);
        }
    }
}

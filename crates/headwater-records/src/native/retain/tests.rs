use super::*;
use crate::{
    Batch, BatchBuilder, HeaderRef,
    native::{HeaderLimits, NativeBatches, NativeEntry, NativeRun},
};
use headwater_codec::LeaderEpoch;

const HORIZON: i64 = 1_700_000_000_000;
const RULES: RetainRules = RetainRules {
    delete_horizon_ms: Some(HORIZON),
    is_spent_marker: false,
    hold: false,
    unpacked_bytes_max: 1 << 20,
};

/// Key, value, headers.
type Given<'a> = (Option<&'a [u8]>, Option<&'a [u8]>, &'a [HeaderRef<'a>]);

const HEADERS: &[HeaderRef<'static>] = &[
    (b"n", None),
    (b"e", Some(b"")),
    (b"n", Some(b"2")),
    (b"headwater.horizon", Some(b"mine")),
    (b"", Some(b"x")),
];

fn run(given: &[Given<'_>]) -> Vec<u8> {
    let mut builder = BatchBuilder::new();
    for (key, value, headers) in given {
        builder.push(-5, *key, *value, headers).unwrap();
    }
    NativeRun::of_batch(&builder.build().unwrap(), &HeaderLimits::default(), 1 << 20).unwrap().into_bytes()
}

/// Offset, time, key, value, headers of every record, as a Kafka client gets them.
type Facts = (i64, i64, Option<Vec<u8>>, Option<Vec<u8>>, Vec<(Vec<u8>, Option<Vec<u8>>)>);

fn facts(bytes: &[u8]) -> Vec<Facts> {
    let mut batches = NativeBatches::new(bytes, Offset::ZERO, 1 << 20);
    let mut found = Vec::new();
    while let Some(batch) = batches.next_batch(1 << 20, |_| LeaderEpoch::new(0)).unwrap() {
        let batch = batch.to_bytes();
        for record in &Batch::parse(&batch).unwrap().records(1 << 20).unwrap() {
            let record = record.unwrap();
            let headers = record.headers.map(|(name, value)| (name.to_vec(), value.map(<[u8]>::to_vec)));
            let (key, value) = (record.key.map(<[u8]>::to_vec), record.value.map(<[u8]>::to_vec));
            found.push((record.offset.get(), record.timestamp, key, value, headers.collect()));
        }
    }
    assert_eq!(batches.remaining(), b"");
    found
}

/// Cleans a run that begins at offset 0; gives what is left of it.
fn clean(mut bytes: &[u8], rules: &RetainRules, keep: impl Fn(KeyedRecord<'_>) -> bool) -> Vec<u8> {
    let (mut out, mut offset, mut next) = (Vec::new(), Offset::ZERO, Offset::ZERO);
    while !bytes.is_empty() {
        let record = NativeRecord::checked(bytes).unwrap();
        let keyed = record.keyed(offset).unwrap();
        let before = out.len();
        record.retain(&keyed, next, rules, keep(keyed), &mut out).unwrap();
        if out.len() > before {
            next = keyed.offset.plus(1);
            assert_eq!(
                NativeEntry::parse(&out[before..]).unwrap().offset().unwrap_or(keyed.offset),
                keyed.offset
            );
        }
        offset = keyed.offset.plus(1);
        bytes = &bytes[record.bytes().len()..];
    }
    out
}

fn sample() -> Vec<u8> {
    run(&[
        (Some(b"a"), Some(b"1"), HEADERS),
        (Some(b"b"), None, HEADERS),
        (Some(b""), Some(b""), &[]),
        (None, Some(b"2"), &[]),
        (Some(b"a"), None, &[]),
    ])
}

#[test]
fn null_is_no_key_and_a_tombstone_and_empty_is_neither() {
    let bytes = sample();
    let mut rest = &bytes[..];
    let mut seen = Vec::new();
    while let Ok(record) = NativeRecord::parse(rest) {
        let keyed = record.keyed(Offset::ZERO).unwrap();
        seen.push((keyed.key, keyed.is_tombstone));
        rest = &rest[record.bytes().len()..];
    }
    let expected =
        [(Some(&b"a"[..]), false), (Some(b"b"), true), (Some(b""), false), (None, false), (Some(b"a"), true)];
    assert_eq!(seen, expected);
}

#[test]
fn what_stays_keeps_its_offset_and_everything_else() {
    let bytes = sample();
    let all = facts(&bytes);
    for mask in 0..32_u32 {
        let kept = |offset: i64| mask >> offset & 1 == 1;
        let out = clean(&bytes, &RULES, |record| kept(record.offset.get()));
        let expected: Vec<_> = all.iter().filter(|fact| kept(fact.0)).cloned().collect();
        assert_eq!(facts(&out), expected, "{mask:05b}");
        let again = clean(&out, &RetainRules { delete_horizon_ms: Some(HORIZON + 1), ..RULES }, |_| true);
        assert_eq!(again, out, "a second time nothing changes, {mask:05b}");
    }
}

#[test]
fn a_tombstone_gets_a_horizon_once_and_a_value_none() {
    let out = clean(&sample(), &RULES, |_| true);
    let mut rest = &out[..];
    let mut horizons = Vec::new();
    while let Ok(record) = NativeRecord::checked(rest) {
        horizons.push(record.delete_horizon_ms().unwrap());
        rest = &rest[record.bytes().len()..];
    }
    assert_eq!(horizons, [None, Some(HORIZON), None, None, Some(HORIZON)]);
    assert_eq!(facts(&out), facts(&sample()), "clients see nothing of it");
}

#[test]
fn a_record_that_is_held_stays_whole() {
    let bytes = run(&[(Some(b"a"), Some(b"1"), HEADERS)]);
    assert_eq!(clean(&bytes, &RetainRules { hold: true, ..RULES }, |_| false), bytes);
    assert_eq!(clean(&bytes, &RULES, |_| false), b"");
}

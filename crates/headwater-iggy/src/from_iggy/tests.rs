use super::*;
use crate::testing::{INT32, SERVER_TIME_US, message, pair, version};

#[track_caller]
fn record<'a>(
    key: Option<&'a [u8]>,
    value: Option<&'a [u8]>,
    headers: &[(&'a [u8], &'a [u8])],
) -> Record<'a> {
    let headers: Vec<_> = headers.iter().map(|(name, value)| (*name, Some(*value))).collect();
    Record { timestamp: SERVER_TIME_MS, key, value, headers: headers.into() }
}

const SERVER_TIME_MS: i64 = SERVER_TIME_US as i64 / 1000;

/// A message that says it is ours is refused, and is a native one for a reader that goes on.
#[track_caller]
fn refused(pairs: &[Vec<u8>], payload: &[u8], wanted: Unmappable) {
    let mut block = version();
    pairs.iter().for_each(|pair| block.extend_from_slice(pair));
    let message = message(&block, payload);
    assert_eq!(from_iggy(&message).unwrap_err(), wanted);
    let (record, told) = from_iggy_lenient(&message);
    assert_eq!((record.key, record.value, told), (None, Some(payload), Some(wanted)));
    assert_eq!(record.timestamp, SERVER_TIME_MS);
    assert!(record.headers.clone().any(|(name, value)| name == b"kafka.v" && value == Some(&[1][..])));
}

#[test]
fn a_native_message_is_a_record_without_a_key() {
    assert_eq!(from_iggy(&message(&[], b"hello")).unwrap(), record(None, Some(b"hello"), &[]));
    let at = |origin_timestamp| Message { origin_timestamp, ..message(&[], b"x") };
    assert_eq!(from_iggy(&at(1_700_000_000_123_999)).unwrap().timestamp, 1_700_000_000_123);
    assert_eq!(from_iggy(&at(u64::MAX)).unwrap().timestamp, 18_446_744_073_709_551);
    assert_eq!(from_iggy(&at(999)).unwrap().timestamp, 0);
}

#[test]
fn our_markers_without_the_version_are_ordinary_headers() {
    let block = [
        pair(2, b"kafka.envelope", 1, &[1]),
        pair(2, b"kafka.key", 1, b"k"),
        pair(2, b"kafka.value", 1, b"null"),
    ]
    .concat();
    assert_eq!(
        from_iggy(&message(&block, b"p")).unwrap(),
        record(
            None,
            Some(b"p"),
            &[(b"kafka.envelope", &[1]), (b"kafka.key", b"k"), (b"kafka.value", b"null")]
        )
    );
    // Raw "kafka.v" is another key than String "kafka.v".
    let raw = pair(1, b"kafka.v", 1, &[1]);
    assert_eq!(from_iggy(&message(&raw, b"p")).unwrap(), record(None, Some(b"p"), &[(b"kafka.v", &[1])]));
}

#[test]
fn native_values_of_all_kinds_come_as_stored() {
    let values: [(u8, &[u8]); 15] = [
        (1, &[0xde, 0xad]),
        (2, b"text"),
        (3, &[1]),
        (4, &[0xfe]),
        (5, &[0xfe, 0xff]),
        (6, &[0xfe, 0xff, 0xff, 0xff]),
        (7, &[1, 0, 0, 0, 0, 0, 0, 0]),
        (8, &[2; 16]),
        (9, &[255]),
        (10, &[1, 2]),
        (11, &[1, 2, 3, 4]),
        (12, &[1, 2, 3, 4, 5, 6, 7, 8]),
        (13, &[3; 16]),
        (14, &[0, 0, 128, 63]),
        (15, &[0, 0, 0, 0, 0, 0, 240, 63]),
    ];
    let block: Vec<u8> =
        values.iter().flat_map(|(kind, value)| pair(2, &[b'a' + kind], *kind, value)).collect();
    let names: Vec<[u8; 1]> = values.iter().map(|(kind, _)| [b'a' + kind]).collect();
    let wanted: Vec<(&[u8], &[u8])> =
        names.iter().zip(&values).map(|(name, (_, value))| (&name[..], *value)).collect();
    assert_eq!(from_iggy(&message(&block, b"p")).unwrap(), record(None, Some(b"p"), &wanted));
}

#[test]
fn native_keys_that_are_no_text_are_dropped_and_of_twins_the_later_kind_counts() {
    let block = [
        pair(2, b"\xff", 1, b"dropped"),
        pair(2, b"twin", 1, b"string"),
        pair(1, b"twin", 1, b"raw"),
        pair(INT32, b"abcd", 1, b"integer key"),
    ]
    .concat();
    assert_eq!(
        from_iggy(&message(&block, b"p")).unwrap(),
        record(None, Some(b"p"), &[(b"twin", b"string"), (b"abcd", b"integer key")])
    );
}

#[test]
fn foreign_headers_beside_ours_are_dropped() {
    let block = [version(), pair(2, b"trace", 1, b"abc"), pair(2, b"kafka.h.a", 1, b"1")].concat();
    let message = Message { origin_timestamp: 5_000_999, ..message(&block, b"v") };
    let wanted = Record { timestamp: 5000, ..record(None, Some(b"v"), &[(b"a", b"1")]) };
    assert_eq!(from_iggy(&message).unwrap(), wanted);
}

#[test]
fn rubbish_under_our_name_is_refused() {
    let block = |value: &[u8]| pair(2, b"kafka.v", 1, value);
    for value in [&[2][..], &[1, 0], b"1"] {
        assert_eq!(from_iggy(&message(&block(value), b"p")), Err(Unmappable::Version));
    }
    refused(&[pair(2, b"kafka.value", 1, b"neither")], &[0], Unmappable::Value);
    refused(&[pair(2, b"kafka.ts", 1, &[0; 8])], b"p", Unmappable::Timestamp);
    refused(&[pair(2, b"kafka.ts", 7, &(-2_i64).to_le_bytes())], b"p", Unmappable::Timestamp);
    refused(&[pair(2, b"kafka.h.\xff", 1, b"x")], b"p", Unmappable::HeaderName);
    let twins = [pair(2, b"kafka.h.a", 1, b"1"), pair(1, b"kafka.h.a", 1, b"2")];
    refused(&twins, b"p", Unmappable::Twins);
}

#[test]
fn twins_without_the_version_leave_one() {
    let block = [pair(2, b"kafka.h.a", 1, b"1"), pair(1, b"kafka.h.a", 1, b"2")].concat();
    assert_eq!(from_iggy(&message(&block, b"p")).unwrap(), record(None, Some(b"p"), &[(b"kafka.h.a", b"1")]));
}

#[test]
fn rubbish_in_an_envelope_is_refused() {
    let envelope = [pair(2, b"kafka.envelope", 1, &[1])];
    for payload in [&b""[..], b"\x01", b"random bytes, longer than any envelope's head", &[0xff; 13]] {
        let fault = match envelope::decode(payload) {
            Err(fault) => fault,
            Ok(record) => panic!("{record:?}"),
        };
        refused(&envelope, payload, fault);
    }
    let good = [0; 13];
    refused(&[pair(2, b"kafka.envelope", 1, &[2])], &good, EnvelopeFault::Version.into());
    refused(&[pair(2, b"kafka.envelope", 1, &[1, 99])], &good, EnvelopeFault::Version.into());
}

#[test]
fn unsound_user_headers_are_refused_and_the_payload_is_kept() {
    let message = message(&[2, 9, 0, 0, 0, b'k'], b"p");
    assert_eq!(from_iggy(&message), Err(Unmappable::UserHeaders));
    assert_eq!(from_iggy_lenient(&message), (record(None, Some(b"p"), &[]), Some(Unmappable::UserHeaders)));
}

#[test]
fn an_order_that_does_not_fit_is_left_alone() {
    let (a, b) = (pair(2, b"kafka.h.a", 1, b"1"), pair(2, b"kafka.h.b", 1, b"2"));
    for order in [&[0][..], &[0, 0], &[1, 2], &[1, 0, 2], &[255, 0]] {
        let block = [&version()[..], &a, &b, &pair(2, b"kafka.o", 1, order)].concat();
        let read = from_iggy(&message(&block, b"v")).unwrap();
        assert_eq!(read.headers.collect::<Vec<_>>(), [(&b"a"[..], Some(&b"1"[..])), (b"b", Some(b"2"))]);
    }
    let block = [&version()[..], &a, &b, &pair(2, b"kafka.o", 1, &[1, 0])].concat();
    let read = from_iggy(&message(&block, b"v")).unwrap();
    assert_eq!(read.headers.map(|(name, _)| name).collect::<Vec<_>>(), [b"b", b"a"]);
}

#[test]
fn good_records_on_both_sides_of_a_bad_one_arrive() {
    let good = version();
    let bad = [version(), pair(2, b"kafka.envelope", 1, &[1])].concat();
    let messages = [message(&good, b"1"), message(&bad, b"2"), message(&good, b"3")];
    let read: Vec<_> = messages.iter().map(|message| from_iggy_lenient(message).0.value.unwrap()).collect();
    assert_eq!(read, [b"1", b"2", b"3"]);
}

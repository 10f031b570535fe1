//! The vectors are those of `iggy_common` 0.11.0, which wrote the same headers from its own types.

use super::*;
use crate::{
    from_iggy,
    testing::{alone, pair, polled, version},
};

type Header<'a> = HeaderRef<'a>;

fn record<'a>(key: Option<&'a [u8]>, value: Option<&'a [u8]>, headers: &[Header<'a>]) -> Record<'a> {
    Record { timestamp: TIME, key, value, headers: headers.to_vec().into() }
}

/// The form that a record takes; it must come back equal.
#[track_caller]
fn form(record: &Record<'_>) -> Form {
    let mapped = alone(record);
    assert_eq!(from_iggy(&polled(&mapped)).unwrap(), *record, "it came back changed");
    assert!(mapped.user_headers.len() <= USER_HEADERS_LEN_MAX);
    assert!((1..=PAYLOAD_LEN_MAX).contains(&mapped.payload.len()));
    mapped.form
}

fn hex(text: &str) -> Vec<u8> {
    let digit = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).unwrap();
    (0..text.len()).step_by(2).map(digit).collect()
}

#[track_caller]
fn check_vector(record: &Record<'_>, window: SendWindow, block: &[&str], payload: &[u8]) {
    let mapped = to_iggy(record, window).unwrap();
    assert_eq!(mapped.user_headers, hex(&block.concat()));
    assert_eq!(*mapped.payload, *payload);
    assert_eq!(from_iggy(&polled(&mapped)).unwrap(), *record);
}

const VERSION_PAIR: &str = "02070000006b61666b612e76010100000001";
const KEY_PAIR: &str = "02090000006b61666b612e6b657901010000006b";

#[test]
fn vectors() {
    let alone = SendWindow::of([TIME]);
    check_vector(&record(None, Some(b"v"), &[]), alone, &[VERSION_PAIR], b"v");
    check_vector(
        &record(Some(b"k"), Some(b"v"), &[(b"trace", Some(b"abc"))]),
        alone,
        &["020d0000006b61666b612e682e74726163650103000000616263", KEY_PAIR, VERSION_PAIR],
        b"v",
    );
    check_vector(
        &record(Some(b"k"), None, &[]),
        alone,
        &[KEY_PAIR, VERSION_PAIR, "020b0000006b61666b612e76616c756501040000006e756c6c"],
        &[0],
    );
    check_vector(
        &record(None, Some(b""), &[]),
        alone,
        &[VERSION_PAIR, "020b0000006b61666b612e76616c75650105000000656d707479"],
        &[0],
    );
    let at = |timestamp| Record { timestamp, value: Some(b"v"), ..Record::default() };
    check_vector(
        &at(0),
        SendWindow::of([0]),
        &["02080000006b61666b612e747307080000000000000000000000", VERSION_PAIR],
        b"v",
    );
    check_vector(
        &at(-1),
        SendWindow::of([-1, 5]),
        &["02080000006b61666b612e74730708000000ffffffffffffffff", VERSION_PAIR],
        b"v",
    );
    check_vector(
        &record(Some(b""), Some(b"v"), &[]),
        alone,
        &["020e0000006b61666b612e656e76656c6f7065010100000001", VERSION_PAIR],
        &hex("03000000000100000076000000 00".replace(' ', "").as_str()),
    );
}

#[test]
fn every_value_comes_back_and_no_byte_is_special() {
    for headers in [&[][..], &[(&b"h"[..], Some(&b"x"[..]))]] {
        for key in [None, Some(&b"k"[..])] {
            assert_eq!(form(&record(key, None, headers)), Form::Plain);
            assert_eq!(form(&record(key, Some(b""), headers)), Form::Plain);
            for byte in 0..=u8::MAX {
                assert_eq!(form(&record(key, Some(&[byte]), headers)), Form::Plain);
            }
        }
    }
    let zero = record(None, Some(&[0]), &[]);
    assert_eq!(alone(&zero).user_headers, version(), "a real zero byte has no marker");
}

#[test]
fn the_largest_payload_fits_and_one_more_byte_does_not() {
    let value = vec![7; PAYLOAD_LEN_MAX + 1];
    let window = SendWindow::of([TIME]);
    let too_large = |result: Result<Mapped<'_>, MapError>, wanted: usize| match result {
        Err(error @ MapError::PayloadTooLarge { bytes }) => {
            assert_eq!((bytes, error.error_code().code()), (wanted, 10));
        }
        other => panic!("{:?}", other.map(|mapped| mapped.form)),
    };
    let largest = record(None, Some(&value[1..]), &[]);
    assert!(
        matches!(to_iggy(&largest, window).unwrap().payload, Cow::Borrowed(p) if p.len() == PAYLOAD_LEN_MAX)
    );
    too_large(to_iggy(&record(None, Some(&value), &[]), window), PAYLOAD_LEN_MAX + 1);
    // An empty key makes an envelope of 13 bytes and the value.
    let room = PAYLOAD_LEN_MAX - 13;
    let mapped = alone(&record(Some(b""), Some(&value[..room]), &[])).payload.len();
    assert_eq!(mapped, PAYLOAD_LEN_MAX);
    too_large(to_iggy(&record(Some(b""), Some(&value[..=room]), &[]), window), PAYLOAD_LEN_MAX + 1);
}

#[test]
fn keys_of_1_to_255_bytes_are_plain() {
    let long = [0xff; 256];
    assert_eq!(form(&record(None, Some(b"v"), &[])), Form::Plain);
    assert_eq!(form(&record(Some(b""), Some(b"v"), &[])), Form::Envelope);
    assert_eq!(form(&record(Some(&[0x00, 0xff]), Some(b"v"), &[])), Form::Plain);
    assert_eq!(form(&record(Some(&long[..255]), Some(b"v"), &[])), Form::Plain);
    assert_eq!(form(&record(Some(&long), Some(b"v"), &[])), Form::Envelope);
    assert_eq!(form(&record(Some(b""), None, &[])), Form::Envelope);
    assert_eq!(form(&record(Some(&long), Some(b""), &[])), Form::Envelope);
}

#[test]
fn header_names_may_be_empty_long_and_look_like_ours() {
    let name = "n".repeat(248);
    let with = |name: &str| form(&record(None, Some(b"v"), &[(name.as_bytes(), Some(b"x"))]));
    assert_eq!(with(""), Form::Plain);
    assert_eq!(with(&name[..247]), Form::Plain);
    assert_eq!(with(&name), Form::Envelope);
    let two_bytes_each = "\u{e9}".repeat(124);
    assert_eq!(two_bytes_each.len(), 248);
    assert_eq!(with(&two_bytes_each), Form::Envelope);
    assert_eq!(with(&two_bytes_each[2..]), Form::Plain);
    for ours in ["kafka.v", "kafka.key", "kafka.value", "kafka.ts", "kafka.o", "kafka.envelope", "kafka.h.x"]
    {
        assert_eq!(with(ours), Form::Plain);
        let stored = [pair(2, format!("kafka.h.{ours}").as_bytes(), 1, b"x"), version()].concat();
        let record = record(None, Some(b"v"), &[(ours.as_bytes(), Some(b"x"))]);
        assert_eq!(alone(&record).user_headers, stored);
    }
}

#[test]
fn a_name_that_is_no_text_is_refused_in_either_form() {
    for key in [None, Some(&b""[..])] {
        let record = record(key, None, &[(b"a", Some(b"1")), (b"\xc3", Some(b"2"))]);
        let error = to_iggy(&record, SendWindow::default()).unwrap_err();
        assert!(matches!(error, MapError::HeaderName { index: 1 }));
        assert_eq!(error.error_code().code(), 87);
    }
}

#[test]
fn header_values_of_1_to_255_bytes_are_plain() {
    let long = [9; 256];
    let with = |value: Option<&[u8]>| form(&record(None, None, &[(b"h", value)]));
    assert_eq!(with(None), Form::Envelope);
    assert_eq!(with(Some(b"")), Form::Envelope);
    assert_eq!(with(Some(&[0xff])), Form::Plain);
    assert_eq!(with(Some(&long[..255])), Form::Plain);
    assert_eq!(with(Some(&long)), Form::Envelope);
}

#[test]
fn order_is_kept_on_the_plain_path_and_repeats_in_the_envelope() {
    let (a, b, c): (Header<'_>, Header<'_>, Header<'_>) =
        ((b"a", Some(b"1")), (b"b", Some(b"2")), (b"c", Some(b"3")));
    assert_eq!(form(&record(Some(b"k"), Some(b"v"), &[a, b, c])), Form::Plain);
    let sorted = alone(&record(None, Some(b"v"), &[a, b, c])).user_headers;
    assert!(!sorted.windows(7).any(|window| window == b"kafka.o"), "sorted order needs no header");

    let unsorted = record(Some(b"k"), Some(b"v"), &[c, a, b]);
    assert_eq!(form(&unsorted), Form::Plain);
    let stored = [
        pair(2, b"kafka.h.a", 1, b"1"),
        pair(2, b"kafka.h.b", 1, b"2"),
        pair(2, b"kafka.h.c", 1, b"3"),
        pair(2, b"kafka.key", 1, b"k"),
        pair(2, b"kafka.o", 1, &[2, 0, 1]),
        version(),
    ]
    .concat();
    assert_eq!(alone(&unsorted).user_headers, stored);

    assert_eq!(form(&record(None, Some(b"v"), &[a, a])), Form::Envelope);
    assert_eq!(form(&record(None, Some(b"v"), &[b, a, (b"b", Some(b"4"))])), Form::Envelope);
}

#[test]
fn a_record_of_everything_says_which_form_it_took() {
    let long = [1; 256];
    let everything: &[Header<'_>] =
        &[(b"z", Some(b"1")), (b"a", None), (b"z", Some(b"")), (b"m", Some(b"2"))];
    assert_eq!(form(&record(Some(b"k"), None, everything)), Form::Envelope);
    assert_eq!(form(&record(Some(&long), Some(b""), everything)), Form::Envelope);
    assert_eq!(
        form(&record(Some(&long[..255]), Some(b"v"), &[(b"z", Some(b"1")), (b"a", Some(b"2"))])),
        Form::Plain
    );
    assert_eq!(form(&record(Some(b"k"), None, &[(b"z", Some(b"1")), (b"a", Some(b"2"))])), Form::Plain);
}

#[test]
fn more_than_255_headers_are_plain_only_in_order() {
    let names: Vec<String> = (0..256).map(|index| format!("{index:03}")).collect();
    let headers: Vec<Header<'_>> = names.iter().map(|name| (name.as_bytes(), Some(&b"x"[..]))).collect();
    let reversed = |count: usize| headers[..count].iter().rev().copied().collect::<Vec<_>>();
    assert_eq!(form(&record(None, Some(b"v"), &headers)), Form::Plain);
    assert_eq!(form(&record(None, Some(b"v"), &reversed(255))), Form::Plain);
    assert_eq!(form(&record(None, Some(b"v"), &reversed(256))), Form::Envelope);
}

/// Headers whose pairs take 279 bytes each, and one that fills up to `total` bytes with the version's 18.
fn filling(total: usize, others: usize) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut left = total - 18 - others;
    let mut headers = Vec::new();
    while left > 0 {
        // Never so little left that no pair fits.
        let take = if left >= 279 + 30 { 279 } else { left };
        let name = format!("{:06}", headers.len()).into_bytes();
        let value = take - 24;
        if value > 255 {
            headers.push((name, vec![5; 100]));
            left -= 124;
        } else {
            headers.push((name, vec![5; value]));
            left -= take;
        }
    }
    headers
}

#[test]
fn user_headers_fill_100_000_bytes_and_not_one_more() {
    for (key, timestamp, order) in
        [(false, TIME, false), (true, TIME, false), (true, 0, false), (true, 0, true)]
    {
        let mut others = 0;
        others += if key { 20 } else { 0 };
        others += if timestamp == 0 { 26 } else { 0 };
        for (total, wanted) in [(100_000, Form::Plain), (100_001, Form::Envelope)] {
            // With more than 255 headers an order would not fit, so there it is the envelope whatever the size.
            let filled = filling(total, others);
            let mut headers: Vec<Header<'_>> =
                filled.iter().map(|(name, value)| (name.as_slice(), Some(value.as_slice()))).collect();
            let wanted = if order { Form::Envelope } else { wanted };
            if order {
                headers.swap(0, 1);
            }
            let record = Record {
                timestamp,
                key: key.then_some(&b"k"[..]),
                value: Some(b"v"),
                headers: headers.into(),
            };
            assert_eq!(form(&record), wanted, "{total} with key {key} at {timestamp}");
            if wanted == Form::Plain {
                assert_eq!(alone(&record).user_headers.len(), total);
            }
        }
    }
}

#[test]
fn the_order_counts_among_the_100_000_bytes() {
    // 250 headers of up to 255 bytes of value and 148 of name: 10 + 8 + 148 + 255 = 421 bytes each, less a bit.
    let name = |index: usize| format!("{index:0148}").into_bytes();
    let order_len = pair_len(7, 237);
    let mut left = 100_000 - 18 - order_len;
    let mut stored = Vec::new();
    for index in 0..237 {
        let value = (left - (236 - index) * (10 + 8 + 148 + 250)).saturating_sub(10 + 8 + 148).clamp(1, 255);
        left -= 10 + 8 + 148 + value;
        stored.push((name(index), vec![3; value]));
    }
    assert_eq!(left, 0, "the headers fill what there is");
    let mut headers: Vec<Header<'_>> =
        stored.iter().map(|(n, v)| (n.as_slice(), Some(v.as_slice()))).collect();
    assert_eq!(form(&record(None, Some(b"v"), &headers)), Form::Plain);
    headers.reverse();
    let reversed = record(None, Some(b"v"), &headers);
    assert_eq!(form(&reversed), Form::Plain);
    assert_eq!(alone(&reversed).user_headers.len(), 100_000);
    // One byte of a key too many.
    assert_eq!(form(&record(Some(b"k"), Some(b"v"), &headers)), Form::Envelope);
}

#[test]
fn timestamps_come_back_from_both_forms() {
    for key in [Some(&b"k"[..]), Some(&b""[..])] {
        for timestamp in [-1, 0, 1, TIME, 9_223_372_036_854_775] {
            form(&Record { timestamp, key, value: Some(b"v"), ..Record::default() });
        }
        for (window, timestamp) in [
            (vec![-1, TIME], -1),
            (vec![0, TIME], 0),
            (vec![1, 1 + 4_294_967], 1 + 4_294_967),
            (vec![1, 1 + 4_294_968], 1 + 4_294_968),
        ] {
            let record = Record { timestamp, key, value: Some(b"v"), ..Record::default() };
            let mapped = to_iggy(&record, SendWindow::of(window)).unwrap();
            assert_eq!(from_iggy(&polled(&mapped)).unwrap(), record);
        }
        for timestamp in [-2, 9_223_372_036_854_776] {
            let record = Record { timestamp, key, ..Record::default() };
            let error = to_iggy(&record, SendWindow::of([timestamp])).unwrap_err();
            assert_eq!(error.error_code().code(), 87);
        }
    }
}

const TIME: i64 = 1_700_000_000_123;

use super::*;

fn sample() -> Record<'static> {
    Record {
        timestamp: 0,
        key: Some(b""),
        value: Some(b"v"),
        headers: vec![(&b"b"[..], None), (b"a", Some(&b""[..])), (b"b", Some(b"2"))].into(),
    }
}

fn encoded(record: &Record<'_>) -> Vec<u8> {
    let length = len(record).unwrap();
    let envelope = encode(record, length);
    assert_eq!(envelope.len(), length);
    envelope
}

#[test]
fn keeps_order_repeats_null_and_empty() {
    let envelope = encoded(&sample());
    assert_eq!(
        envelope,
        [
            &[3][..], // Key and value are there.
            &[0, 0, 0, 0],
            &[1, 0, 0, 0],
            b"v",
            &[3, 0, 0, 0],
            &[1, 0, 0, 0],
            b"b",
            &[0, 0, 0, 0, 0],
            &[1, 0, 0, 0],
            b"a",
            &[1, 0, 0, 0, 0],
            &[1, 0, 0, 0],
            b"b",
            &[1, 1, 0, 0, 0],
            b"2",
        ]
        .concat()
    );
    assert_eq!(decode(&envelope).unwrap(), sample());
    let nothing = Record { timestamp: 0, ..Record::default() };
    assert_eq!(encoded(&nothing), [0; 13]);
    assert_eq!(decode(&[0; 13]).unwrap(), nothing);
}

#[test]
fn refuses_one_cut_at_any_byte() {
    let envelope = encoded(&sample());
    for cut in 0..envelope.len() {
        assert!(decode(&envelope[..cut]).is_err(), "cut at {cut}");
    }
}

#[test]
fn refuses_counts_and_lengths_that_cannot_be() {
    let mut many = vec![0; 13];
    many[9..].fill(0xff);
    assert_eq!(decode(&many).unwrap_err(), EnvelopeFault::HeaderCount(u32::MAX).into());
    let mut long = vec![0; 13];
    long[1..5].fill(0xff);
    assert_eq!(decode(&long).unwrap_err(), EnvelopeFault::Truncated.into());
}

#[test]
fn refuses_what_follows_and_names_that_are_no_text() {
    let mut longer = encoded(&sample());
    longer.push(0);
    assert_eq!(decode(&longer).unwrap_err(), EnvelopeFault::BytesLeft(1).into());
    let bad = Record { headers: vec![(&b"\xff"[..], None)].into(), ..Record::default() };
    assert_eq!(decode(&encoded(&bad)).unwrap_err(), Unmappable::HeaderName);
}

#[test]
fn is_lenient_where_nothing_is_lost() {
    // Unknown flags, a length under a clear flag, and a value_present of 7.
    let envelope = [
        &[0xfc][..],
        &[1, 0, 0, 0],
        b"k",
        &[0, 0, 0, 0],
        &[1, 0, 0, 0],
        &[1, 0, 0, 0],
        b"h",
        &[7, 1, 0, 0, 0],
        b"x",
    ]
    .concat();
    let read = decode(&envelope).unwrap();
    let wanted = Record { headers: vec![(&b"h"[..], Some(&b"x"[..]))].into(), ..Record::default() };
    assert_eq!(read, wanted);
}

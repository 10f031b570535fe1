use super::*;
use crate::testing::{hex, record};

fn read(body: &[u8]) -> Result<RecordFacts, Malformed> {
    read_record(&mut SliceInput::new(body))
}

/// Reads the same record from a slice and from a stream of every codec, and wants the same answer of all.
fn check(body: &[u8], expected: Result<RecordFacts, Malformed>) {
    assert_eq!(read(body), expected, "{body:02x?}");
    for codec in &Compression::ALL[1..] {
        // The first record is longer than the unpacker's buffer, so that the second straddles its end.
        for padding in (32 << 10) - 40..(32 << 10) - 8 {
            let mut long = hex("00 00 00 01");
            headwater_codec::varint::write_i32(&mut long, padding);
            long.resize(long.len() + padding as usize, b'x');
            long.push(0);
            let packed = codec.pack(&[record(&long), record(body)].concat()).unwrap();
            let mut second = None;
            let result = walk(*codec, &packed, 2, 1 << 20, |index, facts| {
                if index == 1 {
                    second = Some(facts);
                }
                Ok(Walk::On)
            });
            match (result, expected) {
                (Ok(_), Ok(facts)) => assert_eq!(second, Some(facts)),
                (Err(RecordError::Malformed { index: 1, reason }), Err(expected)) => {
                    assert_eq!(reason, expected)
                }
                (result, expected) => panic!("{codec}: {result:?} instead of {expected:?}"),
            }
            if padding % 8 != 0 && *codec != Compression::Zstd {
                break;
            }
        }
    }
}

fn facts(timestamp_delta: i64, offset_delta: i32, has_key: bool) -> Result<RecordFacts, Malformed> {
    Ok(RecordFacts { timestamp_delta, offset_delta, has_key })
}

#[test]
fn null_and_empty_keys_differ() {
    check(&hex("00 00 00 01 01 00"), facts(0, 0, false));
    check(&hex("00 00 00 00 01 00"), facts(0, 0, true));
    check(&hex("00 00 00 02 6b 02 76 00"), facts(0, 0, true));
}

#[test]
fn numbers_are_zigzag_and_as_long_as_their_type() {
    check(&hex("00 01 02 01 01 00"), facts(-1, 1, false));
    check(&hex("00 ffffffffffffffffff01 ffffffff0f 01 01 00"), facts(i64::MIN, i32::MIN, false));
    check(&hex("00 feffffffffffffffff01 feffffff0f 01 01 00"), facts(i64::MAX, i32::MAX, false));
    check(&hex("00 8080808000 8000 01 01 00"), facts(0, 0, false));
    check(&hex("00 ffffffffffffffffff02 00 01 01 00"), Err(Malformed::Varint));
    check(&hex("00 80808080808080808080 00 01 01 00"), Err(Malformed::Varint));
    check(&hex("00 00 ffffffff1f 01 01 00"), Err(Malformed::Varint));
    check(&hex("00 00 808080808000 01 01 00"), Err(Malformed::Varint));
}

#[test]
fn headers_may_have_null_values_but_no_null_names() {
    check(&hex("00 00 00 01 01 04 026e01 026500"), facts(0, 0, false));
    check(&hex("00 00 00 01 01 02 0101"), Err(Malformed::HeaderName(-1)));
    check(&hex("00 00 00 01 01 02 0003"), Err(Malformed::FieldLength(-2)));
    check(&hex("00 00 00 01 01 02 0000"), facts(0, 0, false));
}

#[test]
fn header_counts_are_held_against_the_bytes() {
    check(&hex("00 00 00 01 01 01"), Err(Malformed::HeaderCount(-1)));
    check(&hex("00 00 00 01 01 02"), Err(Malformed::HeaderCount(1)));
    check(&hex("00 00 00 01 01 feffffff0f"), Err(Malformed::HeaderCount(i32::MAX)));
    check(&hex("00 00 00 01 01 04 0000 00"), Err(Malformed::HeaderCount(2)));
}

#[test]
fn lengths_below_minus_one_are_malformed() {
    check(&hex("00 00 00 03 01 00"), Err(Malformed::FieldLength(-2)));
    check(&hex("00 00 00 01 ffffffff0f 00"), Err(Malformed::FieldLength(i32::MIN)));
}

#[test]
fn fields_end_with_the_record() {
    check(&hex("00 00 00 01 01 00 00"), Err(Malformed::BytesLeft(1)));
    check(&hex("00 00 00 04 6b"), Err(Malformed::Truncated));
    check(&hex("00 00 00 02 6b feffffff0f 00"), Err(Malformed::Truncated));
    let whole = hex("00 9a05 02 02 6b 02 76 02 0268 0278");
    assert!(read(&whole).is_ok());
    for end in 0..whole.len() {
        assert!(read(&whole[..end]).is_err(), "cut to {end} bytes");
    }
}

#[test]
fn record_lengths_are_held_against_the_bytes() {
    let walked = |codec: Compression, records: &[u8]| {
        walk(codec, &codec.pack(records).unwrap(), 1, 1 << 20, |_, _| Ok(Walk::On)).unwrap_err()
    };
    for codec in Compression::ALL {
        for (records, expected) in [
            ("01", Malformed::Length(-1)),
            ("0e 00 00 00 01 01", Malformed::Truncated),
            ("fcffffff0f 00 00 00 01", Malformed::Truncated),
            ("80", Malformed::Truncated),
            ("", Malformed::Truncated),
            ("ffffffffff", Malformed::Varint),
        ] {
            let error = walked(codec, &hex(records));
            assert!(
                matches!(error, RecordError::Malformed { index: 0, reason } if reason == expected),
                "{codec} {records}: {error}"
            );
        }
        let error = walked(codec, &hex("0c 00 00 00 01 01 00 00"));
        assert!(matches!(error, RecordError::BytesAfterRecords { count: 1 }), "{codec}: {error}");
    }
}

#[test]
fn a_stopped_walk_does_not_look_further() {
    for codec in Compression::ALL {
        let packed = codec.pack(&hex("0c 00 00 00 01 01 00 ff ff")).unwrap();
        assert!(walk(codec, &packed, 2, 1 << 20, |_, _| Ok(Walk::Stop)).is_ok());
    }
}

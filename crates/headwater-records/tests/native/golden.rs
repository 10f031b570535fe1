//! Bytes worked out from the format's description with another program's CRC-32, and read by a reader of their own.

use headwater_codec::{ProducerEpoch, ProducerId};
use headwater_records::native::{
    ControlMarker, HeaderBlock, HeaderBlockBuilder, NativeFields, NativeRecord, ValueCodec, check,
};

use super::old_reader;

pub(super) fn hex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).expect("hex")).collect()
}

pub(super) const PLAIN: &str = "000000000000001b00000000020000000001020304b6fa4ad56b31616263648376dd01";
const UPPER: &str = "000000000000001b00000000020000000000000007bfe6fba741414242424208cbcdb0";
pub(super) const TRANSACTIONAL: &str =
    "00000000000000210800000001000000000000002a000000000000004d000320837f406b767eb6749a";
const COMMIT: &str = "000000000000002004000000000000000000000000cfcd2c140100000000000000010000abcb041b";
const EMPTY: &str = "0000000000000015000000000000000000000000000f74468200000000";
/// Worked out from the documented layout with headers.
pub(super) const HEADERS: &str = "000000000000002f10000000020000000001020304000000108b740836\
                                  000100057472616365000000036162636b31616263640d2ed30e";
/// Worked out from the documented layout with headers.
const TRANSACTIONAL_HEADERS: &str = "00000000000000361800000001000000000000002a000000000000004d0003\
                                     00000011faf9c8ab00020001610000000131000161000000006b7612caba1a";

fn plain(key: &'static [u8], value: &'static [u8], timestamp_ms: i64) -> NativeFields<'static> {
    NativeFields { timestamp_ms, key, stored_value: value, ..NativeFields::default() }
}

fn block(headers: &[(&str, &str)]) -> HeaderBlockBuilder {
    let mut builder = HeaderBlockBuilder::new();
    for (name, value) in headers {
        builder.push(name.as_bytes(), value.as_bytes()).expect("short headers");
    }
    builder
}

#[track_caller]
fn check_both_ways(expected: &str, fields: &NativeFields<'_>, headers: &[(&str, &str)]) {
    let expected = hex(expected);
    let headers = block(headers);
    let mut written = Vec::new();
    fields.write(headers.block(), &mut written).expect("a record");
    assert_eq!(written, expected);
    // What follows a record is not looked at.
    written.extend_from_slice(b"more");
    let read = NativeRecord::checked(&written).expect("a sound record");
    assert_eq!((&read.fields(), read.headers()), (fields, headers.block()));
    assert_eq!(read.bytes(), expected);
    assert_eq!(check(&written).map(|head| head.total_len()), Ok(expected.len()));
    assert_eq!(read.head().value_len(), fields.stored_value.len());
}

#[test]
fn records_are_the_documented_bytes() {
    let transaction = Some((ProducerId::new(77), ProducerEpoch::new(3)));
    check_both_ways(PLAIN, &plain(b"k1", b"abcd", 0x0102_0304), &[]);
    check_both_ways(UPPER, &plain(b"AA", b"BBBB", 7), &[]);
    check_both_ways(EMPTY, &plain(b"", b"", 0), &[]);
    check_both_ways(TRANSACTIONAL, &NativeFields { producer: transaction, ..plain(b"k", b"v", 42) }, &[]);
    check_both_ways(HEADERS, &plain(b"k1", b"abcd", 0x0102_0304), &[("trace", "abc")]);
    let fields = NativeFields { producer: transaction, ..plain(b"k", b"v", 42) };
    check_both_ways(TRANSACTIONAL_HEADERS, &fields, &[("a", "1"), ("a", "")]);
}

#[test]
fn a_marker_is_the_documented_bytes() {
    let marker = ControlMarker {
        committed: true,
        producer_id: ProducerId::new(1),
        producer_epoch: ProducerEpoch::new(0),
    };
    let mut written = Vec::new();
    NativeFields::write_marker(marker, 0, &mut written).expect("a marker");
    assert_eq!(written, hex(COMMIT));
    let read = NativeRecord::checked(&written).expect("a sound record");
    assert!(read.head().attributes().is_control());
    assert_eq!(ControlMarker::parse(read.stored_value()), Ok(marker));
}

#[test]
fn the_old_reader_reads_what_has_no_headers() {
    for (bytes, key, value) in [(PLAIN, "k1", "abcd"), (UPPER, "AA", "BBBB"), (EMPTY, "", "")] {
        let read = old_reader::read(&hex(bytes)).expect("it knows this layout");
        assert_eq!((read.key, read.stored_value), (key.into(), value.into()));
    }
    let read = old_reader::read(&hex(TRANSACTIONAL)).expect("it knows this layout");
    assert_eq!((read.producer, read.timestamp_ms), (Some((77, 3)), 42));
    // Why headers need a reader that knows them: the old one takes them for damage.
    assert_eq!(old_reader::read(&hex(HEADERS)), Err("header checksum"));
}

#[test]
fn no_headers_mean_no_flag_however_they_are_absent() {
    let mut emptied = block(&[("a", "b")]);
    emptied.clear();
    let counted_none = HeaderBlock::parse(&[0, 0]).expect("a count of none");
    for headers in [HeaderBlock::EMPTY, block(&[]).block(), emptied.block(), counted_none] {
        let mut written = Vec::new();
        plain(b"k1", b"abcd", 0x0102_0304).write(headers, &mut written).expect("a record");
        assert_eq!(written, hex(PLAIN));
    }
}

#[test]
fn codec_and_control_bits_stand_beside_each_other() {
    let stored_value = ValueCodec::Snappy.pack(b"abcd").expect("packed");
    let fields = NativeFields {
        control: true,
        codec: ValueCodec::Snappy,
        stored_value: &stored_value,
        ..NativeFields::default()
    };
    let mut written = Vec::new();
    fields.write(HeaderBlock::EMPTY, &mut written).expect("a record");
    assert_eq!(written[8], 0x06);
    let read = NativeRecord::checked(&written).expect("a sound record");
    assert_eq!(read.fields(), fields);
    assert_eq!(&*read.value(4).expect("four bytes"), b"abcd");
}

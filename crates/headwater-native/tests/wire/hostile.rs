//! Bytes that no honest peer sends: refused, each with its reason, and nothing reserved for what is not there.

use bytes::{BufMut, Bytes, BytesMut};
use headwater_native::{
    CorrelationId, DeadLetter, DecodeError, EncodeError, ErrorCode, Frame, Headers, Message, Opcode, Payload,
    Reply, Request,
    messages::{
        Auth, Commit, Failure, Fetch, ListOffsets, Nack, Produce, ProduceBatch, RecordBatch, RecordLayout,
        RecordToProduce,
    },
};
use headwater_records::native::{HeaderFault, ValueCodec};

fn string(out: &mut BytesMut, text: &[u8]) {
    out.put_u32(text.len() as u32);
    out.put_slice(text);
}

/// A PRODUCE_BATCH to `t` up to and including its count.
fn batch_head(flags: u8, count: u32) -> BytesMut {
    let mut payload = BytesMut::from(&[flags, 0][..]);
    string(&mut payload, b"t");
    payload.put_u32(count);
    payload
}

#[test]
fn a_batch_has_at_least_one_record_and_at_most_ten_thousand() {
    let refused = |count| Err(DecodeError::Count { field: "records", count });
    assert_eq!(ProduceBatch::decode(batch_head(0, 0).freeze()), refused(0));
    let with_bytes_for = |count: u32| {
        let mut payload = batch_head(0, count);
        payload.put_bytes(0, 8 * count as usize);
        ProduceBatch::decode(payload.freeze())
    };
    assert_eq!(with_bytes_for(10_000).map(|batch| batch.records.len()), Ok(10_000));
    assert_eq!(with_bytes_for(10_001), refused(10_001));
    let none = ProduceBatch { codec: ValueCodec::None, topic: "t".into(), producer: None, records: vec![] };
    assert_eq!(none.encode(&mut BytesMut::new()), Err(EncodeError::Count { field: "records", count: 0 }));
}

#[test]
fn a_count_that_the_bytes_cannot_hold_is_refused() {
    let mut payload = batch_head(0, 3);
    payload.put_bytes(0, 23);
    let refused = DecodeError::Count { field: "records", count: 3 };
    assert_eq!(ProduceBatch::decode(payload.freeze()), Err(refused));

    let mut payload = batch_head(0x02, 2);
    payload.put_bytes(0, 23);
    let refused = DecodeError::Count { field: "records", count: 2 };
    assert_eq!(ProduceBatch::decode(payload.freeze()), Err(refused));

    let lying = Bytes::from_static(&[0, 0, 0x27, 0x10, 1, 2, 3]);
    let refused = DecodeError::Count { field: "records", count: 10_000 };
    assert_eq!(RecordBatch::decode(lying, RecordLayout::Plain), Err(refused));
}

#[test]
fn strings_over_their_bound_are_refused_before_their_bytes_are_looked_for() {
    let refused = |field, max| DecodeError::TooLong { field, length: max + 1, max };
    let announce = |max: u32| {
        let mut payload = BytesMut::new();
        payload.put_u32(max + 1);
        payload.freeze()
    };
    assert_eq!(Fetch::decode(announce(249)), Err(refused("topic", 249)));
    assert_eq!(Auth::decode(announce(256)), Err(refused("user", 256)));
    let mut produce = BytesMut::from(&[0][..]);
    string(&mut produce, b"t");
    produce.put_u32(65_537);
    assert_eq!(Produce::decode(produce.freeze()), Err(refused("key", 65_536)));
    let mut nack = BytesMut::new();
    string(&mut nack, b"t");
    nack.put_bytes(0, 12);
    nack.put_u32(1025);
    assert_eq!(Nack::decode(nack.freeze()), Err(refused("reason", 1024)));
}

#[test]
fn what_a_peer_would_refuse_is_not_sent() {
    let too_long = Produce {
        codec: ValueCodec::None,
        topic: "t".into(),
        key: Bytes::new(),
        value: vec![0; 65_537].into(),
        headers: Headers::default(),
    };
    assert_eq!(
        too_long.encode(&mut BytesMut::new()),
        Err(EncodeError::TooLong { field: "value", length: 65_537, max: 65_536 })
    );
    let records = vec![RecordToProduce::default(); 10_001];
    let too_many = ProduceBatch { codec: ValueCodec::None, topic: "t".into(), producer: None, records };
    let refused = EncodeError::Count { field: "records", count: 10_001 };
    assert_eq!(too_many.encode(&mut BytesMut::new()), Err(refused));
}

#[test]
fn numbers_of_more_than_63_bits_are_refused() {
    let mut payload = BytesMut::new();
    string(&mut payload, b"t");
    payload.put_u32(1);
    payload.put_u64(1 << 63);
    let refused = DecodeError::OutOfRange { field: "offset", value: 1 << 63 };
    assert_eq!(Commit::decode(payload.freeze()), Err(refused));
}

#[test]
fn codecs_and_modes_that_do_not_exist_are_refused() {
    let refused = DecodeError::Unknown { field: "codec", value: 4 };
    assert_eq!(Produce::decode(Bytes::from_static(&[4])), Err(refused));
    let mut payload = BytesMut::new();
    string(&mut payload, b"t");
    payload.put_u8(2);
    let refused = DecodeError::Unknown { field: "mode", value: 2 };
    assert_eq!(ListOffsets::decode(payload.clone().freeze()), Err(refused));
    payload[5] = 1;
    payload.put_bytes(0, 7);
    assert_eq!(ListOffsets::decode(payload.freeze()), Err(DecodeError::Truncated { field: "timestamp" }));
}

#[test]
fn text_that_is_not_utf8_is_refused_but_a_failure_keeps_its_code() {
    let mut payload = BytesMut::new();
    string(&mut payload, &[0xff]);
    payload.put_bytes(0, 8);
    assert_eq!(Fetch::decode(payload.freeze()), Err(DecodeError::NotUtf8 { field: "topic" }));

    let mut payload = BytesMut::from(&[0, 5][..]);
    string(&mut payload, b"no \xff");
    let failure = Failure::decode(payload.freeze()).unwrap();
    assert_eq!((failure.code, failure.message.as_str()), (ErrorCode::TOPIC_MISSING, "no \u{fffd}"));
}

#[test]
fn a_header_block_must_be_filled_exactly() {
    let fault = |bytes: &'static [u8]| Headers::decode(Bytes::from_static(bytes)).unwrap_err();
    assert_eq!(fault(&[0]), HeaderFault::Truncated);
    assert_eq!(fault(&[0, 1]), HeaderFault::Truncated);
    assert_eq!(fault(&[0, 1, 0, 1, b'a', 0, 0, 0]), HeaderFault::Truncated);
    assert_eq!(fault(&[0, 1, 0, 1, b'a', 0xff, 0xff, 0xff, 0xff]), HeaderFault::Truncated);
    assert_eq!(fault(&[0, 1, 0, 1, b'a', 0, 0, 0, 0, 9]), HeaderFault::BytesLeft(1));
    assert_eq!(fault(&[0, 0, 9]), HeaderFault::BytesLeft(1));
    assert!(Headers::decode(Bytes::from_static(&[0, 0])).unwrap().is_empty());
}

#[test]
fn a_trailing_block_cut_short_is_not_dropped_in_silence() {
    let mut payload = BytesMut::from(&[0][..]);
    for text in [&b"t"[..], b"k", b"v"] {
        string(&mut payload, text);
    }
    let plain = payload.clone();
    assert!(Produce::decode(plain.freeze()).unwrap().headers.is_empty());
    payload.put_slice(&[0, 0]);
    assert_eq!(Produce::decode(payload.clone().freeze()), Err(DecodeError::Truncated { field: "headers" }));
    payload.put_slice(&[0, 9, 1]);
    assert_eq!(Produce::decode(payload.freeze()), Err(DecodeError::Truncated { field: "headers" }));
}

#[test]
fn an_envelope_of_another_version_or_cut_short_is_refused() {
    let letter = DeadLetter {
        topic: "t".into(),
        partition: headwater_native::PartitionId::new(1),
        offset: headwater_codec::Offset::ZERO,
        timestamp: 0,
        group: "g".into(),
        attempts: 1,
        reason: "r".into(),
        value: Bytes::from_static(b"a\0b"),
    };
    let mut whole = BytesMut::new();
    letter.encode(&mut whole).unwrap();
    assert_eq!(DeadLetter::decode(whole.clone().freeze()), Ok(letter));
    for end in 0..whole.len() {
        let cut = DeadLetter::decode(whole.clone().freeze().slice(..end)).unwrap_err();
        assert!(matches!(cut, DecodeError::Truncated { .. }), "{end}: {cut}");
    }
    whole[0] = 99;
    let refused = DecodeError::Unknown { field: "version", value: 99 };
    assert_eq!(DeadLetter::decode(whole.freeze()), Err(refused));
}

#[test]
fn opcodes_of_the_other_side_are_unknown() {
    let frame = |code| Frame { opcode: code, correlation_id: CorrelationId::ZERO, payload: Bytes::new() };
    for &opcode in Opcode::ALL {
        let code = opcode.code();
        let both = matches!(opcode, Opcode::HeartbeatRequest | Opcode::HeartbeatResponse);
        let unknown = DecodeError::UnknownOpcode { code };
        assert_eq!(Request::decode(frame(code)) == Err(unknown), opcode.is_reply(), "{}", opcode.name());
        let reply = Reply::decode(frame(code), RecordLayout::Plain);
        assert_eq!(reply == Err(unknown), !opcode.is_reply() && !both, "{}", opcode.name());
    }
    let retired = Request::decode(frame(0x09)).unwrap_err();
    assert_eq!(retired.code(), ErrorCode::UNKNOWN_OP);
}

#[test]
fn a_reason_that_is_too_long_is_cut_at_a_character() {
    let failure = Failure::new(ErrorCode::INTERNAL, "é".repeat(40_000));
    assert_eq!(failure.message.len(), 65_536);
    let failure = Failure::new(ErrorCode::INTERNAL, format!("x{}", "é".repeat(40_000)));
    assert_eq!(failure.message.len(), 65_535);
    assert_eq!(failure.encode(&mut BytesMut::new()), Ok(()));
}

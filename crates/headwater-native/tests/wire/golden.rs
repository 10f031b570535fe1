//! Frames and one envelope byte by byte, written down from the original protocol's documented layout, not by this code.

use bytes::{Bytes, BytesMut};
use headwater_codec::{Offset, ProducerId};
use headwater_native::{
    CorrelationId, DeadLetter, Frame, Headers, PartitionId, Payload, Reply, Request, limits,
    messages::{
        BatchProducer, Fetch, FetchFlags, Hello, Isolation, NackAck, Produce, ProduceBatch, Record,
        RecordBatch, RecordLayout, RecordToProduce, Subscribe,
    },
};
use headwater_records::native::ValueCodec;

/// Bytes of hexadecimal text; blanks are skipped and `00*16` stands for sixteen zero bytes.
fn bytes(text: &str) -> Bytes {
    let digits: String = text.replace("00*16", &"00".repeat(16)).split_whitespace().collect();
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap()).collect()
}

fn frame(mut stream: BytesMut) -> Frame {
    let frame = Frame::take(&mut stream, limits::CLIENT_FRAME_BYTES_MAX).unwrap().unwrap();
    assert!(stream.is_empty());
    frame
}

fn check_request(golden: &str, request: impl Into<Request>) {
    let (golden, request) = (bytes(golden), request.into());
    let mut written = BytesMut::new();
    request.encode(CorrelationId::ZERO, limits::SERVER_FRAME_BYTES_MAX, &mut written).unwrap();
    assert_eq!(written, golden, "{request:?}");
    assert_eq!(Request::decode(frame(BytesMut::from(golden))), Ok(request));
}

fn check_reply(golden: &str, layout: RecordLayout, reply: impl Into<Reply>) {
    let (golden, reply) = (bytes(golden), reply.into());
    let mut written = BytesMut::new();
    reply.encode(CorrelationId::ZERO, layout, limits::CLIENT_FRAME_BYTES_MAX, &mut written).unwrap();
    assert_eq!(written, golden, "{reply:?}");
    assert_eq!(Reply::decode(frame(BytesMut::from(golden)), layout), Ok(reply));
}

fn block(headers: &[(&str, &str)]) -> Headers {
    Headers::encode(headers.iter().copied()).unwrap()
}

fn produce(headers: Headers) -> Produce {
    Produce { codec: ValueCodec::None, topic: "orders".into(), key: "k".into(), value: "v".into(), headers }
}

fn batch(headers: Headers) -> ProduceBatch {
    ProduceBatch {
        codec: ValueCodec::Gzip,
        topic: "orders".into(),
        producer: Some(BatchProducer {
            producer_id: ProducerId::new(7),
            base_sequence: 41,
            producer_epoch: 3,
        }),
        records: vec![RecordToProduce { key: "k".into(), value: "v".into(), headers }],
    }
}

fn record(headers: Headers) -> Record {
    Record {
        topic: "orders".into(),
        partition: PartitionId::new(1),
        offset: Offset::ZERO,
        timestamp: 11,
        key: "k1".into(),
        value: "v1".into(),
        headers,
    }
}

#[test]
fn frames_of_the_original_protocol() {
    check_request("00000015 01 00*16 00000001", Hello { version: 1 });
    check_request(
        "00000026 03 00*16 00 00000006 6f7264657273 00000001 6b 00000001 76",
        produce(Headers::default()),
    );
    check_request(
        "00000039 17 00*16 01 01 00000006 6f7264657273 0000000000000007 00000029 0003 00000001 00000001 6b \
         00000001 76",
        batch(Headers::default()),
    );
    check_request(
        "00000026 04 00*16 00000006 6f7264657273 00000001 67 0000000a 01 01",
        Fetch {
            topic: "orders".into(),
            group: "g".into(),
            max_records: 10,
            isolation: Isolation::ReadCommitted,
            flags: FetchFlags::BATCHED,
        },
    );
    check_reply(
        "0000003f 8c 00*16 00000001 00000006 6f7264657273 00000001 0000000000000000 000000000000000b 00000002 \
         6b31 00000002 7631",
        RecordLayout::Plain,
        RecordBatch { records: vec![record(Headers::default())] },
    );
    check_reply(
        "00000022 8a 00*16 01 0003 0000000a 6f72646572732e646c71",
        RecordLayout::Plain,
        NackAck { dead_lettered: true, attempts: 3, dlq_topic: "orders.dlq".into() },
    );
}

/// The additions for headers, derived by hand from the frames above.
#[test]
fn frames_with_headers() {
    check_request(
        "00000038 03 00*16 00 00000006 6f7264657273 00000001 6b 00000001 76 \
         0000000e 0001 0005 7472616365 00000001 78",
        produce(block(&[("trace", "x")])),
    );
    check_request(
        "0000004b 17 00*16 03 01 00000006 6f7264657273 0000000000000007 00000029 0003 00000001 00000001 6b \
         00000001 76 0000000e 0001 0005 7472616365 00000001 78",
        batch(block(&[("trace", "x")])),
    );
    check_request(
        "00000022 05 00*16 00000006 6f7264657273 00000001 67 00 02",
        Subscribe {
            topic: "orders".into(),
            group: "g".into(),
            isolation: Isolation::ReadUncommitted,
            flags: FetchFlags::HEADERS,
        },
    );
    check_reply(
        "00000050 83 00*16 00000006 6f7264657273 00000001 0000000000000000 000000000000000b 00000002 \
         6b31 00000002 7631 00000011 0002 0001 61 00000001 31 0001 61 00000000",
        RecordLayout::Headers,
        record(block(&[("a", "1"), ("a", "")])),
    );
    check_reply(
        "00000043 8c 00*16 00000001 00000006 6f7264657273 00000001 0000000000000000 000000000000000b 00000002 \
         6b31 00000002 7631 00000000",
        RecordLayout::Headers,
        RecordBatch { records: vec![record(Headers::default())] },
    );
}

#[test]
fn the_header_block_of_the_native_record() {
    let golden = bytes("0001 0005 7472616365 00000003 616263");
    assert_eq!(block(&[("trace", "abc")]).as_bytes(), &golden);
    let golden = bytes("0002 0001 61 00000001 31 0001 61 00000000");
    assert_eq!(block(&[("a", "1"), ("a", "")]).as_bytes(), &golden);
}

#[test]
fn the_envelope_of_a_dead_letter() {
    let golden = bytes(
        "01 00000006 6f7264657273 00000003 00000000000004d2 000000003ade68b1 00000002 6731 0005 \
         00000004 626f6f6d 00000002 7631",
    );
    let letter = DeadLetter {
        topic: "orders".into(),
        partition: PartitionId::new(3),
        offset: Offset::new(1234).unwrap(),
        timestamp: 987_654_321,
        group: "g1".into(),
        attempts: 5,
        reason: "boom".into(),
        value: "v1".into(),
    };
    let mut written = BytesMut::new();
    letter.encode(&mut written).unwrap();
    assert_eq!(written, golden);
    assert_eq!(letter.overhead() + letter.value.len(), golden.len());
    assert_eq!(DeadLetter::decode(golden), Ok(letter));
}

#[test]
fn what_a_record_will_take_is_known_before() {
    for layout in [RecordLayout::Plain, RecordLayout::Headers] {
        for headers in [Headers::default(), block(&[("trace", "x"), ("trace", "")])] {
            let (record, mut written) = (record(headers), BytesMut::new());
            record.laid_out(layout).encode(&mut written).unwrap();
            assert_eq!(record.encoded_len(layout), written.len());
        }
    }
}

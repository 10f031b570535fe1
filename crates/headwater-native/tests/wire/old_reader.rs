//! A reader written from the original layout alone: it knows no headers, and ignores what it does not expect.

use bytes::{Bytes, BytesMut};
use headwater_codec::{Offset, ProducerId};
use headwater_native::{
    Headers, PartitionId, Payload,
    messages::{Produce, ProduceIdempotent, Record, RecordBatch, RecordLayout},
};
use headwater_records::native::ValueCodec;

/// Topic, partition, offset, timestamp, key, value.
type OldRecord = (Vec<u8>, u32, u64, u64, Vec<u8>, Vec<u8>);

struct Old<'a>(&'a [u8]);

impl Old<'_> {
    fn number(&mut self, size: usize) -> u64 {
        let (digits, rest) = self.0.split_at(size);
        self.0 = rest;
        digits.iter().fold(0, |number, digit| number << 8 | u64::from(*digit))
    }

    fn string(&mut self) -> Vec<u8> {
        let length = self.number(4) as usize;
        let (text, rest) = self.0.split_at(length);
        self.0 = rest;
        text.to_vec()
    }

    fn record(&mut self) -> OldRecord {
        let topic = self.string();
        let (partition, offset, timestamp) = (self.number(4) as u32, self.number(8), self.number(8));
        (topic, partition, offset, timestamp, self.string(), self.string())
    }
}

fn headers() -> Headers {
    Headers::encode([("retry", "1"), ("retry", "2"), ("empty", "")]).unwrap()
}

fn records() -> Vec<Record> {
    let record = |offset, key: &'static str, value: &'static str, headers| Record {
        topic: "orders".into(),
        partition: PartitionId::new(2),
        offset: Offset::new(offset).unwrap(),
        timestamp: 1_700_000_000_000,
        key: key.into(),
        value: value.into(),
        headers,
    };
    vec![
        record(8, "k1", "v1", headers()),
        record(9, "", "", Headers::default()),
        record(10, "k", "", headers()),
    ]
}

fn expected(record: &Record) -> OldRecord {
    let topic = record.topic.as_str().as_bytes().to_vec();
    let (offset, timestamp) = (record.offset.get() as u64, record.timestamp as u64);
    (topic, record.partition.get(), offset, timestamp, record.key.to_vec(), record.value.to_vec())
}

fn payload(message: &impl Payload) -> BytesMut {
    let mut out = BytesMut::new();
    message.encode(&mut out).unwrap();
    out
}

#[test]
fn who_does_not_ask_for_headers_gets_the_original_layout() {
    let batch = RecordBatch { records: records() };
    let sent = payload(&batch.laid_out(RecordLayout::Plain));
    let mut old = Old(&sent);
    assert_eq!(old.number(4), 3);
    for record in &batch.records {
        assert_eq!(old.record(), expected(record));
    }
    assert_eq!(old.0, b"", "not a byte more");

    for record in records() {
        let with = payload(&record.laid_out(RecordLayout::Plain));
        let without = Record { headers: Headers::default(), ..record };
        assert_eq!(with, payload(&without.laid_out(RecordLayout::Plain)), "byte for byte");
        let mut old = Old(&with);
        assert_eq!(old.record(), expected(&without));
        assert_eq!(old.0, b"");
    }
}

#[test]
fn a_pushed_record_with_headers_is_still_read() {
    for record in records() {
        let sent = payload(&record.laid_out(RecordLayout::Headers));
        assert_eq!(Old(&sent).record(), expected(&record));
    }
}

#[test]
fn an_old_server_reads_what_a_new_client_produces() {
    let produce = Produce {
        codec: ValueCodec::Snappy,
        topic: "orders".into(),
        key: "k".into(),
        value: "v".into(),
        headers: headers(),
    };
    let sent = payload(&produce);
    let mut old = Old(&sent);
    assert_eq!(
        (old.number(1), old.string(), old.string(), old.string()),
        (2, b"orders".into(), b"k".into(), b"v".into())
    );
    let without = payload(&Produce { headers: Headers::default(), ..produce });
    assert_eq!(sent[..without.len()], without[..]);

    let idempotent = ProduceIdempotent {
        producer_id: ProducerId::new(7),
        sequence: 41,
        producer_epoch: 3,
        codec: ValueCodec::None,
        topic: "orders".into(),
        key: Bytes::new(),
        value: "v".into(),
        headers: headers(),
    };
    let sent = payload(&idempotent);
    let mut old = Old(&sent);
    assert_eq!((old.number(8), old.number(4), old.number(2), old.number(1)), (7, 41, 3, 0));
    assert_eq!((old.string(), old.string(), old.string()), (b"orders".into(), b"".into(), b"v".into()));
}

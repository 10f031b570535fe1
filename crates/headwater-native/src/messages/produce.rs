//! Appending records, singly and in batches, and the producer ids that make it happen once.

use bytes::Bytes;
use headwater_codec::{Offset, ProducerId, Str, TopicName};
use headwater_records::native::{HeaderFault, ValueCodec};

use crate::{
    DecodeError, EncodeError, ErrorCode, Headers, PartitionId, limits,
    reader::Reader,
    wire::{Wire, message, part, payload},
    writer::Writer,
};

message! {
    /// PRODUCE: appends one record. The server stamps the time and chooses the partition by the key.
    ///
    /// The original protocol's codecs end with Snappy. On the wire values are never compressed.
    Produce, Produce {
        /// How the server is to store the value.
        codec: ValueCodec => codec,
        /// Where to.
        topic: TopicName => topic,
        /// The key; empty for none.
        key: Bytes => data(limits::STRING_BYTES_MAX),
        /// The value, not compressed.
        value: Bytes => data(limits::STRING_BYTES_MAX),
        /// The headers. Written only when there are some, so that the frame is the original one without.
        headers: Headers => trailing_headers,
    }
}

part! {
    /// PRODUCE_ACK: where the record is.
    ProduceAck, 12 {
        /// Its partition.
        partition: PartitionId => partition,
        /// Its offset.
        offset: Offset => offset,
    }
}

payload! { ProduceAck, ProduceAck }

message! {
    /// PRODUCE_IDEMPOTENT: like [`Produce`], and once however often it is sent.
    ProduceIdempotent, ProduceIdempotent {
        /// The connection's producer id.
        producer_id: ProducerId => producer_id,
        /// The record's number among those of this producer and topic, from 0.
        sequence: u32 => u32,
        /// The producer's epoch.
        producer_epoch: u16 => u16,
        /// How the server is to store the value.
        codec: ValueCodec => codec,
        /// Where to.
        topic: TopicName => topic,
        /// The key; empty for none.
        key: Bytes => data(limits::STRING_BYTES_MAX),
        /// The value, not compressed.
        value: Bytes => data(limits::STRING_BYTES_MAX),
        /// The headers, as in [`Produce`].
        headers: Headers => trailing_headers,
    }
}

/// INIT_PRODUCER_ID: asks for a producer id.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct InitProducerId {
    /// The name under which the producer id is kept; without one it ends with the connection.
    pub producer_name: Option<Str>,
}

impl Wire for InitProducerId {
    const SIZE_MIN: usize = 0;

    fn read(r: &mut Reader) -> Result<Self, DecodeError> {
        if r.is_empty() {
            return Ok(Self::default());
        }
        let name = r.text("producer_name", limits::PRODUCER_NAME_BYTES_MAX)?;
        Ok(Self { producer_name: (!name.is_empty()).then_some(name) })
    }

    fn write(&self, w: &mut Writer<'_>) -> Result<(), EncodeError> {
        let Some(name) = self.producer_name.as_ref().filter(|name| !name.is_empty()) else { return Ok(()) };
        w.text("producer_name", limits::PRODUCER_NAME_BYTES_MAX, name)
    }
}

payload! { InitProducerId, InitProducerId }

message! {
    /// PRODUCER_ID: the producer id and its epoch, which fences earlier connections of the same name.
    ProducerIdentity, ProducerId {
        /// The producer id.
        producer_id: ProducerId => producer_id,
        /// Its epoch.
        producer_epoch: u16 => u16,
    }
}

part! {
    /// The producer of an idempotent [`ProduceBatch`].
    BatchProducer, 14 {
        /// The connection's producer id.
        producer_id: ProducerId => producer_id,
        /// The first record's number among those of this producer and topic.
        base_sequence: u32 => u32,
        /// The producer's epoch.
        producer_epoch: u16 => u16,
    }
}

/// One record of a [`ProduceBatch`].
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct RecordToProduce {
    /// The key; empty for none.
    pub key: Bytes,
    /// The value, not compressed.
    pub value: Bytes,
    /// The headers.
    pub headers: Headers,
}

impl RecordToProduce {
    /// A record without headers. An empty key is none.
    pub fn new(key: impl Into<Bytes>, value: impl Into<Bytes>) -> Self {
        Self { key: key.into(), value: value.into(), headers: Headers::default() }
    }

    /// The record with these headers, in this order, instead of its own.
    ///
    /// # Errors
    /// Those of [`Headers::encode`].
    pub fn with_headers<N: AsRef<[u8]>, V: AsRef<[u8]>>(
        mut self,
        headers: impl IntoIterator<Item = (N, V)>,
    ) -> Result<Self, HeaderFault> {
        self.headers = Headers::encode(headers)?;
        Ok(self)
    }
}

/// PRODUCE_BATCH: appends records in order. Not atomic: [`ProduceBatchAck`] says how many were appended.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ProduceBatch {
    /// How the server is to store the values.
    pub codec: ValueCodec,
    /// Where to.
    pub topic: TopicName,
    /// The producer, when the batch is to be appended once however often it is sent.
    pub producer: Option<BatchProducer>,
    /// The records, at least one and at most [`BATCH_RECORDS_MAX`](limits::BATCH_RECORDS_MAX).
    pub records: Vec<RecordToProduce>,
}

impl ProduceBatch {
    /// Whether any record has headers: only then is the flag set that puts a block after each record.
    fn has_headers(&self) -> bool {
        self.records.iter().any(|record| !record.headers.is_empty())
    }
}

impl Wire for ProduceBatch {
    const SIZE_MIN: usize = 0;

    fn read(r: &mut Reader) -> Result<Self, DecodeError> {
        let flags = r.u8("flags")?;
        let codec = r.codec("codec")?;
        let topic = r.topic("topic")?;
        let producer = (flags & FLAG_IDEMPOTENT != 0).then(|| BatchProducer::read(r)).transpose()?;
        let with_headers = flags & FLAG_HEADERS != 0;
        let size_min = if with_headers { 12 } else { 8 };
        let count = r.count("records", limits::BATCH_RECORDS_MAX, size_min)?;
        if count == 0 {
            return Err(DecodeError::Count { field: "records", count });
        }
        let mut records = Vec::with_capacity(count);
        for _ in 0..count {
            let key = r.data("key", limits::STRING_BYTES_MAX)?;
            let value = r.data("value", limits::STRING_BYTES_MAX)?;
            let headers = if with_headers { r.headers("headers")? } else { Headers::default() };
            records.push(RecordToProduce { key, value, headers });
        }
        Ok(Self { codec, topic, producer, records })
    }

    fn write(&self, w: &mut Writer<'_>) -> Result<(), EncodeError> {
        let with_headers = self.has_headers();
        let idempotent = if self.producer.is_some() { FLAG_IDEMPOTENT } else { 0 };
        w.u8("flags", &(idempotent | if with_headers { FLAG_HEADERS } else { 0 }))?;
        w.codec("codec", &self.codec)?;
        w.topic("topic", &self.topic)?;
        if let Some(producer) = &self.producer {
            producer.write(w)?;
        }
        if self.records.is_empty() {
            return Err(EncodeError::Count { field: "records", count: 0 });
        }
        w.count("records", limits::BATCH_RECORDS_MAX, self.records.len())?;
        for record in &self.records {
            w.data("key", limits::STRING_BYTES_MAX, &record.key)?;
            w.data("value", limits::STRING_BYTES_MAX, &record.value)?;
            if with_headers {
                w.headers("headers", &record.headers)?;
            }
        }
        Ok(())
    }
}

payload! { ProduceBatch, ProduceBatch }

message! {
    /// PRODUCE_BATCH_ACK: where the first records of the batch are, and why the others are not.
    ProduceBatchAck, ProduceBatchAck {
        /// Of each appended record, in the batch's order.
        acks: Vec<ProduceAck> => list(limits::BATCH_RECORDS_MAX),
        /// Why not all were appended; [`ErrorCode::NONE`] when they were.
        code: ErrorCode => error_code,
        /// The same in words.
        message: Str => text(limits::STRING_BYTES_MAX),
    }
}

const FLAG_IDEMPOTENT: u8 = 0x01;
const FLAG_HEADERS: u8 = 0x02;

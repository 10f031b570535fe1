//! Delivered records.

use bytes::{Bytes, BytesMut};
use headwater_codec::{Offset, TopicName};

use crate::{
    DecodeError, EncodeError, Headers, Opcode, PartitionId, Payload, limits, reader::Reader, writer::Writer,
};

/// What follows a record's value. The frame does not tell: it is what FETCH or SUBSCRIBE asked for.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum RecordLayout {
    /// Nothing; the original layout.
    #[default]
    Plain,
    /// `u32 length | header block`, length 0 for a record without headers.
    Headers,
}

/// RECORD: one record, and the fields of each record in RECORD_BATCH.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Record {
    /// Its topic.
    pub topic: TopicName,
    /// Its partition.
    pub partition: PartitionId,
    /// Its offset.
    pub offset: Offset,
    /// When it was appended, milliseconds since the epoch.
    pub timestamp: i64,
    /// The key; empty for none.
    pub key: Bytes,
    /// The value, not compressed.
    pub value: Bytes,
    /// The headers. Without [`RecordLayout::Headers`] they are neither written nor read.
    pub headers: Headers,
}

impl Record {
    /// Bytes that the record takes in a RECORD_BATCH, by which a reply's size can be foreseen.
    pub fn encoded_len(&self, layout: RecordLayout) -> usize {
        let headers = match layout {
            RecordLayout::Plain => 0,
            RecordLayout::Headers => 4 + self.headers.as_bytes().len(),
        };
        PLAIN_SIZE_MIN + self.topic.as_str().len() + self.key.len() + self.value.len() + headers
    }

    /// Reads the payload of RECORD. A block that is missing, although asked for, is none.
    ///
    /// # Errors
    /// [`DecodeError`] when it is none.
    pub fn decode(payload: Bytes, layout: RecordLayout) -> Result<Self, DecodeError> {
        let r = &mut Reader::new(payload);
        let mut record = Self::read(r)?;
        if layout == RecordLayout::Headers {
            record.headers = r.trailing_headers("headers")?;
        }
        Ok(record)
    }

    /// The record in a layout, to be sent.
    pub const fn laid_out(&self, layout: RecordLayout) -> LaidOut<'_, Self> {
        LaidOut { what: self, layout }
    }

    fn read(r: &mut Reader) -> Result<Self, DecodeError> {
        Ok(Self {
            topic: r.topic("topic")?,
            partition: r.partition("partition")?,
            offset: r.offset("offset")?,
            timestamp: r.timestamp("timestamp")?,
            key: r.data("key", limits::DELIVERED_BYTES_MAX)?,
            value: r.data("value", limits::DELIVERED_BYTES_MAX)?,
            headers: Headers::default(),
        })
    }

    fn write(&self, w: &mut Writer<'_>, layout: RecordLayout) -> Result<(), EncodeError> {
        w.topic("topic", &self.topic)?;
        w.partition("partition", &self.partition)?;
        w.offset("offset", &self.offset)?;
        w.timestamp("timestamp", &self.timestamp)?;
        w.data("key", limits::DELIVERED_BYTES_MAX, &self.key)?;
        w.data("value", limits::DELIVERED_BYTES_MAX, &self.value)?;
        match layout {
            RecordLayout::Plain => Ok(()),
            RecordLayout::Headers => w.headers("headers", &self.headers),
        }
    }
}

/// RECORD_BATCH: the records of one batched FETCH. There is no frame when there are none.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct RecordBatch {
    /// The records, at most [`BATCH_RECORDS_MAX`](limits::BATCH_RECORDS_MAX), of any topics and partitions.
    pub records: Vec<Record>,
}

impl RecordBatch {
    /// Reads the payload of RECORD_BATCH.
    ///
    /// # Errors
    /// [`DecodeError`] when it is none.
    pub fn decode(payload: Bytes, layout: RecordLayout) -> Result<Self, DecodeError> {
        let r = &mut Reader::new(payload);
        let size_min = if layout == RecordLayout::Headers { PLAIN_SIZE_MIN + 4 } else { PLAIN_SIZE_MIN };
        let count = r.count("records", limits::BATCH_RECORDS_MAX, size_min)?;
        let mut records = Vec::with_capacity(count);
        for _ in 0..count {
            let mut record = Record::read(r)?;
            if layout == RecordLayout::Headers {
                record.headers = r.headers("headers")?;
            }
            records.push(record);
        }
        Ok(Self { records })
    }

    /// The records in a layout, to be sent.
    pub const fn laid_out(&self, layout: RecordLayout) -> LaidOut<'_, Self> {
        LaidOut { what: self, layout }
    }
}

/// A [`Record`] or a [`RecordBatch`] in a [`RecordLayout`].
#[derive(Clone, Copy, Debug)]
pub struct LaidOut<'a, T> {
    what: &'a T,
    layout: RecordLayout,
}

impl Payload for LaidOut<'_, Record> {
    const OPCODE: Opcode = Opcode::Record;

    fn encode(&self, out: &mut BytesMut) -> Result<(), EncodeError> {
        self.what.write(&mut Writer(out), self.layout)
    }
}

impl Payload for LaidOut<'_, RecordBatch> {
    const OPCODE: Opcode = Opcode::RecordBatch;

    fn encode(&self, out: &mut BytesMut) -> Result<(), EncodeError> {
        let w = &mut Writer(out);
        w.count("records", limits::BATCH_RECORDS_MAX, self.what.records.len())?;
        self.what.records.iter().try_for_each(|record| record.write(w, self.layout))
    }
}

/// A record without topic name, key and value, in the original layout.
const PLAIN_SIZE_MIN: usize = 4 + 4 + 8 + 8 + 4 + 4;

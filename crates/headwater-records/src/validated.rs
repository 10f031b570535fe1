//! A batch that may be appended.

use std::borrow::Cow;

use bytes::{Bytes, BytesMut};
use headwater_codec::{LeaderEpoch, Offset, ProducerEpoch, ProducerId};

use crate::{BatchHeader, Compression, RecordError, Records, TimestampType};

/// A batch that keeps every rule, ready to be appended once it has its offset.
///
/// It comes from [`crate::validate()`] or from a [`crate::BatchBuilder`] and from nowhere else. The records are a slice
/// of what the producer sent; the header stands apart from them, so that it can be rewritten without touching or
/// copying the records, and both go to the log in one vectored write.
#[derive(Clone, Debug)]
pub struct ValidatedBatch {
    header: BatchHeader,
    records: Bytes,
    max_timestamp_offset_delta: i32,
    unpacked_len: usize,
}

/// The producer of a batch and the sequence numbers of its records (KIP-98).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct BatchProducer {
    /// Who.
    pub id: ProducerId,
    /// Which incarnation.
    pub epoch: ProducerEpoch,
    /// The first record's sequence number; -1 in a transaction marker.
    pub base_sequence: i32,
    /// The last record's sequence number; -1 in a transaction marker.
    pub last_sequence: i32,
}

impl ValidatedBatch {
    pub(crate) const fn new(
        header: BatchHeader,
        records: Bytes,
        max_timestamp_offset_delta: i32,
        unpacked_len: usize,
    ) -> Self {
        Self { header, records, max_timestamp_offset_delta, unpacked_len }
    }

    /// The header as it will stand in the log.
    pub const fn header(&self) -> &BatchHeader {
        &self.header
    }

    /// How many records the batch holds.
    pub const fn record_count(&self) -> i32 {
        self.header.record_count
    }

    /// The producer, when it is an idempotent or transactional one.
    pub const fn producer(&self) -> Option<BatchProducer> {
        if !self.header.has_producer() {
            return None;
        }
        Some(BatchProducer {
            id: self.header.producer_id,
            epoch: self.header.producer_epoch,
            base_sequence: self.header.base_sequence,
            last_sequence: self.header.last_sequence(),
        })
    }

    /// The largest timestamp in the batch, milliseconds since the epoch; -1 when it has none.
    pub const fn max_timestamp(&self) -> i64 {
        self.header.max_timestamp
    }

    /// The offset of the first record with the largest timestamp, minus the base offset.
    pub const fn max_timestamp_offset_delta(&self) -> i32 {
        self.max_timestamp_offset_delta
    }

    /// The time of append when it is the time of every record, milliseconds since the epoch.
    pub const fn log_append_time_ms(&self) -> Option<i64> {
        match self.header.attributes.timestamp_type() {
            TimestampType::CreateTime => None,
            TimestampType::LogAppendTime => Some(self.header.max_timestamp),
        }
    }

    /// Bytes of the records when they are unpacked.
    pub const fn unpacked_len(&self) -> usize {
        self.unpacked_len
    }

    /// Bytes of the whole batch in the log.
    #[expect(clippy::len_without_is_empty, reason = "a batch always has a header")]
    pub const fn len(&self) -> usize {
        self.header.total_len()
    }

    /// Gives the batch its place in the log. The checksum does not cover either.
    pub const fn assign(&mut self, base_offset: Offset, leader_epoch: LeaderEpoch) {
        self.header.base_offset = base_offset;
        self.header.leader_epoch = leader_epoch;
    }

    /// Makes `now_ms` the time of every record; the checksum is made anew.
    pub fn set_log_append_time(&mut self, now_ms: i64) {
        self.header.attributes = self.header.attributes.with_timestamp_type(TimestampType::LogAppendTime);
        self.header.max_timestamp = now_ms;
        self.max_timestamp_offset_delta = 0;
        self.header.crc = self.header.computed_crc(&self.records);
    }

    /// Opens the batch's records; compressed ones are unpacked whole, to at most `max` bytes.
    ///
    /// # Errors
    /// [`RecordError::UnknownCodec`], [`RecordError::Unpack`] and [`RecordError::UnpackedTooLarge`].
    pub fn open(&self, max: usize) -> Result<Records<'_>, RecordError> {
        Records::open(self.header, self.codec()?, &self.records, max)
    }

    /// The batch's codec.
    ///
    /// # Errors
    /// [`RecordError::UnknownCodec`].
    pub fn codec(&self) -> Result<Compression, RecordError> {
        let attributes = self.header.attributes;
        attributes.codec().ok_or(RecordError::UnknownCodec { id: attributes.codec_id() })
    }

    /// The same batch with its records compressed by `codec`, for topics whose `compression.type` is not the producer's.
    /// Its length may have grown, and `max.message.bytes` binds it still.
    ///
    /// # Errors
    /// [`RecordError::UnknownCodec`], and those of unpacking to at most `max` bytes and of packing.
    pub fn repacked(self, codec: Compression, max: usize) -> Result<Self, RecordError> {
        let present = self.codec()?;
        if present == codec {
            return Ok(self);
        }
        let unpacked = match present {
            Compression::None => Cow::Borrowed(&self.records[..]),
            present => Cow::Owned(present.unpack(&self.records, max)?),
        };
        let records = match codec {
            Compression::None => Bytes::from(unpacked.into_owned()),
            codec => Bytes::from(codec.pack(&unpacked)?),
        };
        let mut header = self.header.with_records_len(records.len())?;
        header.attributes = header.attributes.with_codec(codec);
        header.crc = header.computed_crc(&records);
        Ok(Self { header, records, ..self })
    }

    /// The header's bytes, to be written in front of [`ValidatedBatch::records`].
    pub fn header_bytes(&self) -> [u8; BatchHeader::LEN] {
        self.header.encode()
    }

    /// The records' bytes, compressed as they came.
    pub const fn records(&self) -> &Bytes {
        &self.records
    }

    /// The whole batch in one piece, copied.
    pub fn to_bytes(&self) -> Bytes {
        let mut bytes = BytesMut::with_capacity(self.len());
        bytes.extend_from_slice(&self.header_bytes());
        bytes.extend_from_slice(&self.records);
        bytes.freeze()
    }
}

#[cfg(test)]
mod tests;

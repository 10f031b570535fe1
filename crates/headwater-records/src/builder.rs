//! Builds batches: for the internal topics, the metadata log, control records, compaction, tests and clients.

use bytes::Bytes;
use headwater_codec::{LeaderEpoch, Offset, ProducerEpoch, ProducerId, varint};

use crate::{
    Attributes, BatchError, BatchHeader, Compression, NO_TIMESTAMP, RecordError, TimestampType,
    ValidatedBatch,
};

/// A header as it is given to a [`BatchBuilder`]: name and value.
pub type HeaderRef<'a> = (&'a [u8], Option<&'a [u8]>);

/// Builds one batch, record by record.
///
/// ```
/// use headwater_records::{BatchBuilder, Compression};
///
/// let mut builder = BatchBuilder::new().compression(Compression::Zstd);
/// builder.push(1_700_000_000_000, Some(b"key"), Some(b"value"), &[(b"header", None)])?;
/// let batch = builder.build()?;
/// assert_eq!(batch.record_count(), 1);
/// # Ok::<(), headwater_records::RecordError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct BatchBuilder {
    attributes: Attributes,
    codec: Compression,
    base_offset: Offset,
    leader_epoch: Option<LeaderEpoch>,
    producer: Option<(ProducerId, ProducerEpoch, i32)>,
    base_timestamp: Option<i64>,
    max_timestamp: Option<(i64, i32)>,
    last_offset_delta: Option<i32>,
    count: i32,
    records: Vec<u8>,
}

impl BatchBuilder {
    /// An empty batch at offset 0, not compressed, of no producer.
    pub fn new() -> Self {
        Self::default()
    }

    /// Compresses the records.
    #[must_use]
    pub const fn compression(mut self, codec: Compression) -> Self {
        self.codec = codec;
        self
    }

    /// Says where the records' time comes from. With LogAppendTime the largest timestamp becomes that of all.
    #[must_use]
    pub const fn timestamp_type(mut self, timestamp_type: TimestampType) -> Self {
        self.attributes = self.attributes.with_timestamp_type(timestamp_type);
        self
    }

    /// Says who produces the records, and the first one's sequence number (-1 in control batches).
    #[must_use]
    pub const fn producer(mut self, id: ProducerId, epoch: ProducerEpoch, base_sequence: i32) -> Self {
        self.producer = Some((id, epoch, base_sequence));
        self
    }

    /// Says whether the batch belongs to a transaction.
    #[must_use]
    pub const fn transactional(mut self, transactional: bool) -> Self {
        self.attributes = self.attributes.with_transactional(transactional);
        self
    }

    /// Says whether the record is a control record, such as a transaction marker or a leader change.
    #[must_use]
    pub const fn control(mut self, control: bool) -> Self {
        self.attributes = self.attributes.with_control(control);
        self
    }

    /// Puts the batch at an offset.
    #[must_use]
    pub const fn base_offset(mut self, base_offset: Offset) -> Self {
        self.base_offset = base_offset;
        self
    }

    /// Says which leader epoch appends the batch.
    #[must_use]
    pub const fn leader_epoch(mut self, leader_epoch: LeaderEpoch) -> Self {
        self.leader_epoch = Some(leader_epoch);
        self
    }

    /// How many records there are.
    pub const fn record_count(&self) -> i32 {
        self.count
    }

    /// Bytes of the records so far, not compressed.
    pub const fn records_len(&self) -> usize {
        self.records.len()
    }

    /// Adds a record after the others.
    ///
    /// # Errors
    /// [`BatchError::TooLong`] when the batch would not fit the format. The batch is as it was then.
    pub fn push(
        &mut self,
        timestamp: i64,
        key: Option<&[u8]>,
        value: Option<&[u8]>,
        headers: &[HeaderRef<'_>],
    ) -> Result<(), RecordError> {
        let delta = self.last_offset_delta.map_or(0, |last| last.saturating_add(1));
        self.push_at(delta, timestamp, key, value, headers.iter().copied())
    }

    /// Adds a record at `offset_delta` after the base offset, as compaction does when it leaves gaps. Deltas ascend.
    ///
    /// # Errors
    /// As [`BatchBuilder::push`], and [`BatchError::BadOffsets`] when the delta does not ascend.
    pub fn push_at<'h>(
        &mut self,
        offset_delta: i32,
        timestamp: i64,
        key: Option<&[u8]>,
        value: Option<&[u8]>,
        headers: impl ExactSizeIterator<Item = HeaderRef<'h>> + Clone,
    ) -> Result<(), RecordError> {
        let base_offset = self.base_offset.get();
        if offset_delta < 0 || self.last_offset_delta.is_some_and(|last| last >= offset_delta) {
            return Err(BatchError::BadOffsets { base_offset, last_offset_delta: offset_delta }.into());
        }
        let base_timestamp = *self.base_timestamp.get_or_insert(timestamp);
        let timestamp_delta = timestamp.wrapping_sub(base_timestamp);
        let body_len = 1
            + varint::len_i64(timestamp_delta)
            + varint::len_i32(offset_delta)
            + field_len(key)
            + field_len(value)
            + varint::len_i64(headers.len() as i64)
            + headers.clone().map(|(name, value)| field_len(Some(name)) + field_len(value)).sum::<usize>();
        let bytes = self.records.len() + body_len + varint::len_i64(body_len as i64);
        if bytes > RECORDS_LEN_MAX || self.count == i32::MAX {
            return Err(BatchError::TooLong { bytes }.into());
        }
        // Everything fits 31 bits from here on.
        varint::write_i32(&mut self.records, body_len as i32);
        self.records.push(0);
        varint::write_i64(&mut self.records, timestamp_delta);
        varint::write_i32(&mut self.records, offset_delta);
        write_field(&mut self.records, key);
        write_field(&mut self.records, value);
        varint::write_i32(&mut self.records, headers.len() as i32);
        for (name, value) in headers {
            write_field(&mut self.records, Some(name));
            write_field(&mut self.records, value);
        }
        if self.max_timestamp.is_none_or(|(max, _)| timestamp > max) {
            self.max_timestamp = Some((timestamp, offset_delta));
        }
        self.last_offset_delta = Some(offset_delta);
        self.count += 1;
        Ok(())
    }

    /// Makes the batch span offsets up to `last_offset_delta`, whether or not there is a record: compaction keeps the
    /// span. A smaller delta than the last record's changes nothing.
    pub fn span(&mut self, last_offset_delta: i32) {
        self.last_offset_delta = self.last_offset_delta.max(Some(last_offset_delta.max(0)));
    }

    /// Compresses and seals the batch.
    ///
    /// # Errors
    /// [`RecordError::Count`] when there is neither a record nor a span, [`BatchError::TooLong`], and
    /// [`RecordError::Pack`] when the codec fails.
    pub fn build(self) -> Result<ValidatedBatch, RecordError> {
        let Some(last_offset_delta) = self.last_offset_delta else {
            return Err(RecordError::Count { count: 0, last_offset_delta: -1 });
        };
        let unpacked_len = self.records.len();
        let records = match self.codec {
            Compression::None => self.records,
            codec => codec.pack(&self.records)?,
        };
        let mut header = BatchHeader::new(records.len())?;
        header.base_offset = self.base_offset;
        header.leader_epoch = self.leader_epoch.unwrap_or(LeaderEpoch::NONE);
        header.attributes = self.attributes.with_codec(self.codec);
        header.last_offset_delta = last_offset_delta;
        header.base_timestamp = self.base_timestamp.unwrap_or(NO_TIMESTAMP);
        let (max_timestamp, max_timestamp_offset_delta) = self.max_timestamp.unwrap_or((NO_TIMESTAMP, 0));
        header.max_timestamp = max_timestamp;
        if let Some((id, epoch, base_sequence)) = self.producer {
            header.producer_id = id;
            header.producer_epoch = epoch;
            header.base_sequence = base_sequence;
        }
        header.record_count = self.count;
        header.crc = header.computed_crc(&records);
        Ok(ValidatedBatch::new(header, Bytes::from(records), max_timestamp_offset_delta, unpacked_len))
    }
}

fn field_len(field: Option<&[u8]>) -> usize {
    field.map_or(1, |field| varint::len_i64(field.len() as i64) + field.len())
}

fn write_field(records: &mut Vec<u8>, field: Option<&[u8]>) {
    match field {
        None => varint::write_i32(records, -1),
        Some(field) => {
            varint::write_i32(records, field.len() as i32);
            records.extend_from_slice(field);
        }
    }
}

/// What is left of a batch's 31-bit length after the part of the header that it counts.
const RECORDS_LEN_MAX: usize = i32::MAX as usize - BatchHeader::LEN;

#[cfg(test)]
mod tests;

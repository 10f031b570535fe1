//! The 61 bytes in front of a batch's records, and the only place that knows what stands where in them.

use std::ops::Range;

use headwater_codec::{LeaderEpoch, Offset, ProducerEpoch, ProducerId};

use crate::{Attributes, BatchError};

/// The header of a record batch, format version 2 ("magic 2", KIP-98).
///
/// What parses here is consistent in itself: magic, length and the range of offsets. Whether the checksum fits
/// the records is asked of [`crate::check`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct BatchHeader {
    /// The offset of the first record, or of the first one there was before compaction.
    pub base_offset: Offset,
    /// The bytes of the whole batch, header and records.
    total_len: u32,
    /// The epoch of the leader that appended the batch.
    pub leader_epoch: LeaderEpoch,
    /// CRC-32C over everything from the attributes on.
    pub crc: u32,
    /// Codec, timestamp type and kind of the batch.
    pub attributes: Attributes,
    /// The last offset minus the base offset. Compaction leaves it, so it may exceed what the records say.
    pub last_offset_delta: i32,
    /// What the records' timestamps count from, in milliseconds since the epoch. With a delete horizon it is the
    /// time at which tombstones and markers may go (KIP-534).
    pub base_timestamp: i64,
    /// The largest timestamp of the records, or the append time, in milliseconds since the epoch; -1 for none.
    pub max_timestamp: i64,
    /// Who produced the batch, or [`ProducerId::NONE`].
    pub producer_id: ProducerId,
    /// The producer's epoch, or [`ProducerEpoch::NONE`].
    pub producer_epoch: ProducerEpoch,
    /// The sequence number of the first record; -1 for none.
    pub base_sequence: i32,
    /// How many records the batch says it holds; 0 after compaction took all of them.
    pub record_count: i32,
}

impl BatchHeader {
    /// Bytes of a header.
    pub const LEN: usize = 61;

    /// Reads a header from the front of `bytes`; the records need not be there.
    ///
    /// # Errors
    /// [`BatchError::Truncated`] when `bytes` ends within the header, [`BatchError::OldMagic`] for a message set of
    /// version 0 or 1, [`BatchError::UnknownMagic`], [`BatchError::BadLength`] when the length cannot even hold a
    /// header, and [`BatchError::BadOffsets`] when the batch claims no valid range of offsets.
    pub fn parse(bytes: &[u8]) -> Result<Self, BatchError> {
        match bytes.get(MAGIC) {
            None => return Err(BatchError::Truncated { have: bytes.len(), need: Self::LEN }),
            Some(2) => {}
            Some(&magic @ (0 | 1)) => return Err(BatchError::OldMagic { magic }),
            Some(&magic) => return Err(BatchError::UnknownMagic { magic: magic.cast_signed() }),
        }
        let Some(head) = bytes.first_chunk::<{ Self::LEN }>() else {
            return Err(BatchError::Truncated { have: bytes.len(), need: Self::LEN });
        };
        let length = i32_at(head, BATCH_LENGTH);
        let total_len = match u32::try_from(length) {
            Ok(length) if length as usize >= Self::LEN - LENGTH_COUNTS_FROM => {
                length + LENGTH_COUNTS_FROM as u32
            }
            _ => return Err(BatchError::BadLength { length }),
        };
        let base_offset = i64_at(head, BASE_OFFSET);
        let last_offset_delta = i32_at(head, LAST_OFFSET_DELTA);
        let bad_offsets = BatchError::BadOffsets { base_offset, last_offset_delta };
        if last_offset_delta < 0 || base_offset.checked_add(i64::from(last_offset_delta)).is_none() {
            return Err(bad_offsets);
        }
        Ok(Self {
            base_offset: Offset::new(base_offset).ok_or(bad_offsets)?,
            total_len,
            leader_epoch: LeaderEpoch::new(i32_at(head, LEADER_EPOCH)),
            crc: u32::from_be_bytes(array_at(head, CRC)),
            attributes: Attributes::from_bits(i16::from_be_bytes(array_at(head, ATTRIBUTES))),
            last_offset_delta,
            base_timestamp: i64_at(head, BASE_TIMESTAMP),
            max_timestamp: i64_at(head, MAX_TIMESTAMP),
            producer_id: ProducerId::new(i64_at(head, PRODUCER_ID)),
            producer_epoch: ProducerEpoch::new(i16::from_be_bytes(array_at(head, PRODUCER_EPOCH))),
            base_sequence: i32_at(head, BASE_SEQUENCE),
            record_count: i32_at(head, RECORD_COUNT),
        })
    }

    /// A header for `records_len` bytes of records, with no producer and no timestamps, its checksum not yet made.
    ///
    /// # Errors
    /// [`BatchError::TooLong`] when the batch would not fit the format's 31-bit length.
    pub(crate) fn new(records_len: usize) -> Result<Self, BatchError> {
        let header = Self {
            base_offset: Offset::ZERO,
            total_len: 0,
            leader_epoch: LeaderEpoch::NONE,
            crc: 0,
            attributes: Attributes::default(),
            last_offset_delta: 0,
            base_timestamp: 0,
            max_timestamp: NO_TIMESTAMP,
            producer_id: ProducerId::NONE,
            producer_epoch: ProducerEpoch::NONE,
            base_sequence: NO_SEQUENCE,
            record_count: 0,
        };
        header.with_records_len(records_len)
    }

    /// The same header in front of `records_len` bytes of records.
    ///
    /// # Errors
    /// As [`BatchHeader::new`].
    pub(crate) fn with_records_len(self, records_len: usize) -> Result<Self, BatchError> {
        let bytes = records_len.saturating_add(Self::LEN);
        if bytes - LENGTH_COUNTS_FROM > i32::MAX as usize {
            return Err(BatchError::TooLong { bytes });
        }
        Ok(Self { total_len: bytes as u32, ..self })
    }

    /// The header as it stands in front of the records.
    pub fn encode(&self) -> [u8; Self::LEN] {
        let mut head = [0; Self::LEN];
        put(&mut head, BASE_OFFSET, self.base_offset.get().to_be_bytes());
        put(&mut head, BATCH_LENGTH, (self.total_len - LENGTH_COUNTS_FROM as u32).to_be_bytes());
        put(&mut head, LEADER_EPOCH, self.leader_epoch.get().to_be_bytes());
        head[MAGIC] = 2;
        put(&mut head, CRC, self.crc.to_be_bytes());
        put(&mut head, ATTRIBUTES, self.attributes.bits().to_be_bytes());
        put(&mut head, LAST_OFFSET_DELTA, self.last_offset_delta.to_be_bytes());
        put(&mut head, BASE_TIMESTAMP, self.base_timestamp.to_be_bytes());
        put(&mut head, MAX_TIMESTAMP, self.max_timestamp.to_be_bytes());
        put(&mut head, PRODUCER_ID, self.producer_id.get().to_be_bytes());
        put(&mut head, PRODUCER_EPOCH, self.producer_epoch.get().to_be_bytes());
        put(&mut head, BASE_SEQUENCE, self.base_sequence.to_be_bytes());
        put(&mut head, RECORD_COUNT, self.record_count.to_be_bytes());
        head
    }

    /// The checksum that fits this header and `records`.
    pub(crate) fn computed_crc(&self, records: &[u8]) -> u32 {
        crc32c::crc32c_append(crc32c::crc32c(&self.encode()[ATTRIBUTES..]), records)
    }

    /// Bytes of the whole batch, header and records.
    pub const fn total_len(&self) -> usize {
        self.total_len as usize
    }

    /// Bytes of the records as they stand in the batch, compressed or not.
    pub const fn records_len(&self) -> usize {
        self.total_len as usize - Self::LEN
    }

    /// The offset of the last record, or of the last one there was before compaction.
    pub const fn last_offset(&self) -> Offset {
        self.base_offset.plus(self.last_offset_delta as i64)
    }

    /// The offset that follows this batch.
    pub const fn next_offset(&self) -> Offset {
        self.base_offset.plus(self.last_offset_delta as i64 + 1)
    }

    /// Whether an idempotent or transactional producer wrote the batch.
    pub const fn has_producer(&self) -> bool {
        self.producer_id.get() >= 0
    }

    /// The sequence number of the last record; -1 when the batch has none.
    pub const fn last_sequence(&self) -> i32 {
        if self.base_sequence < 0 {
            NO_SEQUENCE
        } else {
            increment_sequence(self.base_sequence, self.last_offset_delta)
        }
    }

    /// The sequence number that the producer's next batch starts with; -1 when the batch has none.
    pub const fn next_sequence(&self) -> i32 {
        if self.base_sequence < 0 { NO_SEQUENCE } else { increment_sequence(self.last_sequence(), 1) }
    }

    /// The timestamp of a record `delta` after the base, by the batch's timestamp type.
    pub(crate) const fn timestamp(&self, delta: i64) -> i64 {
        match self.attributes.timestamp_type() {
            crate::TimestampType::CreateTime => self.base_timestamp.wrapping_add(delta),
            crate::TimestampType::LogAppendTime => self.max_timestamp,
        }
    }
}

/// The sequence number `count` records after `sequence`: after 2^31-1 comes 0 (KIP-98).
///
/// Both are taken as not negative.
pub const fn increment_sequence(sequence: i32, count: i32) -> i32 {
    ((sequence as i64 + count as i64) & (i32::MAX as i64)) as i32
}

/// The checksum over a whole batch as it stands in `batch`.
pub(crate) fn crc_of(batch: &[u8]) -> u32 {
    crc32c::crc32c(batch.get(ATTRIBUTES..).unwrap_or_default())
}

fn array_at<const N: usize>(head: &[u8; BatchHeader::LEN], at: usize) -> [u8; N] {
    let mut field = [0; N];
    field.copy_from_slice(&head[at..at + N]);
    field
}

fn i32_at(head: &[u8; BatchHeader::LEN], at: usize) -> i32 {
    i32::from_be_bytes(array_at(head, at))
}

fn i64_at(head: &[u8; BatchHeader::LEN], at: usize) -> i64 {
    i64::from_be_bytes(array_at(head, at))
}

fn put<const N: usize>(head: &mut [u8; BatchHeader::LEN], at: usize, field: [u8; N]) {
    let place: Range<usize> = at..at + N;
    head[place].copy_from_slice(&field);
}

/// "No timestamp" in a record or a batch.
pub const NO_TIMESTAMP: i64 = -1;
/// "No sequence number" in a batch.
pub const NO_SEQUENCE: i32 = -1;

const BASE_OFFSET: usize = 0;
const BATCH_LENGTH: usize = 8;
/// The batch length counts the bytes from here on.
const LENGTH_COUNTS_FROM: usize = 12;
const LEADER_EPOCH: usize = 12;
const MAGIC: usize = 16;
const CRC: usize = 17;
const ATTRIBUTES: usize = 21;
const LAST_OFFSET_DELTA: usize = 23;
const BASE_TIMESTAMP: usize = 27;
const MAX_TIMESTAMP: usize = 35;
const PRODUCER_ID: usize = 43;
const PRODUCER_EPOCH: usize = 51;
const BASE_SEQUENCE: usize = 53;
const RECORD_COUNT: usize = 57;

#[cfg(test)]
mod tests;

//! Rewriting a batch where it lies.

use headwater_codec::{LeaderEpoch, Offset};

use crate::{BatchError, BatchHeader, TimestampType};

/// Rewrites the fields of a batch that a broker sets, in place.
///
/// Base offset and leader epoch stand outside the checksum; a log append time is inside, so the checksum is made
/// anew.
#[derive(Debug)]
pub struct BatchMut<'a> {
    header: BatchHeader,
    batch: &'a mut [u8],
}

impl<'a> BatchMut<'a> {
    /// Takes the batch at the front of `bytes`, which must be there whole.
    ///
    /// # Errors
    /// Those of [`BatchHeader::parse`], and [`BatchError::Truncated`] when the batch is not there whole.
    pub fn new(bytes: &'a mut [u8]) -> Result<Self, BatchError> {
        let header = BatchHeader::parse(bytes)?;
        let (have, need) = (bytes.len(), header.total_len());
        let batch = bytes.get_mut(..need).ok_or(BatchError::Truncated { have, need })?;
        Ok(Self { header, batch })
    }

    /// The header as it is now.
    pub const fn header(&self) -> &BatchHeader {
        &self.header
    }

    /// Moves the batch to `base_offset`.
    pub fn set_base_offset(&mut self, base_offset: Offset) {
        self.header.base_offset = base_offset;
        self.write_header();
    }

    /// Says which leader epoch appended the batch.
    pub fn set_leader_epoch(&mut self, leader_epoch: LeaderEpoch) {
        self.header.leader_epoch = leader_epoch;
        self.write_header();
    }

    /// Makes `now_ms` the time of every record (`message.timestamp.type=LogAppendTime`, KIP-32).
    pub fn set_log_append_time(&mut self, now_ms: i64) {
        self.header.attributes = self.header.attributes.with_timestamp_type(TimestampType::LogAppendTime);
        self.header.max_timestamp = now_ms;
        self.header.crc = self.header.computed_crc(&self.batch[BatchHeader::LEN..]);
        self.write_header();
    }

    fn write_header(&mut self) {
        self.batch[..BatchHeader::LEN].copy_from_slice(&self.header.encode());
    }
}

#[cfg(test)]
mod tests;

//! Finding a record by time within one batch (KIP-79, KIP-734). Nothing is kept of what is unpacked.

use headwater_codec::Offset;

use crate::{
    Batch, RecordError, TimestampType,
    walk::{RecordFacts, Walk, walk},
};

impl Batch<'_> {
    /// The first record, in offset order, at or after offset `from` and with a timestamp at or after `target_ms`:
    /// its offset and its own timestamp. The records may unpack to at most `max` bytes.
    ///
    /// # Errors
    /// Those of reading the records up to the one that is found.
    pub fn first_at_or_after(
        &self,
        target_ms: i64,
        from: Offset,
        max: usize,
    ) -> Result<Option<(Offset, i64)>, RecordError> {
        let header = self.header();
        // The header's maximum saves a walk that could find nothing.
        if header.max_timestamp < target_ms || header.last_offset() < from {
            return Ok(None);
        }
        self.find(max, |offset, timestamp| timestamp >= target_ms && offset >= from)
    }

    /// The first record that has the batch's largest timestamp: its offset and that timestamp. `None` when the batch
    /// has no timestamps, or no record any more. The records may unpack to at most `max` bytes.
    ///
    /// # Errors
    /// Those of reading the records up to the one that is found.
    pub fn first_at_max_timestamp(&self, max: usize) -> Result<Option<(Offset, i64)>, RecordError> {
        let header = self.header();
        if header.max_timestamp < 0 || header.record_count == 0 {
            return Ok(None);
        }
        if header.attributes.timestamp_type() == TimestampType::LogAppendTime {
            return Ok(Some((header.base_offset, header.max_timestamp)));
        }
        self.find(max, |_, timestamp| timestamp == header.max_timestamp)
    }

    fn find(
        &self,
        max: usize,
        mut wanted: impl FnMut(Offset, i64) -> bool,
    ) -> Result<Option<(Offset, i64)>, RecordError> {
        let header = self.header();
        let mut found = None;
        let visit = |_, facts: RecordFacts| {
            let offset = header.base_offset.plus(i64::from(facts.offset_delta));
            let timestamp = header.timestamp(facts.timestamp_delta);
            if wanted(offset, timestamp) {
                found = Some((offset, timestamp));
                return Ok(Walk::Stop);
            }
            Ok(Walk::On)
        };
        walk(self.codec()?, self.packed_records(), header.record_count, max, visit)?;
        Ok(found)
    }
}

#[cfg(test)]
mod tests;

//! Polled messages as a batch again: uncompressed, CreateTime, of no producer, its offsets those of the messages.

use headwater_codec::Offset;
use headwater_records::{BatchBuilder, BatchError, RecordError, ValidatedBatch};

use crate::Record;

/// Gathers records of one partition, offsets ascending, into one batch.
#[derive(Clone, Debug, Default)]
pub struct BatchRebuild {
    base_offset: i64,
    builder: Option<BatchBuilder>,
}

impl BatchRebuild {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Bytes of the batch so far, without its header; 0 when it is empty.
    pub fn records_len(&self) -> usize {
        self.builder.as_ref().map_or(0, BatchBuilder::records_len)
    }

    /// How many records there are.
    pub fn record_count(&self) -> i32 {
        self.builder.as_ref().map_or(0, BatchBuilder::record_count)
    }

    /// Adds a record. Offsets may have gaps.
    ///
    /// # Errors
    /// [`BatchError::BadOffsets`] when the offset does not ascend, is out of range or too far from the first one, and
    /// [`BatchError::TooLong`] when the batch would not fit its format. The batch is as it was then.
    pub fn push(&mut self, offset: u64, record: Record<'_>) -> Result<(), RecordError> {
        let out_of_range =
            || BatchError::BadOffsets { base_offset: self.base_offset, last_offset_delta: i32::MAX };
        let offset = i64::try_from(offset).ok().and_then(Offset::new).ok_or_else(out_of_range)?;
        match &mut self.builder {
            None => {
                let mut builder = BatchBuilder::new().base_offset(offset);
                builder.push_at(0, record.timestamp, record.key, record.value, record.headers)?;
                self.base_offset = offset.get();
                self.builder = Some(builder);
                Ok(())
            }
            Some(builder) => {
                let delta = offset.get().checked_sub(self.base_offset);
                let delta = delta.and_then(|delta| i32::try_from(delta).ok()).ok_or_else(out_of_range)?;
                builder.push_at(delta, record.timestamp, record.key, record.value, record.headers)
            }
        }
    }

    /// The batch; `None` when nothing was added.
    ///
    /// # Errors
    /// [`BatchError::TooLong`].
    pub fn finish(self) -> Result<Option<ValidatedBatch>, RecordError> {
        self.builder.map(BatchBuilder::build).transpose()
    }
}

#[cfg(test)]
mod tests;

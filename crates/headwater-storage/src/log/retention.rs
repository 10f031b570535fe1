//! Deleting old segments: by time, by size, and below the log's start.

use std::sync::Arc;

use headwater_codec::Offset;

use super::{Log, LogPlace};
use crate::{
    StorageError,
    format::LogFormat,
    segment::{ScanFailure, Segment},
};

/// What deleting came to.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Retention {
    /// Segments that were deleted.
    pub segments: usize,
    /// Their bytes.
    pub bytes: u64,
}

impl<F: LogFormat> Log<F> {
    /// Raises the log's start to `before`; gives the start that holds then. Segments that lie below it wholly are deleted.
    ///
    /// # Errors
    /// [`StorageError::OffsetOutOfRange`] beyond `high_watermark`, and [`StorageError::Io`].
    pub fn delete_records(
        &mut self,
        before: Offset,
        high_watermark: Offset,
        now_ms: i64,
    ) -> Result<Offset, StorageError> {
        self.raise_start(before, high_watermark)?;
        self.delete_below_start(now_ms)?;
        Ok(self.log_start())
    }

    /// Raises the log's start to `before`, and deletes nothing yet. Whoever keeps the log's start on disk does that
    /// before [`Log::delete_below_start`]: after a power cut some of the deleted files may be back.
    ///
    /// # Errors
    /// [`StorageError::OffsetOutOfRange`] beyond `high_watermark`.
    pub fn raise_start(&mut self, before: Offset, high_watermark: Offset) -> Result<(), StorageError> {
        if before > high_watermark {
            return Err(StorageError::OffsetOutOfRange {
                log: self.name.clone(),
                requested: before,
                log_start: self.log_start(),
                log_end: high_watermark,
            });
        }
        self.log_start = self.log_start.max(before.get());
        self.epochs.cut_start(self.log_start);
        Ok(())
    }

    /// Deletes what `retention.ms` and `retention.bytes` no longer keep, from the start on and never beyond
    /// `high_watermark`.
    ///
    /// A segment is as old as its largest timestamp. One that lies in the future is as old as its file, so that a record
    /// with a wrong clock does not hold the disk for ever.
    ///
    /// # Errors
    /// [`StorageError::Io`] and [`StorageError::Corrupt`].
    pub fn apply_retention(
        &mut self,
        high_watermark: Offset,
        now_ms: i64,
    ) -> Result<Retention, StorageError> {
        let start = self.retained_start(high_watermark, now_ms)?;
        if start == self.log_start() {
            return Ok(Retention::default());
        }
        self.raise_start(start, high_watermark)?;
        self.delete_below_start(now_ms)
    }

    /// Where the log would start if [`Log::apply_retention`] were called.
    ///
    /// # Errors
    /// [`StorageError::Io`] and [`StorageError::Corrupt`].
    pub fn retained_start(&mut self, high_watermark: Offset, now_ms: i64) -> Result<Offset, StorageError> {
        if !self.config.cleanup_delete || self.end.offset == 0 || high_watermark.get() <= self.log_start {
            return Ok(self.log_start());
        }
        let mut excess = self.config.retention_bytes.map_or(0, |max| self.size_bytes().saturating_sub(max));
        let mut start = self.log_start;
        let segments = Arc::clone(&self.segments);
        for (at, segment) in segments.iter().enumerate() {
            let end = segments.get(at + 1).map_or(self.end.offset, |next| next.base_offset());
            let size = segment.size();
            if end > high_watermark.get() || size == 0 {
                break;
            }
            // The active segment goes by age only: by size it would go as soon as it was full.
            let by_size = excess >= size && at + 1 < segments.len() && excess > 0;
            if !by_size && !self.is_expired(segment, now_ms)? {
                break;
            }
            excess = excess.saturating_sub(size);
            start = end;
        }
        Ok(Offset::ZERO.plus(start))
    }

    fn is_expired(&mut self, segment: &Segment, now_ms: i64) -> Result<bool, StorageError> {
        let Some(retention_ms) = self.config.retention_ms else { return Ok(false) };
        let largest =
            segment.max_timestamp::<F>().map_err(ScanFailure::into_error)?.map(|(timestamp, _)| timestamp);
        let age_of = |time: i64| now_ms.saturating_sub(time);
        let by_file = age_of(segment.modified_ms());
        match largest {
            Some(timestamp) if timestamp <= now_ms => Ok(age_of(timestamp) > retention_ms),
            Some(timestamp) => {
                if self.held_back != Some(segment.base_offset()) {
                    self.held_back = Some(segment.base_offset());
                    tracing::warn!(
                        log = %self.name, segment = %segment.path().display(), timestamp,
                        "a record's timestamp lies in the future; the segment is kept by its file's age"
                    );
                }
                Ok(by_file > retention_ms)
            }
            None => Ok(by_file > retention_ms),
        }
    }

    /// Deletes the segments that lie below the log's start wholly. When that is all of them, the log goes on in a new
    /// segment, whose directory entry is durable before the others go: an empty directory would begin at 0 again.
    ///
    /// # Errors
    /// [`StorageError::Io`]; some files may be left then.
    pub fn delete_below_start(&mut self, now_ms: i64) -> Result<Retention, StorageError> {
        let mut done = Retention::default();
        for segment in self.detach_below_start(now_ms)? {
            done.segments += 1;
            done.bytes += segment.size();
            segment.remove_files()?;
        }
        Ok(done)
    }

    /// Whether a segment lies below the log's start wholly.
    pub(crate) fn has_dead_segments(&self) -> bool {
        (self.log_start == self.end.offset && self.end.position > 0)
            || self.segments.get(1).is_some_and(|second| second.base_offset() <= self.log_start)
    }

    /// Takes those segments out of the log; their files are the caller's to remove.
    pub(crate) fn detach_below_start(&mut self, now_ms: i64) -> Result<Vec<Arc<Segment>>, StorageError> {
        if self.log_start == self.end.offset && self.end.position > 0 {
            self.roll(now_ms)?;
            self.disk
                .sync_dir(&self.dir)
                .map_err(|error| StorageError::io("sync the directory", &self.dir, error))?;
        }
        let kept = self
            .segments
            .partition_point(|segment| segment.base_offset() <= self.log_start)
            .saturating_sub(1);
        let Some(first) = self.segments.get(kept).map(|segment| segment.base_offset()).filter(|_| kept > 0)
        else {
            return Ok(Vec::new());
        };
        let gone = self.retain_segments(|segment| segment.base_offset() >= first);
        self.unsynced.forget_below(first);
        if self.synced.segment < first {
            self.synced = LogPlace { offset: first.max(self.synced.offset), segment: first, position: 0 };
        }
        tracing::debug!(log = %self.name, log_start = self.log_start, segments = gone.len(), "deleting segments");
        Ok(gone)
    }
}

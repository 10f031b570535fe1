//! Cutting a log back.

use std::sync::Arc;

use headwater_codec::Offset;

use super::{Log, LogPlace, Recovered};
use crate::{StorageError, format::LogFormat, scan::Wait};

impl<F: LogFormat> Log<F> {
    /// Cuts the log back to `offset`: everything at or above it is gone, durably, when this returns.
    ///
    /// # Errors
    /// [`StorageError::OffsetOutOfRange`] outside of the log, and [`StorageError::Io`].
    pub fn truncate(&mut self, offset: Offset, now_ms: i64) -> Result<(), StorageError> {
        if offset.get() < self.log_start || offset.get() > self.end.offset {
            return Err(StorageError::OffsetOutOfRange {
                log: self.name.clone(),
                requested: offset,
                log_start: self.log_start(),
                log_end: self.log_end(),
            });
        }
        let Some(at) = self.segment_of(offset.get()) else { return Ok(()) };
        let segments = Arc::clone(&self.segments);
        let last = &segments[at];
        let spot = last.locate::<F>(offset.get(), Wait::ForDisk).map_err(|failure| failure.into_error())?;
        self.remove_segments(&segments[at + 1..], &mut Recovered::default())?;
        if let Some(spot) = spot {
            let position = spot.position;
            let head = last.head_at::<F>(spot, Wait::ForDisk).map_err(|failure| failure.into_error())?;
            let end = head.map_or(offset.get(), |head| head.base_offset);
            let cut = last.file()?.set_len(position);
            cut.map_err(|error| StorageError::io("cut the segment", last.path(), error))?;
            last.forget_from::<F>(position, end).map_err(|failure| failure.into_error())?;
        }
        last.reopen();
        self.end = LogPlace { offset: last.end_offset(), segment: last.base_offset(), position: last.size() };
        self.epochs.cut_end(self.end.offset);
        self.drop_snapshots_beyond_end(&self.list_files()?)?;
        self.rebuild_producers(now_ms)?;
        self.unsynced.add_segment(last);
        self.unsynced.dir = true;
        self.sync(now_ms)
    }
}

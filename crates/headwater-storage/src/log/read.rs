//! Reading: which ranges of which files hold the entries that are asked for.

use std::sync::Arc;

use headwater_codec::Offset;

use super::{Log, LogPlace, LogView};
use crate::{
    FileSlice, LogSlice, StorageError,
    format::LogFormat,
    scan::Wait,
    segment::{ScanFailure, Segment},
};

/// What to read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    pub(crate) from: i64,
    pub(crate) bytes_max: usize,
    pub(crate) at_least_one: bool,
    /// Nothing at or beyond this place.
    pub(crate) upto: LogPlace,
}

impl LogView {
    /// Whole entries starting with the one that contains `range.from`.
    pub(crate) fn read<F: LogFormat>(&self, range: Range, wait: Wait) -> Result<Vec<LogSlice>, ScanFailure> {
        let Range { from, mut bytes_max, at_least_one, upto } = range;
        if from < self.log_start || from > self.end.offset {
            return Err(self.out_of_range(from).into());
        }
        let mut slices = Vec::new();
        if from >= upto.offset || (bytes_max == 0 && !at_least_one) {
            return Ok(slices);
        }
        let Some(first) = self.segment_of(from) else { return Ok(slices) };
        for segment in &self.segments[first..] {
            if segment.base_offset() > upto.segment {
                break;
            }
            let Some(start) = segment.locate::<F>(from.max(segment.base_offset()), wait)? else { continue };
            // The size is asked for after the lookup: that may have found where a closed segment ends.
            let limit = if segment.base_offset() == upto.segment { upto.position } else { segment.size() };
            let must_progress = at_least_one && slices.is_empty();
            let end = range_end::<F>(segment, start, limit, bytes_max, must_progress, wait)?;
            if end > start {
                let length = usize::try_from(end - start).unwrap_or(usize::MAX);
                slices.push(LogSlice::File(FileSlice::new(segment.file()?, start, length)));
                bytes_max = bytes_max.saturating_sub(length);
            }
            if end < limit || bytes_max == 0 {
                break;
            }
        }
        Ok(slices)
    }

    pub(crate) fn out_of_range(&self, requested: i64) -> StorageError {
        StorageError::OffsetOutOfRange {
            log: self.name.clone(),
            requested: Offset::ZERO.plus(requested.max(0)),
            log_start: self.log_start(),
            log_end: self.log_end(),
        }
    }

    /// The place in front of the first entry whose last offset is at or above `offset`.
    pub(crate) fn place_of<F: LogFormat>(&self, offset: i64, wait: Wait) -> Result<LogPlace, ScanFailure> {
        if offset >= self.end.offset {
            return Ok(self.end);
        }
        let Some(at) = self.segment_of(offset) else {
            return Ok(LogPlace { offset, segment: self.end.segment.min(offset), position: 0 });
        };
        let segment = &self.segments[at];
        match segment.locate::<F>(offset, wait)? {
            Some(position) => Ok(LogPlace { offset, segment: segment.base_offset(), position }),
            None => Ok(LogPlace { offset, segment: segment.base_offset(), position: segment.size() }),
        }
    }

    /// Remembers that the segments from the one with `offset` on are in use.
    pub(crate) fn touch(&self, offset: i64, now_ms: i64) {
        if let Some(segment) = self.segment_of(offset).and_then(|at| self.segments.get(at)) {
            segment.touch(now_ms);
        }
    }
}

/// Where a read ends that begins at `start`: at the limit, or where the last entry ends that fits.
fn range_end<F: LogFormat>(
    segment: &Arc<Segment>,
    start: u64,
    limit: u64,
    bytes_max: usize,
    must_progress: bool,
    wait: Wait,
) -> Result<u64, ScanFailure> {
    let wanted = start.saturating_add(bytes_max as u64);
    if start >= limit {
        return Ok(start);
    }
    if wanted >= limit {
        return Ok(limit);
    }
    let boundary = segment.boundary_at_most(wanted);
    if boundary > start {
        return Ok(boundary.min(limit));
    }
    // Not even one entry between two places that are known: the entry's own length decides.
    let end = match segment.end_of_recent(start) {
        Some(end) => end,
        None => segment.head_at::<F>(start, wait)?.map_or(start, |head| start + head.len as u64),
    };
    Ok(if must_progress || end <= wanted { end.min(limit) } else { start })
}

impl<F: LogFormat> Log<F> {
    /// Whole entries starting with the one that contains `from`, to the log's end: about `bytes_max` bytes, and at least
    /// one entry when there is any. Blocks.
    ///
    /// # Errors
    /// [`StorageError::OffsetOutOfRange`], [`StorageError::Corrupt`] and [`StorageError::Io`].
    pub fn read(&self, from: Offset, bytes_max: usize) -> Result<Vec<LogSlice>, StorageError> {
        let view = self.view();
        let range = Range { from: from.get(), bytes_max, at_least_one: true, upto: view.end };
        view.read::<F>(range, Wait::ForDisk).map_err(ScanFailure::into_error)
    }
}

//! Reading: which ranges of which files hold the entries that are asked for.

use std::sync::Arc;

use headwater_codec::{LeaderEpoch, Offset};
use headwater_records::RecordError;

use super::{Log, LogPlace, LogView};
use crate::{
    FileSlice, LogSlice, StorageError,
    format::{LogFormat, Rebuild},
    scan::{Spot, Wait},
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

/// Whole entries in one segment.
struct Entries<'a> {
    segment: &'a Arc<Segment>,
    start: Spot,
    length: usize,
}

impl LogView {
    /// Whole batches starting with the one that contains `range.from`, or with its record where batches are made when
    /// they are read.
    pub(crate) fn read<F: LogFormat>(&self, range: Range, wait: Wait) -> Result<Vec<LogSlice>, ScanFailure> {
        let entries = self.entries::<F>(range, wait)?;
        if !F::IS_SERVED_AS_STORED {
            return self.rebuild::<F>(&entries, range, wait);
        }
        let slice = |Entries { segment, start, length }| {
            Ok(LogSlice::File(FileSlice::new(segment.file()?, start.position, length)))
        };
        entries.into_iter().map(slice).collect()
    }

    /// Makes batches of entries; none reaches over a segment's end.
    fn rebuild<F: LogFormat>(
        &self,
        entries: &[Entries<'_>],
        range: Range,
        wait: Wait,
    ) -> Result<Vec<LogSlice>, ScanFailure> {
        let Range { mut bytes_max, at_least_one, .. } = range;
        if wait == Wait::Never && entries.iter().map(|entries| entries.length).sum::<usize>() > INLINE_BYTES {
            return Err(ScanFailure::Cold);
        }
        let leader_epoch = |offset: Offset| LeaderEpoch::new(self.epoch_at(offset.get()));
        let mut slices = Vec::new();
        for Entries { segment, start, length } in entries {
            let bytes = segment.read_bytes(start.position, *length, wait)?;
            let rebuild = Rebuild {
                from: Offset::ZERO.plus(start.offset),
                leader_epoch: &leader_epoch,
                bytes_max,
                at_least_one: at_least_one && slices.is_empty(),
            };
            let rebuilt =
                F::to_batches(&bytes, &rebuild).map_err(|source| self.unreadable(start.offset, source))?;
            bytes_max = bytes_max.saturating_sub(rebuilt.bytes.len());
            if !rebuilt.bytes.is_empty() {
                slices.push(LogSlice::Bytes(rebuilt.bytes));
            }
            if !rebuilt.is_complete {
                break;
            }
        }
        Ok(slices)
    }

    fn unreadable(&self, offset: i64, source: RecordError) -> StorageError {
        let (log, offset) = (self.name.clone(), Offset::ZERO.plus(offset));
        StorageError::Unreadable { log, offset, source: Arc::new(source) }
    }

    fn entries<F: LogFormat>(&self, range: Range, wait: Wait) -> Result<Vec<Entries<'_>>, ScanFailure> {
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
            if end > start.position {
                let length = usize::try_from(end - start.position).unwrap_or(usize::MAX);
                slices.push(Entries { segment, start, length });
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
            Some(spot) => Ok(LogPlace { offset, segment: segment.base_offset(), position: spot.position }),
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
    from: Spot,
    limit: u64,
    bytes_max: usize,
    must_progress: bool,
    wait: Wait,
) -> Result<u64, ScanFailure> {
    let start = from.position;
    let wanted = start.saturating_add(bytes_max as u64);
    if start >= limit {
        return Ok(start);
    }
    if wanted >= limit {
        return Ok(limit);
    }
    let boundary = segment.boundary_at_most(wanted).position;
    if boundary > start {
        return Ok(boundary.min(limit));
    }
    // Not even one entry between two places that are known: the entry's own length decides.
    let end = match segment.end_of_recent(start) {
        Some(end) => end,
        None => segment.head_at::<F>(from, wait)?.map_or(start, |head| start + head.len as u64),
    };
    Ok(if must_progress || end <= wanted { end.min(limit) } else { start })
}

/// How many bytes of entries may be made into batches at once by a caller that would not wait.
const INLINE_BYTES: usize = 64 << 10;

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

//! What is written in a log, at one moment.

use std::sync::Arc;

use headwater_codec::Offset;

use crate::{LogName, segment::Segment};

/// A place between two entries of a log.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct LogPlace {
    /// The offset that follows.
    pub offset: i64,
    /// The base offset of the segment that the place is in.
    pub segment: i64,
    /// Bytes in that segment before it.
    pub position: u64,
}

/// What is written in a log at one moment: immutable, to be read from any thread.
#[derive(Clone, Debug)]
pub struct LogView {
    pub(crate) name: LogName,
    pub(crate) segments: Arc<Vec<Arc<Segment>>>,
    pub(crate) log_start: i64,
    pub(crate) end: LogPlace,
    /// The leader epochs, each with the offset of its first record, both ascending.
    pub(crate) epochs: Arc<Vec<(i32, i64)>>,
}

impl LogView {
    /// The first offset that may be read.
    pub fn log_start(&self) -> Offset {
        Offset::ZERO.plus(self.log_start)
    }

    /// The offset that the next record gets.
    pub fn log_end(&self) -> Offset {
        Offset::ZERO.plus(self.end.offset)
    }

    /// Where the log ends.
    pub const fn end(&self) -> LogPlace {
        self.end
    }

    /// The epoch that wrote the record at `offset`, -1 when that is not known.
    pub(crate) fn epoch_at(&self, offset: i64) -> i32 {
        let next = self.epochs.partition_point(|(_, start)| *start <= offset);
        next.checked_sub(1).and_then(|at| self.epochs.get(at)).map_or(-1, |(epoch, _)| *epoch)
    }

    /// Which segment holds `offset`, if any does or could.
    pub(crate) fn segment_of(&self, offset: i64) -> Option<usize> {
        self.segments.partition_point(|segment| segment.base_offset() <= offset).checked_sub(1)
    }
}

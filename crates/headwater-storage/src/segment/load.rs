//! Bringing a segment's indexes into memory: from their files, or from the log when those are missing or damaged.

use super::{
    Entries, IndexEntry, IndexLimits, Indexes, OffsetIndex, Segment, TimeIndex, locate::ScanFailure,
};
use crate::{
    format::LogFormat,
    scan::{SCAN_CHUNK, Scan, Spot, Wait},
};

impl Segment {
    /// Reads the index files of a closed segment, and the log from the last entry on.
    ///
    /// The next segment begins at this one's end offset; entries at or beyond it (left by a sync that failed and a cut
    /// that did not reach the disk) are not part of the log.
    pub(crate) fn load<F: LogFormat>(&self) -> Result<(), ScanFailure> {
        let offsets: Option<OffsetIndex> = self.read_index("index");
        let times: Option<TimeIndex> = self.read_index("timeindex");
        let (Some(mut offsets), Some(mut times)) = (offsets, times) else { return self.rebuild::<F>() };
        let (size, end_offset) = {
            let facts = self.facts.read();
            if facts.indexes.is_some() {
                return Ok(());
            }
            (facts.size, facts.end_offset)
        };
        let end_relative = u32::try_from(end_offset - self.base_offset).unwrap_or(u32::MAX);
        let (offset_count, time_count) = (offsets.as_slice().len(), times.as_slice().len());
        offsets.keep_while(|entry| u64::from(entry.position) < size && entry.relative < end_relative);
        times.keep_while(|entry| entry.relative < end_relative);
        if times.as_slice().is_empty() && size > 0 && (time_count > 0 || !offsets.as_slice().is_empty()) {
            return self.rebuild::<F>();
        }
        let cut = offset_count != offsets.as_slice().len() || time_count != times.as_slice().len();
        let start = offsets.last().map_or(self.first_spot(), |entry| self.indexed_spot(entry));
        let max_timestamp = times.last().map(|t| (t.timestamp, self.base_offset + i64::from(t.relative)));
        let mut indexes = Indexes { offsets, times, max_timestamp, ..Indexes::new() };
        match self.walk_tail::<F>(&mut indexes, start, size, end_offset, None) {
            Ok(size) => {
                self.install(indexes, size);
                Ok(())
            }
            // An index entry that does not point at an entry says nothing about the log.
            Err(ScanFailure::Storage(_)) if start.position > 0 => self.rebuild::<F>(),
            Err(failure) => Err(failure),
        }
        .map(|()| {
            if cut {
                tracing::warn!(path = %self.path.display(), "index entries beyond the segment's end were dropped");
            }
        })
    }

    /// Reads the index files unless they are in memory; tells where a closed segment ends, too.
    pub(crate) fn load_if_needed<F: LogFormat>(&self) -> Result<(), ScanFailure> {
        if self.facts.read().indexes.is_none() { self.load::<F>() } else { Ok(()) }
    }

    /// Makes the indexes anew from the log.
    pub(crate) fn rebuild<F: LogFormat>(&self) -> Result<(), ScanFailure> {
        tracing::warn!(path = %self.path.display(), "the indexes are missing or damaged and are made anew");
        let (size, end_offset) = {
            let facts = self.facts.read();
            (facts.size, facts.end_offset)
        };
        let mut indexes = Indexes::new();
        let size =
            self.walk_tail::<F>(&mut indexes, self.first_spot(), size, end_offset, Some(DEFAULT_LIMITS))?;
        indexes.note_time(self.base_offset);
        self.install(indexes, size);
        Ok(())
    }

    /// Goes through the entries from `start` on and gives where the segment ends.
    fn walk_tail<F: LogFormat>(
        &self,
        indexes: &mut Indexes,
        start: Spot,
        size: u64,
        end_offset: i64,
        add: Option<IndexLimits>,
    ) -> Result<u64, ScanFailure> {
        let file = self.file()?;
        let chunk = if add.is_some() { SCAN_CHUNK } else { crate::scan::LOOKUP_CHUNK };
        let mut scan = Scan::<F>::new(&*file, start, size, Wait::ForDisk, chunk);
        loop {
            let position = scan.position();
            let Some((_, head)) = scan.next_head().map_err(|error| self.failure(error))? else {
                return Ok(size);
            };
            if head.last_offset >= end_offset {
                return Ok(position);
            }
            match add {
                Some(limits) => indexes.note(self.base_offset, position, &head, limits),
                None => indexes.note_max(&head),
            }
            // Nothing that follows counts, sound or not.
            if head.next_offset() == end_offset {
                return Ok(scan.position());
            }
        }
    }

    /// Cuts everything from `position` on, where offset `end_offset` would have been. The file is another matter.
    pub(crate) fn forget_from<F: LogFormat>(
        &self,
        position: u64,
        end_offset: i64,
    ) -> Result<(), ScanFailure> {
        self.load_if_needed::<F>()?;
        let Some(mut indexes) = self.facts.write().indexes.take() else { return Ok(()) };
        let relative = u32::try_from(end_offset - self.base_offset).unwrap_or(0);
        indexes.offsets.keep_while(|entry| u64::from(entry.position) < position);
        indexes.times.keep_while(|entry| entry.relative < relative);
        indexes.max_timestamp =
            indexes.times.last().map(|t| (t.timestamp, self.base_offset + i64::from(t.relative)));
        let start = indexes.offsets.last().map_or(self.first_spot(), |entry| self.indexed_spot(entry));
        let walked = self.walk_tail::<F>(&mut indexes, start, position, end_offset, None);
        if position == 0 {
            indexes.first_timestamp = None;
        }
        indexes.bytes_since_entry = position - start.position;
        self.install(indexes, position);
        let mut facts = self.facts.write();
        facts.end_offset = end_offset;
        facts.recent = super::Recent { entries: std::collections::VecDeque::new(), from: i64::MAX };
        walked.map(|_| ())
    }

    fn install(&self, indexes: Indexes, size: u64) {
        let mut facts = self.facts.write();
        facts.indexes = Some(indexes);
        facts.size = size;
    }

    /// Reads an index file; `None` when it is missing or damaged.
    pub(super) fn read_index<E: IndexEntry>(&self, extension: &str) -> Option<Entries<E>> {
        Entries::parse(&self.disk.read(&self.path.with_extension(extension)).ok()?)
    }

    /// Gives the segment empty or partial indexes before recovery goes through the log from a position: those entries
    /// of the index files that lie before `offset` and agree with the log. Gives where to begin.
    pub(crate) fn begin_recovery<F: LogFormat>(&self, offset: i64) -> Spot {
        let relative = u32::try_from(offset.saturating_sub(self.base_offset).max(0)).unwrap_or(u32::MAX);
        let size = self.size();
        let offsets: Option<OffsetIndex> = self.read_index("index");
        let times: Option<TimeIndex> = self.read_index("timeindex");
        if let (Some(mut offsets), Some(mut times)) = (offsets, times) {
            offsets.keep_while(|entry| entry.relative < relative && u64::from(entry.position) < size);
            while let Some(entry) = offsets.last() {
                let spot = self.indexed_spot(entry);
                let head = self.head_at::<F>(spot, Wait::ForDisk).ok().flatten();
                if head.is_some_and(|head| head.last_offset == spot.offset) {
                    times.keep_while(|time| time.relative < entry.relative);
                    let max_timestamp =
                        times.last().map(|t| (t.timestamp, self.base_offset + i64::from(t.relative)));
                    // Index entries without times before them would make old records look ageless.
                    if max_timestamp.is_none() && spot.position > u64::from(DEFAULT_LIMITS.interval_bytes) * 4
                    {
                        break;
                    }
                    let first = self.head_at::<F>(self.first_spot(), Wait::ForDisk).ok().flatten();
                    let first_timestamp = first.map(|head| head.max_timestamp);
                    self.install(
                        Indexes { offsets, times, bytes_since_entry: 0, first_timestamp, max_timestamp },
                        size,
                    );
                    // The entry there is in the index already; it is gone through for its timestamp.
                    return spot;
                }
                offsets.keep_while(|other| other.relative < entry.relative);
            }
        }
        self.install(Indexes::new(), size);
        self.first_spot()
    }
}

/// For indexes that are made anew; a denser or sparser one is as good.
const DEFAULT_LIMITS: IndexLimits = IndexLimits { interval_bytes: 4096, bytes_max: 10 << 20 };

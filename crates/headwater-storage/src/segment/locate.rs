//! Finding entries in a segment.

use std::io;

use headwater_codec::Offset;

use super::{OffsetEntry, Segment, TimeEntry};
use crate::{
    LogName, StorageError,
    format::{EntryHead, LogFormat},
    scan::{LOOKUP_CHUNK, Scan, ScanError, Spot, Wait},
};

/// Where a lookup may begin.
enum Start {
    /// Exactly there.
    At(Spot),
    /// Somewhere from there on; the entry there should end with this offset.
    From(Spot, Option<i64>),
    /// The indexes are not in memory.
    NotLoaded,
    /// It lies behind the segment.
    Behind,
}

impl Segment {
    /// Where the first entry begins whose last offset is at or above `offset`; `None` when there is none.
    pub(crate) fn locate<F: LogFormat>(&self, offset: i64, wait: Wait) -> Result<Option<Spot>, ScanFailure> {
        let mut rebuilt = false;
        loop {
            match self.start(offset) {
                Start::Behind => return Ok(None),
                Start::At(spot) => return Ok(Some(spot)),
                Start::NotLoaded if wait == Wait::Never => return Err(ScanFailure::Cold),
                Start::NotLoaded => self.load::<F>()?,
                Start::From(spot, indexed) => match self.walk_to::<F>(spot, indexed, offset, wait) {
                    Ok(found) => return Ok(found),
                    Err(Failed(failure)) => return Err(failure),
                    Err(IndexIsWrong) if wait == Wait::Never => return Err(ScanFailure::Cold),
                    // An index that was made from the log agrees with it.
                    Err(IndexIsWrong) if rebuilt => return Ok(None),
                    Err(IndexIsWrong) => {
                        self.rebuild::<F>()?;
                        rebuilt = true;
                    }
                },
            }
        }
    }

    fn start(&self, offset: i64) -> Start {
        let facts = self.facts.read();
        if offset >= facts.end_offset {
            return Start::Behind;
        }
        // Loading also tells where a closed segment ends.
        let Some(indexes) = &facts.indexes else { return Start::NotLoaded };
        if offset <= self.base_offset {
            return Start::At(self.first_spot());
        }
        if offset >= facts.recent.from {
            let entries = &facts.recent.entries;
            let index = entries.partition_point(|(last_offset, _)| *last_offset < offset);
            if let Some(&(offset, position)) = entries.get(index) {
                return Start::At(Spot { position, offset });
            }
        }
        let relative = u32::try_from(offset - self.base_offset).unwrap_or(u32::MAX);
        match indexes.offsets.floor_offset(relative) {
            Some(entry) => {
                let spot = self.indexed_spot(entry);
                Start::From(spot, Some(spot.offset))
            }
            None => Start::From(self.first_spot(), None),
        }
    }

    /// Where the first entry begins.
    pub(crate) const fn first_spot(&self) -> Spot {
        Spot { position: 0, offset: self.base_offset }
    }

    /// Where the entry begins that an index entry is about. A format whose entries do not tell their offsets has one
    /// record an entry, so that the last offset is the first.
    pub(super) fn indexed_spot(&self, entry: OffsetEntry) -> Spot {
        let offset = self.base_offset + i64::from(entry.relative);
        Spot { position: u64::from(entry.position), offset }
    }

    fn walk_to<F: LogFormat>(
        &self,
        from: Spot,
        indexed: Option<i64>,
        offset: i64,
        wait: Wait,
    ) -> Result<Option<Spot>, WalkError> {
        let file = self.file().map_err(|error| Failed(error.into()))?;
        let mut scan = Scan::<F>::new(&*file, from, self.size(), wait, LOOKUP_CHUNK);
        let mut first = indexed;
        loop {
            match scan.next_head() {
                Ok(Some((_, head))) if first.is_some_and(|last| last != head.last_offset) => {
                    return Err(IndexIsWrong);
                }
                Ok(Some((position, head))) if head.last_offset >= offset => {
                    return Ok(Some(Spot { position, offset: head.base_offset }));
                }
                Ok(Some(_)) => first = None,
                Ok(None) => return Ok(None),
                Err(ScanError::Unsound { .. }) if first.is_some() => return Err(IndexIsWrong),
                Err(error) => return Err(Failed(self.failure(error))),
            }
        }
    }

    /// The last place at or before `position` where an entry is known to begin.
    pub(crate) fn boundary_at_most(&self, position: u64) -> Spot {
        let facts = self.facts.read();
        let recent = &facts.recent.entries;
        let index = recent.partition_point(|(_, at)| *at <= position);
        if let Some(&(offset, position)) = index.checked_sub(1).and_then(|index| recent.get(index)) {
            return Spot { position, offset };
        }
        let indexed = facts.indexes.as_ref().and_then(|indexes| indexes.offsets.floor_position(position));
        indexed.map_or(self.first_spot(), |entry| self.indexed_spot(entry))
    }

    /// Where the entry ends that begins at `position`, as far as memory tells.
    pub(crate) fn end_of_recent(&self, position: u64) -> Option<u64> {
        let facts = self.facts.read();
        let recent = &facts.recent.entries;
        let index = recent.partition_point(|(_, at)| *at < position);
        if recent.get(index)?.1 != position {
            return None;
        }
        Some(recent.get(index + 1).map_or(facts.size, |(_, at)| *at))
    }

    /// The front of the entry that begins at `spot`.
    pub(crate) fn head_at<F: LogFormat>(
        &self,
        spot: Spot,
        wait: Wait,
    ) -> Result<Option<EntryHead>, ScanFailure> {
        let file = self.file()?;
        let mut scan = Scan::<F>::new(&*file, spot, self.size(), wait, F::HEAD_LEN);
        let head = scan.next_head().map_err(|error| self.failure(error))?;
        Ok(head.map(|(_, head)| head))
    }

    /// The largest timestamp and the last offset of the first entry that has it; `None` when no entry has one.
    pub(crate) fn max_timestamp<F: LogFormat>(&self) -> Result<Option<(i64, i64)>, ScanFailure> {
        self.load_if_needed::<F>()?;
        Ok(self.facts.read().indexes.as_ref().and_then(|indexes| indexes.max_timestamp))
    }

    /// The first record at or after `from` with a timestamp at or after `target_ms`, in entries that begin before
    /// `limit`: its offset, timestamp and epoch.
    pub(crate) fn find_timestamp<F: LogFormat>(
        &self,
        log: &LogName,
        target_ms: i64,
        from: Offset,
        limit: u64,
    ) -> Result<Option<(Offset, i64, i32)>, ScanFailure> {
        if self.max_timestamp::<F>()?.is_none_or(|(max, _)| max < target_ms) {
            return Ok(None);
        }
        let floor: Option<TimeEntry> = {
            let facts = self.facts.read();
            facts.indexes.as_ref().and_then(|indexes| indexes.times.floor_timestamp(target_ms))
        };
        let indexed = floor.map_or(self.base_offset, |entry| self.base_offset + i64::from(entry.relative));
        let Some(spot) = self.locate::<F>(indexed.max(from.get()), Wait::ForDisk)? else {
            return Ok(None);
        };
        let file = self.file()?;
        let limit = limit.min(self.size());
        let mut scan = Scan::<F>::new(&*file, spot, limit, Wait::ForDisk, LOOKUP_CHUNK);
        while let Some((position, head)) = scan.next_head().map_err(|error| self.failure(error))? {
            if head.max_timestamp < target_ms || head.last_offset < from.get() {
                continue;
            }
            let entry = self.read_entry(position, head.len)?;
            let found = F::first_at_or_after(&entry, &head, target_ms, from)
                .map_err(|error| unreadable(log, &head, error))?;
            if let Some((offset, timestamp)) = found {
                return Ok(Some((offset, timestamp, head.leader_epoch)));
            }
        }
        Ok(None)
    }

    /// The first record that has the largest timestamp of the entry that ends with `last_offset`.
    pub(crate) fn first_at_max<F: LogFormat>(
        &self,
        log: &LogName,
        last_offset: i64,
    ) -> Result<Option<(Offset, i64, i32)>, ScanFailure> {
        let Some(spot) = self.locate::<F>(last_offset, Wait::ForDisk)? else { return Ok(None) };
        let Some(head) = self.head_at::<F>(spot, Wait::ForDisk)? else { return Ok(None) };
        let entry = self.read_entry(spot.position, head.len)?;
        let found =
            F::first_at_max_timestamp(&entry, &head).map_err(|error| unreadable(log, &head, error))?;
        Ok(found.map(|(offset, timestamp)| (offset, timestamp, head.leader_epoch)))
    }

    /// The largest timestamp among the entries before `limit`, and the last offset of the first entry that has it.
    pub(crate) fn max_before<F: LogFormat>(
        &self,
        limit: u64,
        wait: Wait,
    ) -> Result<Option<(i64, i64)>, ScanFailure> {
        let file = self.file()?;
        let mut scan = Scan::<F>::new(&*file, self.first_spot(), limit, wait, crate::scan::SCAN_CHUNK);
        let mut max: Option<(i64, i64)> = None;
        while let Some((_, head)) = scan.next_head().map_err(|error| self.failure(error))? {
            if head.max_timestamp >= 0 && max.is_none_or(|(known, _)| head.max_timestamp > known) {
                max = Some((head.max_timestamp, head.last_offset));
            }
        }
        Ok(max)
    }

    pub(crate) fn read_entry(&self, position: u64, len: usize) -> Result<Vec<u8>, ScanFailure> {
        self.read_bytes(position, len, Wait::ForDisk)
    }

    /// The bytes at `position`, all `len` of them.
    pub(crate) fn read_bytes(&self, position: u64, len: usize, wait: Wait) -> Result<Vec<u8>, ScanFailure> {
        let mut bytes = vec![0; len];
        let file = self.file()?;
        let mut filled = 0;
        while filled < len {
            let (buffer, at) = (&mut bytes[filled..], position + filled as u64);
            let read = match wait {
                Wait::ForDisk => file.read_at(buffer, at).map(Some),
                Wait::Never => file.read_at_cached(buffer, at),
            };
            match read.map_err(|error| self.failure(error.into()))? {
                Some(0) => return Err(self.failure(ScanError::Io(io::ErrorKind::UnexpectedEof.into()))),
                Some(read) => filled += read,
                None => return Err(ScanFailure::Cold),
            }
        }
        Ok(bytes)
    }

    pub(crate) fn failure(&self, error: ScanError) -> ScanFailure {
        match error {
            ScanError::Cold => ScanFailure::Cold,
            ScanError::Io(error) => StorageError::io("read", &self.path, error).into(),
            ScanError::Unsound { position, damage } => {
                StorageError::Corrupt { path: self.path.clone(), position, damage }.into()
            }
        }
    }
}

/// Why a lookup gave nothing.
#[derive(Debug)]
pub(crate) enum ScanFailure {
    /// The device must be waited for, and the caller would not.
    Cold,
    /// It failed.
    Storage(StorageError),
}

impl From<StorageError> for ScanFailure {
    fn from(error: StorageError) -> Self {
        Self::Storage(error)
    }
}

impl ScanFailure {
    /// The error, for a caller that did wait.
    pub(crate) fn into_error(self) -> StorageError {
        match self {
            Self::Storage(error) => error,
            Self::Cold => unreachable!("only lookups that do not wait end as cold"),
        }
    }
}

/// Why a walk from an index entry gave nothing.
enum WalkError {
    /// The index does not agree with the log.
    IndexIsWrong,
    Failed(ScanFailure),
}

use WalkError::{Failed, IndexIsWrong};

fn unreadable(log: &LogName, head: &EntryHead, error: headwater_records::RecordError) -> StorageError {
    StorageError::Unreadable {
        log: log.clone(),
        offset: Offset::ZERO.plus(head.base_offset),
        source: std::sync::Arc::new(error),
    }
}

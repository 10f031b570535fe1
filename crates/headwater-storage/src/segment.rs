//! One segment of a log: the file of entries and its two sparse indexes.
//!
//! An active segment has its indexes in memory, and the exact places of its newest entries besides, so that a reader
//! near the end needs no file. A closed one reads its indexes when somebody asks, and trusts them only as far as they
//! agree with the log.

use std::{
    collections::VecDeque,
    io::IoSlice,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicI64, Ordering},
    },
};

use parking_lot::{Mutex, RwLock};

mod cleaned;
mod entries;
mod load;
mod locate;
mod offset_index;
mod time_index;

pub(crate) use cleaned::{CleanedSegment, suffixed};
use entries::{Entries, IndexEntry, Unwritten};
pub(crate) use locate::ScanFailure;
use offset_index::{OffsetEntry, OffsetIndex};
use time_index::{TimeEntry, TimeIndex};

use crate::{
    StorageError,
    disk::{Disk, DiskFile, OpenMode},
    format::{EntryHead, LogFormat},
};

/// One segment.
#[derive(Debug)]
pub(crate) struct Segment {
    disk: Arc<dyn Disk>,
    /// The log file's path.
    path: PathBuf,
    base_offset: i64,
    /// Open once it was needed.
    file: RwLock<Option<Arc<dyn DiskFile>>>,
    facts: RwLock<Facts>,
    /// Held while index files are written.
    index_files: Mutex<()>,
    /// When the segment was last read or written, for closing what idles.
    used_ms: AtomicI64,
    /// Its names belong to another segment now, or will; only who holds it reads it still.
    retired: AtomicBool,
}

/// What is known of a segment's content.
#[derive(Debug)]
struct Facts {
    /// Bytes of sound entries.
    size: u64,
    /// The offset after the last record.
    end_offset: i64,
    /// `None` while they are only on disk.
    indexes: Option<Indexes>,
    recent: Recent,
    /// When the segment was made or opened, milliseconds since the epoch.
    created_ms: i64,
    /// When the file was last written to, as far as is known.
    modified_ms: i64,
    /// Whether nothing is appended any more.
    closed: bool,
}

#[derive(Debug)]
struct Indexes {
    offsets: OffsetIndex,
    times: TimeIndex,
    /// Bytes since the last offset entry.
    bytes_since_entry: u64,
    /// The largest timestamp of the first entry.
    first_timestamp: Option<i64>,
    /// The largest timestamp, and the last offset of the first entry that has it.
    max_timestamp: Option<(i64, i64)>,
}

impl Indexes {
    const fn new() -> Self {
        Self {
            offsets: OffsetIndex::new(),
            times: TimeIndex::new(),
            bytes_since_entry: 0,
            first_timestamp: None,
            max_timestamp: None,
        }
    }
}

/// The newest entries of an active segment, each with its last offset and where it begins.
#[derive(Debug, Default)]
struct Recent {
    entries: VecDeque<(i64, u64)>,
    /// The least offset whose place is told.
    from: i64,
}

/// Limits of a segment's indexes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IndexLimits {
    /// `index.interval.bytes`.
    pub(crate) interval_bytes: u32,
    /// `segment.index.bytes`.
    pub(crate) bytes_max: u32,
}

impl Segment {
    /// Makes an empty segment, in place of what has its name.
    pub(crate) fn create(
        disk: &Arc<dyn Disk>,
        dir: &Path,
        base: i64,
        now_ms: i64,
    ) -> Result<Arc<Self>, StorageError> {
        let path = file_path(dir, base, "log");
        let file = disk
            .open(&path, OpenMode::Truncate)
            .map_err(|error| StorageError::io("create the segment", &path, error))?;
        let segment = Self::attach(disk, dir, base, 0, now_ms, now_ms);
        *segment.file.write() = Some(file);
        segment.facts.write().indexes = Some(Indexes::new());
        Ok(Arc::new(segment))
    }

    /// As [`Segment::create`], but whoever opens the directory finds the old file or the new one, never none.
    pub(crate) fn replace(
        disk: &Arc<dyn Disk>,
        dir: &Path,
        base: i64,
        now_ms: i64,
    ) -> Result<Arc<Self>, StorageError> {
        let path = file_path(dir, base, "log");
        let new = file_path(dir, base, "log.tmp");
        let replace = || {
            let file = disk.open(&new, OpenMode::Truncate)?;
            file.sync_data()?;
            disk.rename(&new, &path)?;
            Ok(file)
        };
        let file = replace().map_err(|error| StorageError::io("create the segment", &path, error))?;
        let segment = Self::attach(disk, dir, base, 0, now_ms, now_ms);
        *segment.file.write() = Some(file);
        segment.facts.write().indexes = Some(Indexes::new());
        Ok(Arc::new(segment))
    }

    /// A segment that is there already, `size` bytes long. It is not opened.
    pub(crate) fn attach(
        disk: &Arc<dyn Disk>,
        dir: &Path,
        base_offset: i64,
        size: u64,
        modified_ms: i64,
        now_ms: i64,
    ) -> Self {
        let facts = Facts {
            size,
            end_offset: base_offset,
            indexes: None,
            recent: Recent { entries: VecDeque::new(), from: i64::MAX },
            created_ms: now_ms,
            modified_ms,
            closed: false,
        };
        Self {
            disk: Arc::clone(disk),
            path: file_path(dir, base_offset, "log"),
            base_offset,
            file: RwLock::new(None),
            facts: RwLock::new(facts),
            index_files: Mutex::new(()),
            used_ms: AtomicI64::new(now_ms),
            retired: AtomicBool::new(false),
        }
    }

    pub(crate) const fn base_offset(&self) -> i64 {
        self.base_offset
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn size(&self) -> u64 {
        self.facts.read().size
    }

    pub(crate) fn end_offset(&self) -> i64 {
        self.facts.read().end_offset
    }

    /// The file, opened when it was not.
    pub(crate) fn file(&self) -> Result<Arc<dyn DiskFile>, StorageError> {
        if let Some(file) = &*self.file.read() {
            return Ok(Arc::clone(file));
        }
        let mut slot = self.file.write();
        if let Some(file) = &*slot {
            return Ok(Arc::clone(file));
        }
        let file = self
            .disk
            .open(&self.path, OpenMode::Existing)
            .map_err(|error| StorageError::io("open the segment", &self.path, error))?;
        *slot = Some(Arc::clone(&file));
        Ok(file)
    }

    /// Gets the segment ready for another to take its names: its file and its indexes are in memory and stay there, and
    /// nothing is written under its names any more. Readers that have it go on.
    pub(crate) fn retire<F: LogFormat>(&self) -> Result<(), ScanFailure> {
        let _guard = self.index_files.lock();
        self.retired.store(true, Ordering::Release);
        let ready = self
            .file()
            .map_err(ScanFailure::from)
            .and_then(|_| if self.facts.read().indexes.is_none() { self.load::<F>() } else { Ok(()) });
        if ready.is_err() {
            self.unretire();
        }
        ready
    }

    /// The segment keeps its names after all.
    pub(crate) fn unretire(&self) {
        self.retired.store(false, Ordering::Release);
    }

    /// Remembers that the segment is in use.
    pub(crate) fn touch(&self, now_ms: i64) {
        self.used_ms.store(now_ms, Ordering::Relaxed);
    }

    /// Closes the file and forgets the indexes of a closed segment that nobody used since `before_ms`.
    pub(crate) fn let_go(&self, before_ms: i64) {
        if self.used_ms.load(Ordering::Relaxed) >= before_ms || self.retired.load(Ordering::Acquire) {
            return;
        }
        let mut facts = self.facts.write();
        let written = facts.indexes.as_ref().is_none_or(|i| !i.offsets.is_dirty() && !i.times.is_dirty());
        if facts.closed && written {
            facts.indexes = None;
            *self.file.write() = None;
        }
    }

    /// Takes note of entries that were appended, each at its position.
    pub(crate) fn note_appended(&self, entries: &[(u64, EntryHead)], limits: IndexLimits, now_ms: i64) {
        let mut facts = self.facts.write();
        let facts = &mut *facts;
        let base = self.base_offset;
        facts.modified_ms = now_ms;
        let indexes = facts.indexes.get_or_insert_with(Indexes::new);
        for &(position, head) in entries {
            indexes.note(base, position, &head, limits);
            facts.size = position + head.len as u64;
            facts.end_offset = head.next_offset();
            facts.recent.push(&head, position);
        }
    }

    /// Whether an index has no room for another entry.
    pub(crate) fn index_is_full(&self, limits: IndexLimits) -> bool {
        let facts = self.facts.read();
        let max = limits.bytes_max as usize;
        facts.indexes.as_ref().is_some_and(|indexes| {
            // The last time entry is kept for closing the segment.
            indexes.offsets.file_len() + OffsetEntry::LEN > max
                || indexes.times.file_len() + 2 * TimeEntry::LEN > max
        })
    }

    /// How old the segment is in terms of `segment.ms`, given the largest timestamp of the entry to come.
    pub(crate) fn age_ms(&self, next_timestamp: i64, now_ms: i64) -> i64 {
        let facts = self.facts.read();
        match facts.indexes.as_ref().and_then(|indexes| indexes.first_timestamp) {
            Some(first) if first >= 0 && next_timestamp >= 0 => next_timestamp.saturating_sub(first),
            _ => now_ms.saturating_sub(facts.created_ms),
        }
    }

    /// When the file was last written to.
    pub(crate) fn modified_ms(&self) -> i64 {
        self.facts.read().modified_ms
    }

    /// Closes the segment: from now on nothing is appended, and the time index ends with the largest timestamp.
    pub(crate) fn close(&self) {
        let mut facts = self.facts.write();
        facts.closed = true;
        facts.recent = Recent { entries: VecDeque::new(), from: i64::MAX };
        self.add_last_time(&mut facts);
    }

    /// Says where the segment ends.
    pub(crate) fn set_end_offset(&self, end_offset: i64) {
        self.facts.write().end_offset = end_offset;
    }

    /// Makes the segment the active one.
    pub(crate) fn reopen(&self) {
        self.facts.write().closed = false;
    }

    /// Takes note of entries that were found, up to `end_offset`.
    pub(crate) fn note_recovered(&self, entries: &[(u64, EntryHead)], limits: IndexLimits, end_offset: i64) {
        let mut facts = self.facts.write();
        let facts = &mut *facts;
        let indexes = facts.indexes.get_or_insert_with(Indexes::new);
        for &(position, head) in entries {
            indexes.note(self.base_offset, position, &head, limits);
            facts.recent.push(&head, position);
        }
        facts.end_offset = end_offset;
    }

    /// Makes the time index end with the largest timestamp, as Kafka leaves it on a clean stop.
    pub(crate) fn finish_time_index(&self) {
        self.add_last_time(&mut self.facts.write());
    }

    fn add_last_time(&self, facts: &mut Facts) {
        if let Some(indexes) = &mut facts.indexes {
            indexes.note_time(self.base_offset);
        }
    }

    /// Says where the sound bytes end.
    pub(crate) fn set_size(&self, size: u64) {
        self.facts.write().size = size;
    }

    /// Whether an index file lacks something.
    pub(crate) fn indexes_are_dirty(&self) -> bool {
        let facts = self.facts.read();
        facts.indexes.as_ref().is_some_and(|i| i.offsets.is_dirty() || i.times.is_dirty())
    }

    /// Brings the index files up to date, and makes them durable if `durable`.
    pub(crate) fn write_indexes(&self, durable: bool) -> Result<(), StorageError> {
        let _guard = self.index_files.lock();
        if self.retired.load(Ordering::Acquire) {
            return Ok(());
        }
        let Some((offsets, times)) = self
            .facts
            .write()
            .indexes
            .as_mut()
            .map(|i| (i.offsets.take_unwritten(), i.times.take_unwritten()))
        else {
            return Ok(());
        };
        let result = self
            .write_index("index", &offsets, durable)
            .and_then(|()| self.write_index("timeindex", &times, durable));
        if result.is_err()
            && let Some(indexes) = &mut self.facts.write().indexes
        {
            indexes.offsets.forget_written();
            indexes.times.forget_written();
        }
        result
    }

    fn write_index(&self, extension: &str, unwritten: &Unwritten, durable: bool) -> Result<(), StorageError> {
        if unwritten.cut_to.is_none() && unwritten.bytes.is_empty() && !durable {
            return Ok(());
        }
        let path = self.path.with_extension(extension);
        let write = || {
            let file = self.disk.open(&path, OpenMode::Create)?;
            if let Some(len) = unwritten.cut_to
                && file.len()? > len
            {
                file.set_len(len)?;
            }
            if !unwritten.bytes.is_empty() {
                file.write_all_at(&mut [IoSlice::new(&unwritten.bytes)], unwritten.position)?;
            }
            if durable { file.sync_data() } else { Ok(()) }
        };
        write().map_err(|error| StorageError::io("write the index", &path, error))
    }

    /// Removes the segment's files. Slices that hold the file stay valid.
    pub(crate) fn remove_files(&self) -> Result<(), StorageError> {
        for extension in ["log", "index", "timeindex", "txnindex", "snapshot"] {
            let path = self.path.with_extension(extension);
            match self.disk.remove(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(StorageError::io("remove", path, error));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl Indexes {
    /// Takes note of one entry.
    fn note(&mut self, base: i64, position: u64, head: &EntryHead, limits: IndexLimits) {
        if self.bytes_since_entry > u64::from(limits.interval_bytes)
            && self.offsets.file_len() + OffsetEntry::LEN <= limits.bytes_max as usize
            && let (Ok(relative), Ok(position)) =
                (u32::try_from(head.last_offset - base), u32::try_from(position))
        {
            self.note_max(head);
            self.offsets.push(OffsetEntry { relative, position });
            if self.times.file_len() + TimeEntry::LEN < limits.bytes_max as usize {
                self.note_time(base);
            }
            self.bytes_since_entry = 0;
        }
        self.note_max(head);
        self.bytes_since_entry += head.len as u64;
    }

    fn note_max(&mut self, head: &EntryHead) {
        self.first_timestamp.get_or_insert(head.max_timestamp);
        if head.max_timestamp >= 0 && self.max_timestamp.is_none_or(|(max, _)| head.max_timestamp > max) {
            self.max_timestamp = Some((head.max_timestamp, head.last_offset));
        }
    }

    fn note_time(&mut self, base: i64) {
        if let Some((timestamp, last_offset)) = self.max_timestamp
            && let Ok(relative) = u32::try_from(last_offset - base)
        {
            self.times.push(TimeEntry { timestamp, relative });
        }
    }
}

impl Recent {
    fn push(&mut self, head: &EntryHead, position: u64) {
        if self.entries.is_empty() {
            self.from = head.base_offset;
        }
        if self.entries.len() >= RECENT_MAX
            && let Some((last_offset, _)) = self.entries.pop_front()
        {
            self.from = last_offset + 1;
        }
        self.entries.push_back((head.last_offset, position));
    }
}

/// `<base offset, 20 digits>.<extension>`.
pub(crate) fn file_path(dir: &Path, base_offset: i64, extension: &str) -> PathBuf {
    dir.join(format!("{base_offset:020}.{extension}"))
}

/// How many of the newest entries' places are kept in memory.
const RECENT_MAX: usize = 1024;

#[cfg(test)]
mod tests;

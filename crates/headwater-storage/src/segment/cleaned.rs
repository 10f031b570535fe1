//! A segment that compaction writes, to stand in for one or several others.
//!
//! Its files bear the suffix `.cleaned` until they are whole and durable; see `log/swap.rs` for what happens then.

use std::{
    io::IoSlice,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{IndexLimits, Indexes, Segment, file_path};
use crate::{
    StorageError,
    disk::{Disk, DiskFile, OpenMode},
    format::EntryHead,
};

/// A segment that is being written.
#[derive(Debug)]
pub(crate) struct CleanedSegment {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    base_offset: i64,
    file: Arc<dyn DiskFile>,
    indexes: Indexes,
    limits: IndexLimits,
    /// Entries that are not in the file yet.
    buffer: Vec<u8>,
    /// Bytes that are in the file.
    written: u64,
    next_offset: i64,
    /// The extensions of the files there are.
    extensions: Vec<&'static str>,
}

impl CleanedSegment {
    /// Starts an empty one, in place of what an earlier attempt may have left.
    pub(crate) fn create(
        disk: &Arc<dyn Disk>,
        dir: &Path,
        base_offset: i64,
        limits: IndexLimits,
    ) -> Result<Self, StorageError> {
        let path = cleaned_path(dir, base_offset, "log");
        let file = disk
            .open(&path, OpenMode::Truncate)
            .map_err(|error| StorageError::io("create the cleaned segment", &path, error))?;
        Ok(Self {
            disk: Arc::clone(disk),
            dir: dir.to_owned(),
            base_offset,
            file,
            indexes: Indexes::new(),
            limits,
            buffer: Vec::new(),
            written: 0,
            next_offset: base_offset,
            extensions: vec!["log"],
        })
    }

    /// The offset after the last entry.
    pub(crate) const fn next_offset(&self) -> i64 {
        self.next_offset
    }

    /// Bytes of all entries.
    pub(crate) const fn size(&self) -> u64 {
        self.written + self.buffer.len() as u64
    }

    /// Where the next entry is to be added; each is made known by [`CleanedSegment::note`].
    pub(crate) const fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// Takes note of the entry that was added last.
    pub(crate) fn note(&mut self, head: &EntryHead) {
        let position = self.size() - head.len as u64;
        self.indexes.note(self.base_offset, position, head, self.limits);
        self.next_offset = head.next_offset();
    }

    /// Writes what is buffered to the file if it is more than `bytes_max`; gives how much that was.
    pub(crate) fn flush_beyond(&mut self, bytes_max: usize) -> Result<u64, StorageError> {
        if self.buffer.len() <= bytes_max {
            return Ok(0);
        }
        let written = self.file.write_all_at(&mut [IoSlice::new(&self.buffer)], self.written);
        let path = || cleaned_path(&self.dir, self.base_offset, "log");
        written.map_err(|error| StorageError::io("write the cleaned segment", path(), error))?;
        let bytes = self.buffer.len() as u64;
        self.written += bytes;
        self.buffer.clear();
        Ok(bytes)
    }

    /// Writes the rest, the indexes and `transactions`, the content of the transaction index; makes all of it durable.
    pub(crate) fn finish(&mut self, transactions: &[u8]) -> Result<(), StorageError> {
        self.flush_beyond(0)?;
        let io = |op, extension, error| {
            StorageError::io(op, cleaned_path(&self.dir, self.base_offset, extension), error)
        };
        self.file.sync_data().map_err(|error| io("sync", "log", error))?;
        self.indexes.note_time(self.base_offset);
        let offsets = self.indexes.offsets.take_unwritten().bytes;
        let times = self.indexes.times.take_unwritten().bytes;
        let mut files: Vec<(&'static str, &[u8])> = vec![("index", &offsets), ("timeindex", &times)];
        if !transactions.is_empty() {
            files.push(("txnindex", transactions));
        }
        for (extension, content) in files {
            let write = || {
                let path = cleaned_path(&self.dir, self.base_offset, extension);
                let file = self.disk.open(&path, OpenMode::Truncate)?;
                if !content.is_empty() {
                    file.write_all_at(&mut [IoSlice::new(content)], 0)?;
                }
                file.sync_data()
            };
            write().map_err(|error| io("write", extension, error))?;
            self.extensions.push(extension);
        }
        self.disk
            .sync_dir(&self.dir)
            .map_err(|error| StorageError::io("sync the directory", &self.dir, error))
    }

    /// The extensions of its files, without the suffix.
    pub(crate) fn extensions(&self) -> &[&'static str] {
        &self.extensions
    }

    /// Removes its files, which are of no use.
    pub(crate) fn discard(&self) {
        for extension in ["log", "index", "timeindex", "txnindex"] {
            for suffix in ["cleaned", "swap"] {
                // What is left is removed when the log is opened.
                let _ = self.disk.remove(&suffixed(&self.dir, self.base_offset, extension, suffix));
            }
        }
    }

    /// The segment, once its files have their names. It ends where those end that it stands in for, and is as old.
    pub(crate) fn into_segment(self, end_offset: i64, modified_ms: i64, now_ms: i64) -> Arc<Segment> {
        let size = self.size();
        let segment = Segment::attach(&self.disk, &self.dir, self.base_offset, size, modified_ms, now_ms);
        *segment.file.write() = Some(self.file);
        {
            let mut facts = segment.facts.write();
            facts.indexes = Some(self.indexes);
            facts.end_offset = end_offset;
            facts.closed = true;
        }
        Arc::new(segment)
    }
}

/// `<base offset>.<extension>.<suffix>`.
pub(crate) fn suffixed(dir: &Path, base_offset: i64, extension: &str, suffix: &str) -> PathBuf {
    file_path(dir, base_offset, &format!("{extension}.{suffix}"))
}

fn cleaned_path(dir: &Path, base_offset: i64, extension: &str) -> PathBuf {
    suffixed(dir, base_offset, extension, "cleaned")
}

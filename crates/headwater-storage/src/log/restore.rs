//! What is remembered beside the log, brought in step with it when it is opened: leader epochs and producers.

use std::{collections::HashMap, io};

use super::{Log, epochs::Epochs, producers::Producers, recovery::offset_of};
use crate::{
    StorageError,
    format::{EntryHead, LogFormat},
    scan::{SCAN_CHUNK, Scan, Wait},
    segment::ScanFailure,
};

impl<F: LogFormat> Log<F> {
    /// Reads the epochs, and adds those that recovery came upon.
    pub(super) fn load_epochs(&mut self) -> Result<(), StorageError> {
        let scanned = std::mem::take(&mut self.epochs);
        self.epochs = match Epochs::read(&*self.disk, &self.dir) {
            Some(epochs) => epochs,
            None => self.find_epochs()?,
        };
        self.epochs.cut_end(self.end.offset);
        self.epochs.absorb(&scanned);
        self.epochs.cut_start(self.log_start);
        Ok(())
    }

    /// Finds the epochs in the log itself. A segment that begins in the epoch in which the next one begins holds no
    /// other.
    fn find_epochs(&self) -> Result<Epochs, StorageError> {
        let mut epochs = Epochs::default();
        let mut starts = Vec::with_capacity(self.segments.len());
        for segment in self.segments.iter() {
            let head = segment
                .head_at::<F>(segment.first_spot(), Wait::ForDisk)
                .map_err(|failure| failure.into_error())?;
            starts.push(head.map(|head| head.leader_epoch));
        }
        for (at, segment) in self.segments.iter().enumerate() {
            if let (Some(start), Some(Some(next))) = (starts[at], starts.get(at + 1))
                && start == *next
            {
                epochs.note(start, segment.base_offset());
                continue;
            }
            let file = segment.file()?;
            let mut scan =
                Scan::<F>::new(&*file, segment.first_spot(), segment.size(), Wait::ForDisk, SCAN_CHUNK);
            while let Some((_, head)) =
                scan.next_head().map_err(|error| segment.failure(error).into_error())?
            {
                epochs.note(head.leader_epoch, head.base_offset);
            }
        }
        Ok(epochs)
    }

    /// Removes producer snapshots beyond the log's end: they tell of records that are gone.
    pub(super) fn drop_snapshots_beyond_end(&self, files: &[String]) -> Result<(), StorageError> {
        let mut dropped = false;
        for name in files {
            if offset_of(name, ".snapshot").is_some_and(|offset| offset > self.end.offset) {
                let path = self.dir.join(name);
                match self.disk.remove(&path) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => {
                        return Err(StorageError::io("remove", path, error));
                    }
                    _ => dropped = true,
                }
            }
        }
        if dropped {
            self.disk
                .sync_dir(&self.dir)
                .map_err(|error| StorageError::io("sync the directory", &self.dir, error))?;
        }
        Ok(())
    }

    /// Brings the producers in step with the log: from the newest snapshot that is sound, and the log from there on.
    ///
    /// A snapshot holds the last batch of each producer only. What is in the log before it fills up the rest, so that a
    /// producer with several requests in flight may send any of them again after a restart.
    pub(super) fn rebuild_producers(&mut self, now_ms: i64) -> Result<(), StorageError> {
        let end = self.end.offset;
        let mut snapshots: Vec<i64> =
            self.list_files()?.iter().filter_map(|name| offset_of(name, ".snapshot")).collect();
        snapshots.retain(|offset| *offset <= end);
        snapshots.sort_unstable();
        let first = self.segments.first().map_or(end, |segment| segment.base_offset());
        let mut from = first;
        let mut producers = Producers::default();
        while let Some(offset) = snapshots.pop() {
            let read = self.disk.read(&self.dir.join(format!("{offset:020}.snapshot"))).ok();
            if let Some(found) = read.and_then(|bytes| Producers::from_snapshot(&bytes)) {
                producers = found;
                from = from.max(offset);
                break;
            }
        }
        if from > first && !producers.is_empty() {
            let mut before: HashMap<i64, Vec<EntryHead>> = HashMap::new();
            let start = self.some_bytes_before(from)?;
            self.each_head(start, from, |head| {
                if let Some(producer) = head.producer {
                    before.entry(producer.id.get()).or_default().push(*head);
                }
            })?;
            producers.fill_up(&before);
        }
        self.each_head(from, end, |head| {
            producers.apply(head, now_ms);
        })?;
        self.producers = producers;
        self.snapshot_bytes = 0;
        Ok(())
    }

    /// The base offset of an entry that lies some megabytes before `offset`, and not more than a few segments.
    fn some_bytes_before(&self, offset: i64) -> Result<i64, StorageError> {
        let mut left = FILL_UP_BYTES;
        let mut found = offset;
        let last = self.segment_of(offset - 1).map_or(0, |at| at + 1);
        for segment in self.segments[..last].iter().rev().take(FILL_UP_SEGMENTS) {
            let position = segment.locate::<F>(offset, Wait::ForDisk).map_err(ScanFailure::into_error)?;
            let position = position.map_or_else(|| segment.size(), |spot| spot.position);
            let start = segment.boundary_at_most(position.saturating_sub(left));
            let head = segment.head_at::<F>(start, Wait::ForDisk).map_err(ScanFailure::into_error)?;
            found = head.map_or(found, |head| head.base_offset);
            left = left.saturating_sub(position);
            if left == 0 {
                break;
            }
        }
        Ok(found)
    }

    /// Goes through the fronts of the entries that begin at `from` or later and before `upto`.
    fn each_head(&self, from: i64, upto: i64, mut visit: impl FnMut(&EntryHead)) -> Result<(), StorageError> {
        let Some(first) = self.segment_of(from) else { return Ok(()) };
        for segment in &self.segments[first..] {
            if segment.base_offset() >= upto {
                break;
            }
            let spot = segment.locate::<F>(from, Wait::ForDisk).map_err(ScanFailure::into_error)?;
            let Some(spot) = spot else { continue };
            let file = segment.file()?;
            let mut scan = Scan::<F>::new(&*file, spot, segment.size(), Wait::ForDisk, SCAN_CHUNK);
            while let Some((_, head)) =
                scan.next_head().map_err(|error| segment.failure(error).into_error())?
            {
                if head.base_offset >= upto {
                    break;
                }
                if head.base_offset >= from {
                    visit(&head);
                }
            }
        }
        Ok(())
    }

    /// A producer snapshot to write, when so much was appended since the last one that a restart would have a lot to go
    /// through: the file's name and content.
    pub(crate) fn take_due_snapshot(&mut self) -> Option<(String, Vec<u8>)> {
        if self.snapshot_bytes < SNAPSHOT_EVERY_BYTES {
            return None;
        }
        self.snapshot_bytes = 0;
        Some((format!("{:020}.snapshot", self.end.offset), self.producers.to_snapshot()))
    }

    /// Removes snapshots that are neither a segment's nor the newest.
    pub(crate) fn stray_snapshots(&self) -> Result<Vec<String>, StorageError> {
        let mut strays: Vec<(i64, String)> = self
            .list_files()?
            .into_iter()
            .filter_map(|name| Some((offset_of(&name, ".snapshot")?, name)))
            .filter(|(offset, _)| !self.segments.iter().any(|segment| segment.base_offset() == *offset))
            .collect();
        strays.sort_unstable();
        strays.pop();
        Ok(strays.into_iter().map(|(_, name)| name).collect())
    }
}

/// How far back producers' batches are looked for; clients keep no more in flight.
const FILL_UP_BYTES: u64 = 4 << 20;

/// And in how many segments at most.
const FILL_UP_SEGMENTS: usize = 8;

/// How much may be appended before another producer snapshot is due.
const SNAPSHOT_EVERY_BYTES: u64 = 64 << 20;

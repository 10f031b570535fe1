//! Opening a log: what is there, what of it is sound, and what was remembered about it.
//!
//! The recovery point decides. At or above it the log is cut at the first entry that is not sound or does not follow the
//! one before, whatever comes after it: nothing there had been acknowledged as durable. Below it, damage is an error that
//! names file and position, and nothing is cut.

use std::{io, path::Path, sync::Arc};

use headwater_codec::Offset;
use headwater_records::BatchError;

use super::{Log, LogOptions, LogPlace, Unsynced, epochs::Epochs, producers::Producers};
use crate::{
    Damage, StorageError,
    disk::{Disk, parent_of},
    format::{EntryHead, LogFormat},
    scan::{SCAN_CHUNK, Scan, ScanError, Wait, goes_back},
    segment::Segment,
};

/// What opening a log came upon.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Recovered {
    /// Entries that were checked.
    pub entries_checked: u64,
    /// Bytes that were cut off, in all segments.
    pub bytes_cut: u64,
    /// What was wrong where the log was cut, and where that was.
    pub cut: Option<(std::path::PathBuf, u64, Damage)>,
}

impl<F: LogFormat> Log<F> {
    /// Opens the log in `dir`. A directory that is not there is an empty log.
    ///
    /// Whatever a cut leaves is durable when this returns.
    ///
    /// # Errors
    /// [`StorageError::Corrupt`] for damage below the recovery point, and [`StorageError::Io`].
    pub fn open(
        disk: &Arc<dyn Disk>,
        dir: &Path,
        options: LogOptions,
        now_ms: i64,
    ) -> Result<(Self, Recovered), StorageError> {
        let mut log = Self {
            name: options.name,
            disk: Arc::clone(disk),
            dir: dir.to_owned(),
            config: options.config,
            first_files: options.first_files,
            segments: Arc::default(),
            log_start: 0,
            cleaned: options.cleaned_upto.map_or(0, Offset::get),
            end: LogPlace::default(),
            epochs: Epochs::default(),
            producers: Producers::default(),
            snapshot_bytes: 0,
            unsynced: Unsynced::new(disk, dir.to_owned()),
            synced: LogPlace::default(),
            broken: false,
            tail_is_dirty: false,
            held_back: None,
            format: std::marker::PhantomData,
        };
        let mut files = log.list_files()?;
        if log.settle_swaps(&files)? {
            files = log.list_files()?;
        }
        log.attach_segments(&files, now_ms)?;
        let recovery_point = options.recovery_point.map(Offset::get);
        let recovered = log.recover(recovery_point, options.log_start, options.clean)?;
        log.set_log_start(options.log_start, now_ms)?;
        log.load_epochs()?;
        log.drop_snapshots_beyond_end(&files)?;
        log.rebuild_producers(now_ms)?;
        log.synced = log.end;
        if let Some((path, position, damage)) = &recovered.cut {
            tracing::warn!(
                log = %log.name, path = %path.display(), position, %damage,
                log_end = log.end.offset, bytes_cut = recovered.bytes_cut, "the log was cut at the first unsound entry"
            );
        }
        Ok((log, recovered))
    }

    /// The names of the files in the log's directory.
    pub(super) fn list_files(&self) -> Result<Vec<String>, StorageError> {
        match self.disk.list(&self.dir) {
            Ok(entries) => {
                Ok(entries.into_iter().filter(|entry| !entry.is_dir).map(|entry| entry.name).collect())
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(StorageError::io("list", &self.dir, error)),
        }
    }

    fn attach_segments(&mut self, files: &[String], now_ms: i64) -> Result<(), StorageError> {
        let mut bases: Vec<i64> = files.iter().filter_map(|name| offset_of(name, ".log")).collect();
        bases.sort_unstable();
        let mut segments = Vec::with_capacity(bases.len());
        for base in bases {
            let path = crate::segment::file_path(&self.dir, base, "log");
            let stat = self.disk.stat(&path).map_err(|error| StorageError::io("examine", &path, error))?;
            segments.push(Arc::new(Segment::attach(
                &self.disk,
                &self.dir,
                base,
                stat.len,
                stat.modified_ms,
                now_ms,
            )));
        }
        for pair in segments.windows(2) {
            pair[0].set_end_offset(pair[1].base_offset());
            pair[0].close();
        }
        self.segments = Arc::new(segments);
        Ok(())
    }

    /// Goes through what was not known to be on disk, and cuts it where it is not sound.
    fn recover(
        &mut self,
        point: Option<i64>,
        log_start: Option<Offset>,
        clean: bool,
    ) -> Result<Recovered, StorageError> {
        let mut recovered = Recovered::default();
        let Some(first) = self.segments.first() else {
            return match point.filter(|point| *point > 0) {
                Some(point) => Err(self.ends_too_early(&self.dir, 0, 0, point)),
                None => Ok(recovered),
            };
        };
        let point = point.unwrap_or(0);
        // What lies below the log's start does not count: of segments that were deleted some may be back.
        let from = point.max(log_start.map_or(0, Offset::get)).max(first.base_offset());
        let start = if clean { self.segments.len() - 1 } else { self.segment_of(from).unwrap_or(0) };
        let mut expected = self.segments[start].base_offset();
        let segments = Arc::clone(&self.segments);
        let mut at = start;
        let mut cut = false;
        while let Some(segment) = segments.get(at) {
            if segment.base_offset() != expected && at > start && !self.may_have_gaps(expected) {
                // The segments after a gap hold nothing that was acknowledged.
                let damage = Damage::Gap {
                    from: Offset::ZERO.plus(expected),
                    next: Offset::ZERO.plus(segment.base_offset()),
                };
                if expected < point {
                    return Err(StorageError::Corrupt {
                        path: segment.path().to_owned(),
                        position: 0,
                        damage,
                    });
                }
                recovered.cut = Some((segment.path().to_owned(), 0, damage));
                break;
            }
            let next_base = segments.get(at + 1).map(|next| next.base_offset());
            let scanned = self.scan_segment(segment, point, clean, next_base, &mut recovered)?;
            expected = scanned.end_offset;
            at += 1;
            if scanned.was_cut {
                cut = true;
                break;
            }
        }
        let gone = &segments[at..];
        if !gone.is_empty() {
            cut = true;
            self.remove_segments(gone, &mut recovered)?;
        }
        for segment in &segments[start..at - 1] {
            if segment.indexes_are_dirty() {
                self.unsynced.add_closed(Arc::clone(segment));
            }
        }
        let last = &segments[at - 1];
        last.reopen();
        self.end = LogPlace { offset: expected, segment: last.base_offset(), position: last.size() };
        if expected < point {
            return Err(self.ends_too_early(last.path(), last.size(), expected, point));
        }
        if !clean {
            // Made by a process that was killed before it synced them; the next sync takes care of them.
            self.unsynced.first_files = true;
            self.unsynced.dir = true;
            self.unsynced.parent_dir = true;
            self.unsynced.add_segment(last);
        }
        if !clean && (expected > point || cut) {
            // What is served from now on must be on disk: pages of a process that was killed may not be yet.
            for segment in &segments[start..at] {
                let synced = segment.file()?.sync_data();
                synced.map_err(|error| StorageError::io("sync", segment.path(), error))?;
            }
            self.disk
                .sync_dir(&self.dir)
                .map_err(|error| StorageError::io("sync the directory", &self.dir, error))?;
            let parent = parent_of(&self.dir);
            self.disk
                .sync_dir(parent)
                .map_err(|error| StorageError::io("sync the directory", parent, error))?;
        }
        Ok(recovered)
    }

    /// Whether compaction may have removed records at `offset`; the topic may be one that is not compacted any more.
    fn may_have_gaps(&self, offset: i64) -> bool {
        self.config.cleanup_compact || offset < self.cleaned
    }

    pub(super) fn segment_of(&self, offset: i64) -> Option<usize> {
        self.segments.partition_point(|segment| segment.base_offset() <= offset).checked_sub(1)
    }

    fn ends_too_early(&self, path: &Path, position: u64, end: i64, point: i64) -> StorageError {
        StorageError::Corrupt {
            path: path.to_owned(),
            position,
            damage: Damage::EndsTooEarly {
                log_end: Offset::ZERO.plus(end),
                recovery_point: Offset::ZERO.plus(point),
            },
        }
    }

    fn scan_segment(
        &mut self,
        segment: &Segment,
        point: i64,
        clean: bool,
        next_base: Option<i64>,
        recovered: &mut Recovered,
    ) -> Result<Scanned, StorageError> {
        let limits = self.index_limits();
        let from = if clean { i64::MAX } else { point };
        let start = segment.begin_recovery::<F>(from);
        let file = segment.file()?;
        let mut scan = Scan::<F>::new(&*file, start, segment.size(), Wait::ForDisk, SCAN_CHUNK);
        // Whatever the index says lies before `start`, the log must agree with from there on.
        let mut expected = segment.base_offset();
        let mut first = start.position > 0;
        // Where the last batch of several entries begins. Below the recovery point they are all on disk, and compaction may
        // have removed some.
        let whole_below = point.max(self.cleaned);
        let mut batch: Option<(u64, EntryHead)> = None;
        let mut noted: Vec<(u64, EntryHead)> = Vec::new();
        let damage = loop {
            let position = scan.position();
            let next = if clean { scan.next_head() } else { scan.next_checked() };
            let damage = match next {
                Ok(None) => break None,
                Ok(Some((_, head))) if next_base.is_some_and(|next| head.last_offset >= next) => {
                    goes_back(expected, head.base_offset)
                }
                Ok(Some((_, head)))
                    if follows(
                        &head,
                        expected,
                        first || self.may_have_gaps(expected) || head.base_offset < point,
                    ) =>
                {
                    if head.run_last_offset > head.last_offset && head.base_offset >= whole_below {
                        batch = Some((position, head));
                    }
                    expected = head.next_offset();
                    first = false;
                    noted.push((position, head));
                    self.epochs.note(head.leader_epoch, head.base_offset);
                    recovered.entries_checked += 1;
                    if noted.len() >= NOTED_AT_ONCE {
                        segment.note_recovered(&noted, limits, expected);
                        noted.clear();
                    }
                    continue;
                }
                Ok(Some((_, head))) => goes_back(expected, head.base_offset),
                Err(ScanError::Unsound { damage, .. }) => damage,
                Err(ScanError::Io(error)) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    Damage::Batch(BatchError::Truncated { have: 0, need: F::HEAD_LEN })
                }
                Err(error) => return Err(segment.failure(error).into_error()),
            };
            break Some((position, damage));
        };
        segment.note_recovered(&noted, limits, expected);
        let size = segment.size();
        // A crash cuts short the last batch of all. Where a sound segment of a compacted log is followed by another, the rest
        // of the batch was compacted away, whatever the checkpoints remember of that.
        let was_compacted = damage.is_none() && next_base.is_some() && self.may_have_gaps(expected);
        let cut_short =
            batch.filter(|(_, head)| head.run_last_offset >= expected && !clean && !was_compacted);
        let damage = match cut_short {
            Some((position, head)) => {
                let damage = Damage::BatchCutShort {
                    base: Offset::ZERO.plus(head.base_offset),
                    last: Offset::ZERO.plus(head.run_last_offset),
                    end: Offset::ZERO.plus(expected),
                };
                expected = head.base_offset;
                segment.forget_from::<F>(position, expected).map_err(|failure| failure.into_error())?;
                Some((position, damage))
            }
            None => damage,
        };
        let Some((position, damage)) = damage else {
            return Ok(Scanned { end_offset: expected, was_cut: false });
        };
        let overlap = next_base == Some(expected);
        if (expected < point || clean) && !overlap {
            return Err(StorageError::Corrupt { path: segment.path().to_owned(), position, damage });
        }
        recovered.bytes_cut += size.saturating_sub(position);
        let cut = file.set_len(position);
        cut.map_err(|error| StorageError::io("cut the segment", segment.path(), error))?;
        segment.set_size(position);
        if !overlap {
            recovered.cut = Some((segment.path().to_owned(), position, damage));
        }
        Ok(Scanned { end_offset: expected, was_cut: !overlap })
    }

    /// Removes segments that lie behind a cut, the last one first.
    pub(super) fn remove_segments(
        &mut self,
        gone: &[Arc<Segment>],
        recovered: &mut Recovered,
    ) -> Result<(), StorageError> {
        for segment in gone.iter().rev() {
            recovered.bytes_cut += segment.size();
            segment.remove_files()?;
        }
        let first_gone = gone.first().map_or(i64::MAX, |segment| segment.base_offset());
        self.retain_segments(|segment| segment.base_offset() < first_gone);
        Ok(())
    }

    /// Takes the checkpoint's log start, within what there is.
    fn set_log_start(&mut self, checkpoint: Option<Offset>, now_ms: i64) -> Result<(), StorageError> {
        let first = self.segments.first().map_or(0, |segment| segment.base_offset());
        self.log_start = checkpoint.map_or(first, |start| start.get().max(first));
        if self.log_start > self.end.offset {
            // Everything was deleted, and then the end was lost: the log goes on at its start.
            self.end.offset = self.log_start;
            if !self.segments.is_empty() {
                let gone: Vec<_> = self.segments.to_vec();
                let segment = Segment::create(&self.disk, &self.dir, self.log_start, now_ms)?;
                self.disk
                    .sync_dir(&self.dir)
                    .map_err(|error| StorageError::io("sync the directory", &self.dir, error))?;
                self.remove_segments(&gone, &mut Recovered::default())?;
                self.push_segment(segment);
            }
            self.end = LogPlace { offset: self.log_start, segment: self.log_start, position: 0 };
        }
        Ok(())
    }
}

/// How many entries are noted with one lock.
const NOTED_AT_ONCE: usize = 1024;

/// What going through a segment came to.
struct Scanned {
    end_offset: i64,
    was_cut: bool,
}

/// Whether an entry may come where `expected` is the next offset. `gap` allows for offsets that are left out.
const fn follows(head: &EntryHead, expected: i64, gap: bool) -> bool {
    head.base_offset == expected || (gap && head.base_offset > expected)
}

/// The offset in a file name of 20 digits and `suffix`.
pub(super) fn offset_of(name: &str, suffix: &str) -> Option<i64> {
    let digits = name.strip_suffix(suffix)?;
    if digits.len() != 20 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}

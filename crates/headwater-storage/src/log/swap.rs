//! How cleaned segments take the place of others, so that a crash at any point leaves the old ones or the new one.
//!
//! As Apache Kafka does it, with its suffixes, so that either can finish what the other began:
//!
//! 1. The new segment's files are written as `.cleaned`, and are durable. A crash before 2 is over: they are removed.
//! 2. They become `.swap`. From here on the new segment counts.
//! 3. The files of all replaced segments but the first become `.deleted`, durably: were one of them back beside the
//!    finished new segment, their offsets would overlap.
//! 4. The `.swap` files take their names, the log last, in the place of the first segment's.
//! 5. The `.deleted` files are removed.
//!
//! Nothing else may take away or make segments of the log meanwhile.

use std::{io, path::Path, sync::Arc};

use super::{Log, recovery::offset_of};
use crate::{
    Disk, LogPlace, StorageError,
    format::LogFormat,
    scan::{SCAN_CHUNK, Scan, Wait},
    segment::{CleanedSegment, Segment, file_path, suffixed},
};

/// Why a swap did not come about.
#[derive(Debug)]
pub(crate) enum SwapError {
    /// Everything is as it was.
    Undone(StorageError),
    /// The disk has the new segment or will have it when the log is opened again; until then the old ones serve.
    Halfway(StorageError),
}

impl SwapError {
    /// What went wrong.
    pub(crate) fn into_error(self) -> StorageError {
        match self {
            Self::Undone(error) | Self::Halfway(error) => error,
        }
    }
}

/// Puts a finished segment into the place of those at `bases`, the first of which has its base offset.
pub(crate) fn swap_in(
    disk: &dyn Disk,
    dir: &Path,
    cleaned: &CleanedSegment,
    bases: &[i64],
) -> Result<(), SwapError> {
    let Some((&base, others)) = bases.split_first() else { return Ok(()) };
    let rename = |extension: &str, from: &str, to: &str| {
        let (from, to) = (suffixed(dir, base, extension, from), suffixed(dir, base, extension, to));
        disk.rename(&from, &to).map_err(|error| StorageError::io("rename", from, error))
    };
    let sync = || disk.sync_dir(dir).map_err(|error| StorageError::io("sync the directory", dir, error));
    let committed = cleaned
        .extensions()
        .iter()
        .rev()
        .try_for_each(|extension| rename(extension, "cleaned", "swap"))
        .and_then(|()| sync());
    if let Err(error) = committed {
        cleaned.discard();
        return Err(SwapError::Undone(error));
    }
    finish(disk, dir, base, cleaned.extensions(), others).map_err(SwapError::Halfway)
}

/// Steps 3 to 5.
fn finish(
    disk: &dyn Disk,
    dir: &Path,
    base: i64,
    extensions: &[&str],
    others: &[i64],
) -> Result<(), StorageError> {
    let sync = || disk.sync_dir(dir).map_err(|error| StorageError::io("sync the directory", dir, error));
    let mut deleted = Vec::new();
    for &other in others.iter().rev() {
        for extension in EXTENSIONS.iter().chain(&["snapshot"]) {
            let (from, to) = (file_path(dir, other, extension), suffixed(dir, other, extension, "deleted"));
            match disk.rename(&from, &to) {
                Ok(()) => deleted.push(to),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(StorageError::io("rename", from, error)),
            }
        }
    }
    if !others.is_empty() {
        sync()?;
    }
    for extension in EXTENSIONS.iter().rev() {
        let to = file_path(dir, base, extension);
        if extensions.contains(extension) {
            let from = suffixed(dir, base, extension, "swap");
            disk.rename(&from, &to).map_err(|error| StorageError::io("rename", from, error))?;
        } else {
            remove(disk, &to)?;
        }
    }
    sync()?;
    deleted.iter().try_for_each(|path| remove(disk, path))
}

fn remove(disk: &dyn Disk, path: &Path) -> Result<(), StorageError> {
    match disk.remove(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(StorageError::io("remove", path, error)),
        _ => Ok(()),
    }
}

impl<F: LogFormat> Log<F> {
    /// Finishes or undoes what a crash left of a swap. Whether there was anything.
    pub(super) fn settle_swaps(&self, files: &[String]) -> Result<bool, StorageError> {
        let suffix_of = |name: &str| SUFFIXES.into_iter().find(|suffix| name.ends_with(suffix));
        let mut found: Vec<(i64, &str, &str)> = Vec::new();
        for name in files {
            let Some(suffix) = suffix_of(name) else { continue };
            let Some((offset, extension)) = parts_of(name.strip_suffix(suffix).unwrap_or(name)) else {
                continue;
            };
            found.push((offset, extension, suffix));
        }
        if found.is_empty() {
            return Ok(false);
        }
        let (disk, dir) = (&*self.disk, &*self.dir);
        let first_cleaned =
            found.iter().filter(|(.., suffix)| *suffix == CLEANED).map(|(offset, ..)| *offset).min();
        // As long as one of its files is `.cleaned`, a swap has not come about.
        let counts = |offset: i64| first_cleaned.is_none_or(|first| offset < first);
        found.sort_unstable();
        let mut at = 0;
        while let Some(&(base, ..)) = found.get(at) {
            let files: Vec<_> = found[at..].iter().take_while(|(offset, ..)| *offset == base).collect();
            at += files.len();
            let mut swapped = Vec::new();
            for (_, extension, suffix) in files {
                if *suffix == SWAP && counts(base) {
                    swapped.push(*extension);
                } else {
                    remove(disk, &dir.join(format!("{base:020}.{extension}{suffix}")))?;
                }
            }
            if swapped.contains(&"log") {
                let end = self.end_of_swap(base)?;
                let log_of = |name: &String| offset_of(name, ".log").filter(|at| *at > base && *at < end);
                let others: Vec<i64> = self.list_files()?.iter().filter_map(log_of).collect();
                tracing::warn!(log = %self.name, base, end, replaced = others.len() + 1, "finishing the swap of a cleaned segment");
                finish(disk, dir, base, &swapped, &others)?;
            } else {
                // The log has its name already, and these only must follow. An index can be made anew, and is.
                for extension in swapped {
                    let (from, to) =
                        (suffixed(dir, base, extension, "swap"), file_path(dir, base, extension));
                    if extension == "txnindex" {
                        disk.rename(&from, &to).map_err(|error| StorageError::io("rename", from, error))?;
                    } else {
                        remove(disk, &to)?;
                        remove(disk, &from)?;
                    }
                }
            }
        }
        disk.sync_dir(dir).map_err(|error| StorageError::io("sync the directory", dir, error))?;
        Ok(true)
    }

    /// The offset after the last entry of a log file that is to be swapped in.
    fn end_of_swap(&self, base: i64) -> Result<i64, StorageError> {
        let path = suffixed(&self.dir, base, "log", "swap");
        let io = |op, error| StorageError::io(op, &path, error);
        let file = self.disk.open(&path, crate::OpenMode::Existing).map_err(|error| io("open", error))?;
        let len = file.len().map_err(|error| io("examine", error))?;
        let segment = Segment::attach(&self.disk, &self.dir, base, len, 0, 0);
        let mut scan = Scan::<F>::new(&*file, segment.first_spot(), len, Wait::ForDisk, SCAN_CHUNK);
        let mut end = base;
        while let Some((_, head)) = scan.next_head().map_err(|error| segment.failure(error).into_error())? {
            end = head.next_offset();
        }
        Ok(end)
    }

    /// Lets `new` stand in for `old`, which are segments of the log, one after another, and not the last. Whether they are.
    pub(crate) fn replace_segments(&mut self, old: &[Arc<Segment>], new: Arc<Segment>) -> bool {
        let Some(at) = self.position_of(old) else { return false };
        let mut segments = self.segments.to_vec();
        segments.splice(at..at + old.len(), [new]);
        self.segments = Arc::new(segments);
        true
    }

    /// Whether `old` are segments of the log, one after another, and not in use by a place that must not move.
    pub(crate) fn can_replace(&self, old: &[Arc<Segment>], high: LogPlace) -> bool {
        let in_use = self.synced.segment.min(high.segment);
        self.position_of(old).is_some() && old.iter().all(|segment| segment.base_offset() < in_use)
    }

    fn position_of(&self, old: &[Arc<Segment>]) -> Option<usize> {
        let at = {
            let first = old.first()?;
            self.segments.iter().position(|segment| Arc::ptr_eq(segment, first))?
        };
        let there = self.segments.get(at..at + old.len())?;
        let same = there.iter().zip(old).all(|(there, old)| Arc::ptr_eq(there, old));
        (same && at + old.len() < self.segments.len()).then_some(at)
    }
}

/// Offset and extension of a file of a segment.
fn parts_of(name: &str) -> Option<(i64, &'static str)> {
    let extension = EXTENSIONS.into_iter().chain(["snapshot"]).find(|e| name.ends_with(&format!(".{e}")))?;
    Some((offset_of(name, &format!(".{extension}"))?, extension))
}

/// What a segment consists of. The log comes first.
const EXTENSIONS: [&str; 4] = ["log", "index", "timeindex", "txnindex"];

const CLEANED: &str = ".cleaned";
const SWAP: &str = ".swap";
const SUFFIXES: [&str; 3] = [CLEANED, SWAP, ".deleted"];

//! Making a log durable, and what to do when that fails.

use std::{io, path::PathBuf, sync::Arc};

use bytes::Bytes;

use super::{Log, LogPlace};
use crate::{
    StorageError,
    disk::{Disk, OpenMode, parent_of},
    format::LogFormat,
    segment::Segment,
};

/// What must be synced so that everything up to a place is durable. Syncing it takes no hold of the log.
#[derive(Debug)]
pub struct Unsynced {
    disk: Arc<dyn Disk>,
    log_dir: PathBuf,
    upto: LogPlace,
    /// Segments whose file has new bytes.
    segments: Vec<Arc<Segment>>,
    /// Segments that were closed, whose indexes go to their files for good.
    closed: Vec<Arc<Segment>>,
    /// Small files to write, and whether they must be durable.
    files: Vec<(String, Vec<u8>, bool)>,
    /// The first files were written with the directory.
    pub(super) first_files: bool,
    first_files_content: Vec<(String, Bytes)>,
    /// The directory has new entries.
    pub(super) dir: bool,
    /// The directory itself is new.
    pub(super) parent_dir: bool,
}

impl Unsynced {
    pub(super) fn new(disk: &Arc<dyn Disk>, log_dir: PathBuf) -> Self {
        Self {
            disk: Arc::clone(disk),
            log_dir,
            upto: LogPlace::default(),
            segments: Vec::new(),
            closed: Vec::new(),
            files: Vec::new(),
            first_files: false,
            first_files_content: Vec::new(),
            dir: false,
            parent_dir: false,
        }
    }

    /// Up to where the log is durable when all of this is synced.
    pub const fn upto(&self) -> LogPlace {
        self.upto
    }

    /// Whether nothing needs a sync.
    pub fn is_empty(&self) -> bool {
        self.segments.is_empty() && !self.first_files && !self.dir && !self.parent_dir
    }

    /// Whether nothing is left for [`Unsynced::seal`].
    pub fn is_sealed(&self) -> bool {
        self.closed.is_empty() && self.files.is_empty()
    }

    pub(super) fn add_segment(&mut self, segment: &Arc<Segment>) {
        if !self.segments.iter().any(|known| Arc::ptr_eq(known, segment)) {
            self.segments.push(Arc::clone(segment));
        }
    }

    pub(super) fn add_closed(&mut self, segment: Arc<Segment>) {
        self.closed.push(segment);
    }

    pub(super) fn add_file(&mut self, name: String, content: Vec<u8>, durable: bool) {
        self.files.retain(|(known, _, _)| *known != name);
        self.files.push((name, content, durable));
    }

    /// Takes no more care of segments below `first`: they are deleted.
    pub(super) fn forget_below(&mut self, first: i64) {
        self.segments.retain(|segment| segment.base_offset() >= first);
        self.closed.retain(|segment| segment.base_offset() >= first);
    }

    /// Makes the records durable. When this fails it must not be tried again on the same files.
    ///
    /// # Errors
    /// [`StorageError::Io`], naming the file.
    pub fn sync(&self) -> Result<(), StorageError> {
        if self.first_files {
            for (name, _) in &self.first_files_content {
                let path = self.log_dir.join(name);
                let synced = self.disk.open(&path, OpenMode::Existing).and_then(|file| file.sync_data());
                match synced {
                    // A directory that somebody else made may be without.
                    Err(error) if error.kind() != io::ErrorKind::NotFound => {
                        return Err(StorageError::io("sync", path, error));
                    }
                    _ => {}
                }
            }
        }
        for segment in &self.segments {
            let synced = segment.file()?.sync_data();
            synced.map_err(|error| StorageError::io("sync", segment.path(), error))?;
        }
        if self.dir {
            self.disk
                .sync_dir(&self.log_dir)
                .map_err(|error| StorageError::io("sync the directory", &self.log_dir, error))?;
        }
        if self.parent_dir {
            let parent = parent_of(&self.log_dir);
            self.disk
                .sync_dir(parent)
                .map_err(|error| StorageError::io("sync the directory", parent, error))?;
        }
        Ok(())
    }

    /// Writes what recovery needs less of a log for: the indexes of closed segments, producer snapshots, epochs. The
    /// recovery point may not pass [`Unsynced::upto`] before this was done. May be tried again.
    ///
    /// # Errors
    /// [`StorageError::Io`], naming the file.
    pub fn seal(&self) -> Result<(), StorageError> {
        for segment in &self.closed {
            segment.write_indexes(true)?;
        }
        for (name, content, durable) in &self.files {
            let path = self.log_dir.join(name);
            self.disk
                .replace(&path, content, *durable)
                .map_err(|error| StorageError::io("write", path, error))?;
        }
        if !self.closed.is_empty() {
            self.disk
                .sync_dir(&self.log_dir)
                .map_err(|error| StorageError::io("sync the directory", &self.log_dir, error))?;
        }
        Ok(())
    }

    /// Adds what an older one left to be sealed.
    pub(crate) fn absorb_unsealed(&mut self, older: Self) {
        self.closed.splice(0..0, older.closed);
        for (name, content, durable) in older.files.into_iter().rev() {
            if !self.files.iter().any(|(known, _, _)| *known == name) {
                self.files.insert(0, (name, content, durable));
            }
        }
    }
}

impl<F: LogFormat> Log<F> {
    /// What must be synced so that everything written so far is durable; counts as under way from then on.
    pub fn take_unsynced(&mut self) -> Unsynced {
        if let Some((name, content)) = self.epochs.take_unwritten() {
            self.unsynced.add_file(name.to_owned(), content, true);
        }
        let mut taken = std::mem::replace(&mut self.unsynced, Unsynced::new(&self.disk, self.dir.clone()));
        taken.upto = self.end;
        if taken.first_files {
            taken.first_files_content.clone_from(&self.first_files);
        }
        taken
    }

    /// Writes what recovery made anew: indexes of closed segments. The log is as good without.
    ///
    /// # Errors
    /// [`StorageError::Io`].
    pub fn seal(&mut self) -> Result<(), StorageError> {
        self.unsynced.seal()?;
        self.unsynced.closed.clear();
        self.unsynced.files.clear();
        Ok(())
    }

    /// Whether something was written that was not taken by [`Log::take_unsynced`].
    pub fn has_unsynced(&self) -> bool {
        !self.unsynced.is_empty()
    }

    /// Whether a segment was closed since the last sync.
    pub fn has_closed(&self) -> bool {
        !self.unsynced.closed.is_empty()
    }

    /// Takes note that everything up to `place` is durable.
    pub const fn mark_synced(&mut self, place: LogPlace) {
        self.synced = place;
    }

    /// Up to where the log is known to be durable.
    pub const fn synced(&self) -> LogPlace {
        self.synced
    }

    /// Makes everything written so far durable.
    ///
    /// # Errors
    /// [`StorageError::Io`]. What was written since the last sync is gone from the log then: a sync that failed is never
    /// repeated on the same file, since the system may have dropped the pages. The log goes on in a new segment if it
    /// can; otherwise the next call tries that again.
    pub fn sync(&mut self, now_ms: i64) -> Result<(), StorageError> {
        if self.broken {
            self.restart_at_synced(now_ms)?;
        }
        let unsynced = self.take_unsynced();
        if let Err(error) = unsynced.sync() {
            if let Err(again) = self.restart_at_synced(now_ms) {
                tracing::error!(log = %self.name, error = %again, "no new segment after a failed sync");
            }
            return Err(error);
        }
        self.synced = unsynced.upto;
        unsynced.seal()
    }

    /// Goes on after a failed sync: cuts the log back to the last synced place, in memory and on disk, and starts a new
    /// segment there, which is synced. The segment before it is closed for good.
    ///
    /// # Errors
    /// [`StorageError::Io`] when that fails as well; it may be tried again.
    pub fn restart_at_synced(&mut self, now_ms: i64) -> Result<(), StorageError> {
        self.broken = true;
        let LogPlace { offset, segment: base, position } = self.synced;
        self.tail_is_dirty = false;
        self.unsynced = Unsynced::new(&self.disk, self.dir.clone());
        let keep_base = position > 0;
        let kept = |s: &Segment| s.base_offset() < base || (s.base_offset() == base && keep_base);
        // A file that stayed would be taken for the log's next segment by recovery, so they go first.
        // The one at the synced offset is replaced: were it the only one, a log without would begin at 0 again.
        for segment in
            self.segments.iter().filter(|segment| !kept(segment) && segment.base_offset() != offset).rev()
        {
            segment.remove_files()?;
        }
        if let Some(last) = self.segments.iter().find(|s| !kept(s) && s.base_offset() == offset) {
            // Its pages may be in memory and never reach the disk: whoever opens it now must not take them for durable.
            let cut = last.file()?.set_len(0);
            cut.map_err(|error| StorageError::io("cut the segment", last.path(), error))?;
        }
        self.retain_segments(kept);
        self.end = self.synced;
        if let Some(last) = self.active().filter(|last| last.base_offset() == base).cloned() {
            last.forget_from::<F>(position, offset).map_err(|failure| failure.into_error())?;
            last.close();
            // Recovery cuts at the next segment's base offset anyway, should this not reach the disk.
            let cut = last.file()?.set_len(position);
            cut.map_err(|error| StorageError::io("cut the segment", last.path(), error))?;
        }
        self.make_dir(true)?;
        let segment = Segment::replace(&self.disk, &self.dir, offset, now_ms)?;
        self.push_segment(segment.clone());
        self.end = LogPlace { offset, segment: offset, position: 0 };
        self.unsynced.add_segment(&segment);
        self.unsynced.dir = true;
        self.epochs.cut_end(offset);
        self.epochs.forget_written();
        // A snapshot of what is gone must not be taken for one of what comes in its place.
        self.drop_snapshots_beyond_end(&self.list_files()?)?;
        self.rebuild_producers(now_ms)?;
        let unsynced = self.take_unsynced();
        unsynced.sync()?;
        unsynced.seal()?;
        self.synced = self.end;
        self.broken = false;
        tracing::warn!(log = %self.name, offset, "a sync failed; the log goes on in a new segment");
        Ok(())
    }

    /// Whether the log must be restarted before anything is appended.
    pub const fn is_broken(&self) -> bool {
        self.broken
    }

    /// Closes the log in order: everything durable, indexes, producers and epochs in their files.
    ///
    /// # Errors
    /// [`StorageError::Io`].
    pub fn close(&mut self, now_ms: i64) -> Result<(), StorageError> {
        self.sync(now_ms)?;
        let Some(active) = self.active().cloned() else { return Ok(()) };
        active.finish_time_index();
        for segment in self.segments.iter() {
            if segment.indexes_are_dirty() {
                segment.write_indexes(true)?;
            }
        }
        let path = self.dir.join(format!("{:020}.snapshot", self.end.offset));
        self.disk
            .replace(&path, &self.producers.to_snapshot(), true)
            .map_err(|error| StorageError::io("write", path, error))
    }
}

//! A disk in memory that can lose power and fail: the double for crash tests.
//!
//! Every file keeps its synced content apart from what was written since, and so does every directory with its
//! entries. A power cut makes a new disk of what was synced and as much of the rest as [`PowerCut`] says. The old disk
//! and its handles fail from then on.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, IoSlice},
    path::{Path, PathBuf},
    sync::{Arc, Weak},
    time::Duration,
};

use parking_lot::{Condvar, Mutex};

use super::{DirEntry, Disk, DiskFile, FileStat, OpenMode, Space};

mod state;

use state::State;

/// What becomes of writes that were not synced when the power goes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum PowerCut {
    /// All are gone.
    Dropped,
    /// They are there up to some point, the last one in part.
    Torn {
        /// Where, by chance.
        seed: u64,
    },
    /// Any of them are there, sector by sector and entry by entry.
    Reordered {
        /// Which, by chance.
        seed: u64,
    },
    /// All are there: the process died, the system did not.
    Kept,
}

/// A kind of operation that a fault strikes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum DiskOp {
    /// Writing to a file.
    Write,
    /// Cutting a file.
    SetLen,
    /// Syncing a file. What was not synced is not on disk then and never will be by another sync, as Linux does it.
    Sync,
    /// Syncing a directory.
    SyncDir,
    /// Making a file or a directory.
    Create,
    /// Reading a file.
    Read,
    /// Giving another name.
    Rename,
}

/// A failure to come.
#[derive(Clone, Debug)]
pub struct Fault {
    /// What fails.
    pub op: DiskOp,
    /// Only where the path contains this.
    pub path: String,
    /// What the system says, an `errno`.
    pub errno: i32,
    /// How many bytes a failing write leaves behind.
    pub written: usize,
    /// How often, `u32::MAX` for always.
    pub times: u32,
}

/// A disk in memory. Clones are the same disk.
#[derive(Clone)]
pub struct SimDisk {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    syncs_released: Condvar,
}

impl SimDisk {
    /// An empty disk.
    pub fn new() -> Self {
        Self::from_state(State::new())
    }

    fn from_state(state: State) -> Self {
        Self { shared: Arc::new(Shared { state: Mutex::new(state), syncs_released: Condvar::new() }) }
    }

    /// How many operations have changed something so far: the boundaries at which power can be cut.
    pub fn op_count(&self) -> u64 {
        self.shared.state.lock().op_count
    }

    /// Cuts the power before operation number `op` (counted from 0): it and all later ones fail.
    pub fn cut_power_at(&self, op: u64) {
        self.shared.state.lock().cut_at = Some(op);
    }

    /// Cuts the power now and gives the disk as it is when power is back.
    pub fn power_cut(&self, cut: PowerCut) -> Self {
        let mut state = self.shared.state.lock();
        state.dead = true;
        let after = state.after(cut);
        drop(state);
        self.shared.syncs_released.notify_all();
        Self::from_state(after)
    }

    /// Lets an operation fail.
    pub fn inject(&self, fault: Fault) {
        self.shared.state.lock().faults.push(fault);
    }

    /// Takes all failures back.
    pub fn heal(&self) {
        self.shared.state.lock().faults.clear();
    }

    /// Limits the bytes of all files; beyond, writes fail with ENOSPC. `None` takes the limit away.
    pub fn set_capacity(&self, bytes: Option<u64>) {
        self.shared.state.lock().capacity = bytes;
    }

    /// Lets syncs wait until they are released.
    pub fn hold_syncs(&self, hold: bool) {
        self.shared.state.lock().hold_syncs = hold;
        self.shared.syncs_released.notify_all();
    }

    /// Makes every write and sync take this much longer.
    pub fn set_delay(&self, delay: Duration) {
        self.shared.state.lock().delay = delay;
    }

    /// Changes bytes of a file as it is and as it is on disk, as rot does.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn damage(&self, path: &Path, change: impl Fn(&mut Vec<u8>)) -> io::Result<()> {
        self.shared.state.lock().damage(path, change)
    }

    /// Sets the time that files written from now on bear as their modification time.
    pub fn set_now_ms(&self, now_ms: i64) {
        self.shared.state.lock().now_ms = now_ms;
    }

    /// How many files were synced so far.
    pub fn sync_count(&self) -> u64 {
        self.shared.state.lock().sync_count
    }

    fn pause(&self) {
        let delay = self.shared.state.lock().delay;
        if !delay.is_zero() {
            std::thread::sleep(delay);
        }
    }
}

impl Default for SimDisk {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for SimDisk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SimDisk")
    }
}

impl Disk for SimDisk {
    fn open(&self, path: &Path, mode: OpenMode) -> io::Result<Arc<dyn DiskFile>> {
        let inode = self.shared.state.lock().open(path, mode)?;
        Ok(Arc::new(SimFile { disk: Arc::downgrade(&self.shared), path: path.to_owned(), inode }))
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<DirEntry>> {
        self.shared.state.lock().list(dir)
    }

    fn exists(&self, path: &Path) -> io::Result<bool> {
        Ok(self.shared.state.lock().find(path).is_some())
    }

    fn stat(&self, path: &Path) -> io::Result<FileStat> {
        self.shared.state.lock().stat(path)
    }

    fn create_dir(&self, dir: &Path) -> io::Result<()> {
        self.shared.state.lock().create_dir(dir)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.shared.state.lock().rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.shared.state.lock().remove(path)
    }

    fn remove_dir(&self, dir: &Path) -> io::Result<()> {
        for entry in self.list(dir)? {
            let path = dir.join(&entry.name);
            if entry.is_dir { self.remove_dir(&path)? } else { self.remove(&path)? }
        }
        self.remove(dir)
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        self.shared.state.lock().sync_dir(dir)
    }

    fn space(&self, _path: &Path) -> io::Result<Space> {
        let state = self.shared.state.lock();
        let total = state.capacity.unwrap_or(1 << 40);
        Ok(Space { total, usable: total.saturating_sub(state.used()) })
    }
}

struct SimFile {
    disk: Weak<Shared>,
    path: PathBuf,
    inode: usize,
}

impl std::fmt::Debug for SimFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SimFile({})", self.path.display())
    }
}

impl SimFile {
    fn disk(&self) -> io::Result<SimDisk> {
        self.disk.upgrade().map(|shared| SimDisk { shared }).ok_or_else(|| io::ErrorKind::BrokenPipe.into())
    }
}

impl DiskFile for SimFile {
    fn read_at(&self, buffer: &mut [u8], position: u64) -> io::Result<usize> {
        self.disk()?.shared.state.lock().read(self.inode, &self.path, buffer, position)
    }

    fn write_at(&self, buffers: &[IoSlice<'_>], position: u64) -> io::Result<usize> {
        let disk = self.disk()?;
        disk.pause();
        let bytes = buffers.concat_bytes();
        disk.shared.state.lock().write(self.inode, &self.path, &bytes, position)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.disk()?.shared.state.lock().set_len(self.inode, &self.path, len)
    }

    fn len(&self) -> io::Result<u64> {
        self.disk()?.shared.state.lock().len(self.inode)
    }

    fn sync_data(&self) -> io::Result<()> {
        let disk = self.disk()?;
        disk.pause();
        let mut state = disk.shared.state.lock();
        while state.hold_syncs && !state.dead {
            disk.shared.syncs_released.wait(&mut state);
        }
        state.sync(self.inode, &self.path)
    }

    fn std_file(&self) -> Option<&Arc<File>> {
        None
    }
}

trait ConcatBytes {
    fn concat_bytes(&self) -> Vec<u8>;
}

impl ConcatBytes for [IoSlice<'_>] {
    fn concat_bytes(&self) -> Vec<u8> {
        self.iter().flat_map(|slice| slice.iter().copied()).collect()
    }
}

/// A directory's entries: names and inode numbers.
type Entries = BTreeMap<String, usize>;

#[cfg(test)]
mod tests;

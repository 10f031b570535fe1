//! The lock that keeps two brokers out of one directory.

use std::{
    collections::HashSet,
    fs::{self, File, OpenOptions, TryLockError},
    path::{Path, PathBuf},
};

use parking_lot::Mutex;

use rustix::{fs::FlockOperation, io::Errno};

use crate::StorageError;

/// The `.lock` file of a log directory, held both ways: `fcntl` is what Apache Kafka takes and keeps other processes
/// out; `flock` keeps a second broker of the same process out. Held until it is dropped.
#[derive(Debug)]
pub struct DirLock {
    path: PathBuf,
    _file: File,
}

impl DirLock {
    /// Takes the lock of `dir`, which must be there.
    ///
    /// # Errors
    /// [`StorageError::Locked`], naming the file, when somebody holds it, and [`StorageError::Io`].
    pub fn acquire(dir: &Path) -> Result<Self, StorageError> {
        let dir = fs::canonicalize(dir).map_err(|error| StorageError::io("find", dir, error))?;
        let path = dir.join(".lock");
        let mut held = HELD.lock();
        let held = held.get_or_insert_default();
        if held.contains(&path) {
            return Err(StorageError::Locked { path });
        }
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(|error| StorageError::io("open the lock file", &path, error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(StorageError::Locked { path }),
            Err(TryLockError::Error(error)) => return Err(StorageError::io("lock", path, error)),
        }
        match rustix::fs::fcntl_lock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {
                held.insert(path.clone());
                Ok(Self { path, _file: file })
            }
            Err(Errno::ACCESS | Errno::AGAIN) => Err(StorageError::Locked { path }),
            Err(error) => Err(StorageError::io("lock", path, error.into())),
        }
    }

    /// The lock file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for DirLock {
    fn drop(&mut self) {
        if let Some(held) = HELD.lock().as_mut() {
            held.remove(&self.path);
        }
    }
}

/// The lock files this process holds. Closing *any* descriptor of a file gives up the process's `fcntl` lock on it, so a
/// second attempt must not even open the file.
static HELD: Mutex<Option<HashSet<PathBuf>>> = Mutex::new(None);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_holder_is_told_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let first = DirLock::acquire(dir.path()).unwrap();
        let error = DirLock::acquire(dir.path()).unwrap_err();
        assert!(error.to_string().contains(".lock"), "{error}");
        let flock = File::open(first.path()).unwrap();
        assert!(matches!(flock.try_lock(), Err(TryLockError::WouldBlock)), "flock is held too");
        drop(first);
        DirLock::acquire(dir.path()).unwrap();
    }
}

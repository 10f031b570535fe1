//! The real disk.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, IoSlice, IoSliceMut},
    os::unix::fs::FileExt,
    path::Path,
    sync::Arc,
    time::UNIX_EPOCH,
};

use rustix::io::{Errno, ReadWriteFlags};

use super::{DirEntry, Disk, DiskFile, FileStat, OpenMode, Space};

/// The operating system's files.
#[derive(Clone, Copy, Debug, Default)]
pub struct OsDisk;

impl Disk for OsDisk {
    fn open(&self, path: &Path, mode: OpenMode) -> io::Result<Arc<dyn DiskFile>> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(mode != OpenMode::Existing)
            .truncate(mode == OpenMode::Truncate)
            .open(path)?;
        Ok(Arc::new(OsFile(Arc::new(file))))
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<DirEntry>> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(dir)? {
            let entry = entry?;
            if let Ok(name) = entry.file_name().into_string() {
                entries.push(DirEntry { name, is_dir: entry.file_type()?.is_dir() });
            }
        }
        Ok(entries)
    }

    fn exists(&self, path: &Path) -> io::Result<bool> {
        path.try_exists()
    }

    fn stat(&self, path: &Path) -> io::Result<FileStat> {
        let stat = fs::metadata(path)?;
        let modified = stat.modified()?.duration_since(UNIX_EPOCH);
        let modified_ms = modified.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX));
        Ok(FileStat { len: stat.len(), modified_ms })
    }

    fn create_dir(&self, dir: &Path) -> io::Result<()> {
        fs::create_dir_all(dir)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn remove_dir(&self, dir: &Path) -> io::Result<()> {
        fs::remove_dir_all(dir)
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        File::open(dir)?.sync_all()
    }

    fn space(&self, path: &Path) -> io::Result<Space> {
        let stat = rustix::fs::statvfs(path)?;
        Ok(Space { total: stat.f_blocks * stat.f_frsize, usable: stat.f_bavail * stat.f_frsize })
    }
}

#[derive(Debug)]
struct OsFile(Arc<File>);

impl DiskFile for OsFile {
    fn read_at(&self, buffer: &mut [u8], position: u64) -> io::Result<usize> {
        FileExt::read_at(&*self.0, buffer, position)
    }

    fn read_at_cached(&self, buffer: &mut [u8], position: u64) -> io::Result<Option<usize>> {
        let mut buffers = [IoSliceMut::new(buffer)];
        match rustix::io::preadv2(&*self.0, &mut buffers, position, ReadWriteFlags::NOWAIT) {
            Ok(read) => Ok(Some(read)),
            // Not every file system can say; those that cannot are asked the slow way.
            Err(Errno::AGAIN | Errno::OPNOTSUPP | Errno::INVAL | Errno::NOSYS) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn write_at(&self, buffers: &[IoSlice<'_>], position: u64) -> io::Result<usize> {
        Ok(rustix::io::pwritev(&*self.0, buffers, position)?)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }

    fn len(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    fn sync_data(&self) -> io::Result<()> {
        self.0.sync_data()
    }

    fn std_file(&self) -> Option<&Arc<File>> {
        Some(&self.0)
    }
}

//! All file access of this crate, behind one small trait.
//!
//! [`OsDisk`] is the real thing. Its double, `SimDisk` (feature `test-util`), keeps written and synced bytes apart,
//! for files and for directory entries, and can lose power at any point between.

use std::{
    fmt,
    fs::File,
    io::{self, IoSlice},
    path::Path,
    sync::Arc,
};

mod lock;
mod os;
#[cfg(any(test, feature = "test-util"))]
mod sim;

pub use lock::DirLock;
pub use os::OsDisk;
#[cfg(any(test, feature = "test-util"))]
pub use sim::{DiskOp, Fault, PowerCut, SimDisk};

/// How a file is opened. Always for reading and writing.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum OpenMode {
    /// It must be there.
    Existing,
    /// It is made when it is not there.
    Create,
    /// It is made, and emptied when it was there.
    Truncate,
}

/// What a directory lists.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct DirEntry {
    /// Its name within the directory.
    pub name: String,
    /// Whether it is a directory itself.
    pub is_dir: bool,
}

/// What is known of a file without opening it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct FileStat {
    /// Its length in bytes.
    pub len: u64,
    /// When it was last written to, milliseconds since the epoch.
    pub modified_ms: i64,
}

/// How full a volume is, in bytes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Space {
    /// The volume's size.
    pub total: u64,
    /// What we may still write.
    pub usable: u64,
}

/// A file system, as far as a store needs one.
pub trait Disk: fmt::Debug + Send + Sync + 'static {
    /// Opens a file for reading and writing.
    fn open(&self, path: &Path, mode: OpenMode) -> io::Result<Arc<dyn DiskFile>>;

    /// What is in a directory, in no order. Names that are not UTF-8 are left out.
    fn list(&self, dir: &Path) -> io::Result<Vec<DirEntry>>;

    /// Whether there is a file or directory of that name.
    fn exists(&self, path: &Path) -> io::Result<bool>;

    /// What is known of a file.
    fn stat(&self, path: &Path) -> io::Result<FileStat>;

    /// Makes a directory and those above it; fine when it is there.
    fn create_dir(&self, dir: &Path) -> io::Result<()>;

    /// Gives a file or directory another name, replacing a file that has it.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Removes a directory and all that is in it.
    fn remove_dir(&self, dir: &Path) -> io::Result<()>;

    /// Makes a directory's entries durable.
    fn sync_dir(&self, dir: &Path) -> io::Result<()>;

    /// How full the volume is that holds `path`.
    fn space(&self, path: &Path) -> io::Result<Space>;

    /// Reads a whole small file.
    ///
    /// # Errors
    /// Those of opening and reading, and `FileTooLarge` above 64 MiB.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let file = self.open(path, OpenMode::Existing)?;
        let len = file.len()?;
        if len > SMALL_FILE_BYTES_MAX {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let mut bytes = vec![0; len as usize];
        file.read_exact_at(&mut bytes, 0)?;
        Ok(bytes)
    }

    /// Puts `bytes` in the place of a small file in one step: whoever opens it finds the old or the new content, whole.
    ///
    /// With `durable` it survives a power cut from then on; otherwise a power cut may leave the old, the new or a
    /// damaged file.
    fn replace(&self, path: &Path, bytes: &[u8], durable: bool) -> io::Result<()> {
        let mut tmp = path.as_os_str().to_owned();
        tmp.push(".tmp");
        let tmp = Path::new(&tmp);
        let file = self.open(tmp, OpenMode::Truncate)?;
        file.write_all_at(&mut [IoSlice::new(bytes)], 0)?;
        if durable {
            file.sync_data()?;
        }
        self.rename(tmp, path)?;
        if durable { self.sync_dir(parent_of(path)) } else { Ok(()) }
    }
}

/// An open file. Positions and lengths in bytes.
pub trait DiskFile: fmt::Debug + Send + Sync + 'static {
    /// Reads some bytes; 0 at the end of the file.
    fn read_at(&self, buffer: &mut [u8], position: u64) -> io::Result<usize>;

    /// As [`DiskFile::read_at`], but gives `None` rather than wait for the device.
    fn read_at_cached(&self, buffer: &mut [u8], position: u64) -> io::Result<Option<usize>> {
        self.read_at(buffer, position).map(Some)
    }

    /// Writes some of `buffers`, one after the other, and says how much.
    fn write_at(&self, buffers: &[IoSlice<'_>], position: u64) -> io::Result<usize>;

    /// Cuts the file or fills it up with zeros.
    fn set_len(&self, len: u64) -> io::Result<()>;

    /// The file's length.
    fn len(&self) -> io::Result<u64>;

    /// Whether nothing is in it.
    fn is_empty(&self) -> io::Result<bool> {
        Ok(self.len()? == 0)
    }

    /// Makes content and length durable. The directory entry is another matter.
    fn sync_data(&self) -> io::Result<()>;

    /// The system's file, when there is one beneath.
    fn std_file(&self) -> Option<&Arc<File>>;

    /// Fills `buffer`.
    ///
    /// # Errors
    /// Those of reading, and `UnexpectedEof`.
    fn read_exact_at(&self, mut buffer: &mut [u8], mut position: u64) -> io::Result<()> {
        while !buffer.is_empty() {
            match self.read_at(buffer, position) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => {
                    buffer = &mut buffer[read..];
                    position += read as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Writes all of `buffers`, one after the other.
    ///
    /// # Errors
    /// Those of writing; some bytes may have been written then.
    fn write_all_at(&self, mut buffers: &mut [IoSlice<'_>], mut position: u64) -> io::Result<()> {
        IoSlice::advance_slices(&mut buffers, 0);
        while !buffers.is_empty() {
            match self.write_at(&buffers[..buffers.len().min(BUFFERS_MAX)], position) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => {
                    IoSlice::advance_slices(&mut buffers, written);
                    position += written as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// The directory that holds `path`.
pub(crate) fn parent_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        Some(_) => Path::new("."),
        None => path,
    }
}

/// Linux takes no more buffers in one call.
const BUFFERS_MAX: usize = 1024;

/// [`Disk::read`] is for checkpoints and indexes, not for logs.
const SMALL_FILE_BYTES_MAX: u64 = 64 << 20;

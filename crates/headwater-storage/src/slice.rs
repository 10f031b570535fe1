//! What a read gives: ranges of files, or bytes.

use std::{fs::File, io, sync::Arc};

use bytes::Bytes;

use crate::disk::DiskFile;

/// Whole batches, in one piece.
#[derive(Clone, Debug)]
pub enum LogSlice {
    /// A range of an open file, to be sent without copying it.
    File(FileSlice),
    /// Bytes in memory.
    Bytes(Bytes),
}

impl LogSlice {
    /// Length in bytes.
    pub fn len(&self) -> usize {
        match self {
            Self::File(slice) => slice.len(),
            Self::Bytes(bytes) => bytes.len(),
        }
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes, read from the file when they are in one. Blocks.
    ///
    /// # Errors
    /// What the file says, and `UnexpectedEof` when it yields fewer bytes than promised.
    pub fn to_bytes(&self) -> io::Result<Bytes> {
        match self {
            Self::File(slice) => slice.read(),
            Self::Bytes(bytes) => Ok(bytes.clone()),
        }
    }
}

/// A range of a file. Holds the file open, so that neither deletion nor compaction cuts it.
#[derive(Clone, Debug)]
pub struct FileSlice {
    file: Arc<dyn DiskFile>,
    position: u64,
    length: usize,
}

impl FileSlice {
    pub(crate) fn new(file: Arc<dyn DiskFile>, position: u64, length: usize) -> Self {
        Self { file, position, length }
    }

    /// Where in the file it begins, in bytes.
    pub const fn position(&self) -> u64 {
        self.position
    }

    /// Length in bytes.
    pub const fn len(&self) -> usize {
        self.length
    }

    /// Whether there is nothing in it.
    pub const fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The system's file, for `sendfile`; `None` when there is no such thing beneath.
    pub fn std_file(&self) -> Option<&Arc<File>> {
        self.file.std_file()
    }

    /// Reads at most `buffer.len()` bytes from `skip` bytes into the slice on. Blocks.
    ///
    /// # Errors
    /// What the file says.
    pub fn read_at(&self, skip: usize, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.length.saturating_sub(skip).min(buffer.len());
        self.file.read_at(&mut buffer[..left], self.position + skip as u64)
    }

    /// Reads all of it. Blocks.
    ///
    /// # Errors
    /// What the file says, and `UnexpectedEof` when it yields fewer bytes than promised.
    pub fn read(&self) -> io::Result<Bytes> {
        let mut bytes = vec![0; self.length];
        self.file.read_exact_at(&mut bytes, self.position)?;
        Ok(Bytes::from(bytes))
    }
}

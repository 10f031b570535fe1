//! Goes through the entries of a segment file, reading ahead.

use std::{io, marker::PhantomData};

use headwater_codec::Offset;
use headwater_records::BatchError;

use crate::{
    Damage,
    disk::DiskFile,
    format::{EntryHead, LogFormat},
};

/// Why a scan stopped.
#[derive(Debug)]
pub(crate) enum ScanError {
    /// The bytes are not in memory, and the caller would not wait.
    Cold,
    /// The file cannot be read.
    Io(io::Error),
    /// The entry at this position is not sound.
    Unsound { position: u64, damage: Damage },
}

impl From<io::Error> for ScanError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Whether a scan may wait for the device.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Wait {
    /// It may.
    ForDisk,
    /// It gives up with [`ScanError::Cold`].
    Never,
}

/// Where an entry begins.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Spot {
    /// Bytes before it in the segment file.
    pub(crate) position: u64,
    /// The offset that it has when it does not tell its own: entries of some formats do not.
    pub(crate) offset: i64,
}

/// A walk over entries from a spot to a limit.
#[derive(Debug)]
pub(crate) struct Scan<'a, F> {
    file: &'a dyn DiskFile,
    position: u64,
    /// The offset that the next entry has when it does not tell its own.
    offset: i64,
    limit: u64,
    wait: Wait,
    /// How many bytes are read at once.
    chunk: usize,
    buffer: Vec<u8>,
    /// Where in the file `buffer` begins.
    buffer_position: u64,
    format: PhantomData<F>,
}

impl<'a, F: LogFormat> Scan<'a, F> {
    pub(crate) const fn new(
        file: &'a dyn DiskFile,
        from: Spot,
        limit: u64,
        wait: Wait,
        chunk: usize,
    ) -> Self {
        Self {
            file,
            position: from.position,
            offset: from.offset,
            limit,
            wait,
            chunk,
            buffer: Vec::new(),
            buffer_position: from.position,
            format: PhantomData,
        }
    }

    /// Where the next entry begins.
    pub(crate) const fn position(&self) -> u64 {
        self.position
    }

    /// The front of the next entry and where it begins; only the front is read and checked.
    pub(crate) fn next_head(&mut self) -> Result<Option<(u64, EntryHead)>, ScanError> {
        if self.position >= self.limit {
            return Ok(None);
        }
        let (position, offset) = (self.position, self.offset);
        let unsound = |damage| ScanError::Unsound { position, damage };
        let head = F::head(self.bytes(F::HEAD_LEN)?, offset).map_err(unsound)?;
        let have = usize::try_from(self.limit - position).unwrap_or(usize::MAX);
        if head.len > have {
            return Err(unsound(Damage::Batch(BatchError::Truncated { have, need: head.len })));
        }
        self.pass(&head);
        Ok(Some((position, head)))
    }

    /// As [`Scan::next_head`], and the entry is read whole and checked.
    pub(crate) fn next_checked(&mut self) -> Result<Option<(u64, EntryHead)>, ScanError> {
        let offset = self.offset;
        let Some((position, head)) = self.next_head()? else { return Ok(None) };
        (self.position, self.offset) = (position, offset);
        let checked = F::check(self.bytes(head.len)?, offset);
        match checked {
            Ok(head) => {
                self.pass(&head);
                Ok(Some((position, head)))
            }
            Err(damage) => Err(ScanError::Unsound { position, damage }),
        }
    }

    const fn pass(&mut self, head: &EntryHead) {
        self.position += head.len as u64;
        self.offset = head.next_offset();
    }

    /// As [`Scan::next_checked`], with the entry's bytes.
    pub(crate) fn next_entry(&mut self) -> Result<Option<(EntryHead, &[u8])>, ScanError> {
        let Some((position, head)) = self.next_checked()? else { return Ok(None) };
        let skip = (position - self.buffer_position) as usize;
        Ok(Some((head, &self.buffer[skip..skip + head.len])))
    }

    /// Up to `len` bytes from the current position on, fewer only at the limit.
    fn bytes(&mut self, len: usize) -> Result<&[u8], ScanError> {
        let left = usize::try_from(self.limit - self.position).unwrap_or(usize::MAX);
        let len = len.min(left);
        let skip =
            self.position.checked_sub(self.buffer_position).and_then(|skip| usize::try_from(skip).ok());
        let have = skip.is_some_and(|skip| self.buffer.len() >= skip.saturating_add(len));
        if !have {
            let want = self.chunk.max(len).min(left);
            self.buffer.resize(want, 0);
            self.buffer_position = self.position;
            let mut filled = 0;
            while filled < len {
                let (buffer, position) = (&mut self.buffer[filled..], self.position + filled as u64);
                let read = match self.wait {
                    Wait::ForDisk => self.file.read_at(buffer, position)?,
                    Wait::Never => self.file.read_at_cached(buffer, position)?.ok_or(ScanError::Cold)?,
                };
                if read == 0 {
                    return Err(ScanError::Io(io::ErrorKind::UnexpectedEof.into()));
                }
                filled += read;
            }
            self.buffer.truncate(filled);
        }
        let skip = (self.position - self.buffer_position) as usize;
        Ok(&self.buffer[skip..skip + len])
    }
}

/// The damage of an entry that starts at `found` although `expected` is the least that may follow.
pub(crate) fn goes_back(expected: i64, found: i64) -> Damage {
    Damage::OffsetsGoBack { expected: Offset::ZERO.plus(expected), found: Offset::ZERO.plus(found) }
}

/// Read ahead for lookups, which seldom need more than a few kilobytes.
pub(crate) const LOOKUP_CHUNK: usize = 8 << 10;
/// Read ahead for going through whole files.
pub(crate) const SCAN_CHUNK: usize = 1 << 20;

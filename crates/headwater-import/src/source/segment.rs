//! One segment file, record by record, and past what is damaged in it.

use std::{
    fs::File,
    io::{self, Read},
    ops::Range,
    path::{Path, PathBuf},
};

use headwater_records::native::{NativeError, NativeHead, NativeRecord};

/// Bytes of a segment that are no sound record.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Damage {
    /// The segment.
    pub path: PathBuf,
    /// Where it begins.
    pub at: u64,
    /// How many bytes were passed over.
    pub bytes: u64,
    /// What is wrong with the record that should be there.
    pub error: NativeError,
    /// Whether nothing sound follows in the segment, as after a write that was cut short.
    pub is_tail: bool,
}

/// Reads a segment from its beginning. At most one record and a piece of the file are held.
#[derive(Debug)]
pub(super) struct SegmentReader {
    path: PathBuf,
    file: File,
    len: u64,
    /// What was read of the file, and where in the file it begins.
    buffer: Vec<u8>,
    buffer_at: u64,
    /// Where the next record should be.
    at: u64,
}

/// What is next in a segment.
#[derive(Debug)]
pub(super) enum Piece {
    /// A sound record at this place of the file, and its bytes in the buffer.
    Record(u64, Range<usize>),
    /// No sound record.
    Damage(Damage),
}

impl SegmentReader {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let len = file.metadata()?.len();
        Ok(Self { path: path.to_owned(), file, len, buffer: Vec::new(), buffer_at: 0, at: 0 })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The bytes of a record that [`SegmentReader::next_piece`] just gave.
    pub(super) fn bytes(&self, range: Range<usize>) -> &[u8] {
        &self.buffer[range]
    }

    /// The next record or damage; `None` at the end.
    pub(super) fn next_piece(&mut self) -> io::Result<Option<Piece>> {
        if self.at == self.len {
            return Ok(None);
        }
        let at = self.at;
        let error = match self.record_at(at)? {
            Ok(range) => {
                self.at += range.len() as u64;
                return Ok(Some(Piece::Record(at, range)));
            }
            Err(error) => error,
        };
        // The length of a record is under no checksum, so what follows is looked for byte by byte.
        self.at += 1;
        while self.at < self.len && self.record_at(self.at)?.is_err() {
            self.at += 1;
        }
        let (bytes, is_tail) = (self.at - at, self.at == self.len);
        Ok(Some(Piece::Damage(Damage { path: self.path.clone(), at, bytes, error, is_tail })))
    }

    /// Checks the record at a place of the file, and gives its bytes in the buffer.
    fn record_at(&mut self, at: u64) -> io::Result<Result<Range<usize>, NativeError>> {
        let start = self.read(at, NativeHead::LEN_MAX)?;
        let head = match NativeHead::parse(&self.buffer[start..]) {
            Ok(head) => head,
            Err(error) => return Ok(Err(error)),
        };
        let need = head.total_len();
        let left = self.len - at;
        if need as u64 > left {
            return Ok(Err(NativeError::Truncated { have: left as usize, need }));
        }
        if need > RECORD_LEN_MAX {
            return Ok(Err(NativeError::TooLong { bytes: need }));
        }
        let start = self.read(at, need)?;
        Ok(NativeRecord::checked(&self.buffer[start..]).map(|_| start..start + need))
    }

    /// Makes `need` bytes from `at` on, or all that are left, lie in the buffer, and tells where. `at` never goes back
    /// by more than what is buffered.
    fn read(&mut self, at: u64, need: usize) -> io::Result<usize> {
        let start = (at - self.buffer_at) as usize;
        let missing = (start + need).saturating_sub(self.buffer.len());
        if missing == 0 || self.buffer_at + self.buffer.len() as u64 == self.len {
            return Ok(start);
        }
        self.buffer.drain(..start);
        self.buffer_at = at;
        let wanted = need.max(PIECE_LEN) - self.buffer.len();
        (&mut self.file).take(wanted as u64).read_to_end(&mut self.buffer)?;
        if self.buffer.len() < need {
            // Someone shortened the file since; what is there is all there is.
            self.len = self.len.min(at + self.buffer.len() as u64);
        }
        Ok(0)
    }
}

/// Longer records are taken for damage: the first broker takes no frame of more than 16 MiB.
const RECORD_LEN_MAX: usize = 128 << 20;
/// How much of a file is read at once.
const PIECE_LEN: usize = 1 << 20;

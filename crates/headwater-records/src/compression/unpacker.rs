//! Streaming decompression that stops at a bound.

use std::{
    fmt,
    io::{self, Read},
};

use crate::{
    Compression, RecordError,
    compression::{snappy::SnappyBlocks, zstd_stream::ZstdStream},
};

/// Unpacks a batch's records piece by piece and fails as soon as they are more than allowed.
///
/// What it holds, whatever the input says, is its buffer (at most 32 KiB) and the codec's own state:
///
/// - gzip: a window of 32 KiB;
/// - snappy: one block, at most the bound and at most 22 times the block's input;
/// - lz4: one block of input and of output, at most 4 MiB each (what clients write: 64 KiB);
/// - zstd: the frame's window, at most 128 MiB (window log 27, zstd's own default limit and the largest that any
///   level writes), of which at most the bound is ever touched. Levels up to 19 use 8 MiB, the default level 2 MiB.
///   Each thread keeps one context of at most 3 MiB for the next batch.
pub struct Unpacker<'a> {
    source: Source<'a>,
    codec: Compression,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    finished: bool,
    unpacked: usize,
    max: usize,
}

enum Source<'a> {
    Plain(&'a [u8]),
    Gzip(Box<flate2::bufread::MultiGzDecoder<&'a [u8]>>),
    Snappy(Box<SnappyBlocks<'a>>),
    Lz4(Box<lz4_flex::frame::FrameDecoder<Lz4Input<'a>>>),
    Zstd(ZstdStream<'a>),
}

impl<'a> Unpacker<'a> {
    /// Starts to unpack `packed`, to at most `max` bytes. `max` does not bind what is not compressed.
    ///
    /// # Errors
    /// [`RecordError::Unpack`] when the data is unsound from the start.
    pub fn new(codec: Compression, packed: &'a [u8], max: usize) -> Result<Self, RecordError> {
        let unsound = |source| RecordError::Unpack { codec, source };
        let source = match codec {
            Compression::None => Source::Plain(packed),
            Compression::Gzip => Source::Gzip(Box::new(flate2::bufread::MultiGzDecoder::new(packed))),
            Compression::Snappy => Source::Snappy(Box::new(SnappyBlocks::new(packed))),
            Compression::Lz4 => {
                check_lz4_frame(packed).map_err(unsound)?;
                Source::Lz4(Box::new(lz4_flex::frame::FrameDecoder::new(Lz4Input {
                    rest: packed,
                    ran_out: false,
                })))
            }
            Compression::Zstd => Source::Zstd(ZstdStream::new(packed).map_err(unsound)?),
        };
        let buffer_len = match codec {
            Compression::None | Compression::Snappy => 0,
            _ => packed.len().saturating_mul(8).clamp(BUFFER_LEN_MIN, BUFFER_LEN_MAX),
        };
        Ok(Self {
            source,
            codec,
            buffer: vec![0; buffer_len],
            start: 0,
            end: 0,
            finished: false,
            unpacked: 0,
            max,
        })
    }

    /// The bytes that are unpacked and not yet consumed; unpacks more when there are none. Empty at the end, when
    /// the input was whole and the codec's own checksums fitted.
    ///
    /// # Errors
    /// [`RecordError::Unpack`] when the data is unsound, [`RecordError::UnpackedTooLarge`] when there is more than
    /// allowed.
    #[inline]
    pub fn fill(&mut self) -> Result<&[u8], RecordError> {
        if let Source::Plain(rest) = self.source {
            return Ok(rest);
        }
        if self.start == self.end && !self.finished {
            self.refill()?;
        }
        Ok(self.buffer.get(self.start..self.end).unwrap_or_default())
    }

    /// Moves on by `count` of the bytes that [`Unpacker::fill`] gave; by all of them when there are fewer.
    #[inline]
    pub fn consume(&mut self, count: usize) {
        match &mut self.source {
            Source::Plain(rest) => *rest = rest.get(count..).unwrap_or_default(),
            _ => self.start = self.start.saturating_add(count).min(self.end),
        }
    }

    #[cold]
    fn refill(&mut self) -> Result<(), RecordError> {
        let (codec, max) = (self.codec, self.max);
        (self.start, self.end) = (0, 0);
        // One byte more than what is left to be unpacked tells "just enough" from "too much".
        let room = (max - self.unpacked).saturating_add(1);
        let count = match &mut self.source {
            Source::Plain(_) => Ok(0),
            Source::Gzip(decoder) => read_some(decoder, &mut self.buffer, room),
            Source::Snappy(blocks) => match blocks.next_into(&mut self.buffer, room) {
                Ok(None) => return Err(RecordError::UnpackedTooLarge { codec, max }),
                Ok(Some(count)) => Ok(count),
                Err(error) => Err(error),
            },
            Source::Lz4(decoder) => match read_some(decoder, &mut self.buffer, room) {
                Ok(0) => decoder.get_ref().check_end(),
                result => result,
            },
            Source::Zstd(decoder) => read_some(decoder, &mut self.buffer, room),
        };
        let count = count.map_err(|source| RecordError::Unpack { codec, source })?;
        if count > max - self.unpacked {
            return Err(RecordError::UnpackedTooLarge { codec, max });
        }
        self.unpacked += count;
        self.end = count;
        self.finished = count == 0;
        Ok(())
    }

    /// How many bytes have been unpacked so far.
    pub const fn unpacked_len(&self) -> usize {
        self.unpacked
    }
}

impl fmt::Debug for Unpacker<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unpacker")
            .field("codec", &self.codec)
            .field("unpacked", &self.unpacked)
            .field("max", &self.max)
            .finish_non_exhaustive()
    }
}

fn read_some(decoder: &mut impl Read, buffer: &mut [u8], room: usize) -> io::Result<usize> {
    let length = buffer.len().min(room);
    loop {
        match decoder.read(&mut buffer[..length]) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// Refuses frames that Kafka's Java clients cannot read: linked blocks and legacy frames.
fn check_lz4_frame(packed: &[u8]) -> io::Result<()> {
    let invalid = |what| Err(io::Error::new(io::ErrorKind::InvalidData, what));
    let Some((&[m0, m1, m2, m3, flags], _)) = packed.split_first_chunk() else {
        return invalid("an LZ4 frame is longer");
    };
    if [m0, m1, m2, m3] != LZ4_MAGIC {
        return invalid("no LZ4 frame starts here");
    }
    if flags & LZ4_INDEPENDENT_BLOCKS == 0 {
        return invalid("the LZ4 frame has dependent blocks");
    }
    Ok(())
}

/// An LZ4 frame's bytes, which remember that the decoder wanted more than there are: it takes a frame without an end
/// mark for a whole one.
struct Lz4Input<'a> {
    rest: &'a [u8],
    ran_out: bool,
}

impl Lz4Input<'_> {
    fn check_end(&self) -> io::Result<usize> {
        if self.ran_out {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the LZ4 frame has no end mark"));
        }
        if !self.rest.is_empty() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "bytes follow the LZ4 frame"));
        }
        Ok(0)
    }
}

impl Read for Lz4Input<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.ran_out |= buffer.len() > self.rest.len();
        self.rest.read(buffer)
    }
}

const BUFFER_LEN_MIN: usize = 1 << 10;
const BUFFER_LEN_MAX: usize = 32 << 10;
const LZ4_MAGIC: [u8; 4] = [0x04, 0x22, 0x4d, 0x18];
const LZ4_INDEPENDENT_BLOCKS: u8 = 1 << 5;

//! The four codecs, with output that is bounded while it is made.

mod pack;
mod snappy;
mod unpacker;
mod zstd_stream;

use std::fmt;

pub use unpacker::Unpacker;

use crate::RecordError;

/// How the records of a batch are compressed.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum Compression {
    /// Not at all.
    #[default]
    None,
    /// One or more gzip members.
    Gzip,
    /// Snappy: one raw block, or blocks in the framing of snappy-java ("xerial"). Both are read, the latter written.
    Snappy,
    /// One LZ4 frame with independent blocks.
    Lz4,
    /// Zstandard frames (KIP-110).
    Zstd,
}

impl Compression {
    /// Every one of them.
    pub const ALL: [Self; 5] = [Self::None, Self::Gzip, Self::Snappy, Self::Lz4, Self::Zstd];

    /// The codec with this number; `None` when there is none.
    pub const fn from_id(id: u8) -> Option<Self> {
        match id {
            0 => Some(Self::None),
            1 => Some(Self::Gzip),
            2 => Some(Self::Snappy),
            3 => Some(Self::Lz4),
            4 => Some(Self::Zstd),
            _ => None,
        }
    }

    /// The codec's number in a batch's attributes.
    pub const fn id(self) -> u8 {
        match self {
            Self::None => 0,
            Self::Gzip => 1,
            Self::Snappy => 2,
            Self::Lz4 => 3,
            Self::Zstd => 4,
        }
    }

    /// The codec's name in Kafka's configs, such as `compression.type`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Gzip => "gzip",
            Self::Snappy => "snappy",
            Self::Lz4 => "lz4",
            Self::Zstd => "zstd",
        }
    }

    /// Compresses `unpacked` in one go, at each codec's default level.
    ///
    /// # Errors
    /// [`RecordError::Pack`] when the encoder fails.
    pub fn pack(self, unpacked: &[u8]) -> Result<Vec<u8>, RecordError> {
        pack::pack(self, unpacked).map_err(|source| RecordError::Pack { codec: self, source })
    }

    /// Unpacks `packed` whole, to at most `max` bytes. The output is all that is held of it.
    ///
    /// # Errors
    /// [`RecordError::Unpack`] when the data is unsound, [`RecordError::UnpackedTooLarge`] as soon as there is more
    /// than `max`.
    pub fn unpack(self, packed: &[u8], max: usize) -> Result<Vec<u8>, RecordError> {
        let mut unpacked = Vec::new();
        self.unpack_into(packed, max, |piece| unpacked.extend_from_slice(piece))?;
        Ok(unpacked)
    }

    /// Unpacks `packed` piece by piece, to at most `max` bytes in all.
    ///
    /// # Errors
    /// As [`Compression::unpack`]; pieces before the error have been given.
    pub fn unpack_into(
        self,
        packed: &[u8],
        max: usize,
        mut sink: impl FnMut(&[u8]),
    ) -> Result<(), RecordError> {
        let mut unpacker = Unpacker::new(self, packed, max)?;
        loop {
            let piece = unpacker.fill()?;
            if piece.is_empty() {
                return Ok(());
            }
            sink(piece);
            let length = piece.len();
            unpacker.consume(length);
        }
    }
}

impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests;

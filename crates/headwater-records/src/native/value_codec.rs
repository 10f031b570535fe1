//! How the value of a native record is compressed.

use std::{borrow::Cow, io};

use crate::{Compression, RecordError};

/// The codec of a native record's value. Snappy is one raw block here, without Kafka's framing.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum ValueCodec {
    /// Not compressed.
    #[default]
    None,
    /// One or more gzip members.
    Gzip,
    /// One raw block.
    Snappy,
    /// Zstandard frames.
    Zstd,
}

impl ValueCodec {
    /// Every one of them.
    pub const ALL: [Self; 4] = [Self::None, Self::Gzip, Self::Snappy, Self::Zstd];

    /// The codec with this number; `None` when there is none.
    pub const fn from_id(id: u8) -> Option<Self> {
        if id < 4 { Some(Self::from_bits(id)) } else { None }
    }

    /// The codec by the two lowest bits; the others do not matter.
    pub(super) const fn from_bits(bits: u8) -> Self {
        match bits & 3 {
            0 => Self::None,
            1 => Self::Gzip,
            2 => Self::Snappy,
            _ => Self::Zstd,
        }
    }

    /// The codec's number in a record's attributes.
    pub const fn id(self) -> u8 {
        match self {
            Self::None => 0,
            Self::Gzip => 1,
            Self::Snappy => 2,
            Self::Zstd => 3,
        }
    }

    /// What values of a batch with this codec are compressed with. LZ4 has no number here, so those are not.
    pub const fn of_batch(codec: Compression) -> Self {
        match codec {
            Compression::None | Compression::Lz4 => Self::None,
            Compression::Gzip => Self::Gzip,
            Compression::Snappy => Self::Snappy,
            Compression::Zstd => Self::Zstd,
        }
    }

    /// The codec of batches that does the same.
    pub const fn compression(self) -> Compression {
        match self {
            Self::None => Compression::None,
            Self::Gzip => Compression::Gzip,
            Self::Snappy => Compression::Snappy,
            Self::Zstd => Compression::Zstd,
        }
    }

    /// Compresses a value.
    ///
    /// # Errors
    /// [`RecordError::Pack`] when the encoder fails.
    pub fn pack(self, value: &[u8]) -> Result<Vec<u8>, RecordError> {
        match self {
            Self::Snappy => {
                let packed = snap::raw::Encoder::new().compress_vec(value);
                packed.map_err(|error| RecordError::Pack { codec: self.compression(), source: error.into() })
            }
            codec => codec.compression().pack(value),
        }
    }

    /// Unpacks a stored value, to at most `max` bytes; one that is not compressed is borrowed whatever its length.
    ///
    /// # Errors
    /// [`RecordError::Unpack`] when it is unsound, [`RecordError::UnpackedTooLarge`] when there is more than `max`.
    pub fn unpack(self, stored: &[u8], max: usize) -> Result<Cow<'_, [u8]>, RecordError> {
        match self {
            Self::None => Ok(Cow::Borrowed(stored)),
            Self::Snappy => unpack_snappy(stored, max).map(Cow::Owned),
            codec => codec.compression().unpack(stored, max).map(Cow::Owned),
        }
    }
}

/// Compresses one value after another with the same memory.
pub(super) struct ValuePacker {
    codec: ValueCodec,
    zstd: Option<zstd::bulk::Compressor<'static>>,
}

impl ValuePacker {
    pub(super) const fn new(codec: ValueCodec) -> Self {
        Self { codec, zstd: None }
    }

    pub(super) const fn codec(&self) -> ValueCodec {
        self.codec
    }

    /// The value compressed, or `None` when that makes it no shorter. An empty one is never compressed: it is known by
    /// its length.
    pub(super) fn pack(&mut self, value: &[u8]) -> Result<Option<Vec<u8>>, RecordError> {
        if self.codec == ValueCodec::None || value.len() < PACKED_LEN_MIN {
            return Ok(None);
        }
        let packed = match self.codec {
            ValueCodec::Zstd => self.pack_zstd(value)?,
            codec => codec.pack(value)?,
        };
        Ok((packed.len() < value.len()).then_some(packed))
    }

    fn pack_zstd(&mut self, value: &[u8]) -> Result<Vec<u8>, RecordError> {
        let failed = |source| RecordError::Pack { codec: Compression::Zstd, source };
        if self.zstd.is_none() {
            self.zstd = Some(zstd::bulk::Compressor::new(ZSTD_LEVEL).map_err(failed)?);
        }
        match &mut self.zstd {
            Some(compressor) => compressor.compress(value).map_err(failed),
            None => ValueCodec::Zstd.pack(value),
        }
    }
}

fn unpack_snappy(block: &[u8], max: usize) -> Result<Vec<u8>, RecordError> {
    let codec = Compression::Snappy;
    let unsound = |source: io::Error| RecordError::Unpack { codec, source };
    let unpacked_len = snap::raw::decompress_len(block).map_err(|error| unsound(error.into()))?;
    if unpacked_len > max {
        return Err(RecordError::UnpackedTooLarge { codec, max });
    }
    // Three bytes are needed for a copy of at most 64, so a longer claim is a lie not worth the memory.
    if unpacked_len > block.len().saturating_mul(SNAPPY_RATIO_MAX) {
        let what = "a snappy block claims too much";
        return Err(unsound(io::Error::new(io::ErrorKind::InvalidData, what)));
    }
    snap::raw::Decoder::new().decompress_vec(block).map_err(|error| unsound(error.into()))
}

/// Shorter values do not become shorter, and would cost as much to try.
const PACKED_LEN_MIN: usize = 32;
/// Kafka's default for `compression.zstd.level`.
const ZSTD_LEVEL: i32 = 3;
const SNAPPY_RATIO_MAX: usize = 22;

//! Compression of a whole batch in one go.

use std::io::{self, Write};

use lz4_flex::frame::{BlockMode, BlockSize, FrameEncoder, FrameInfo};

use crate::{Compression, compression::snappy};

pub(super) fn pack(codec: Compression, unpacked: &[u8]) -> io::Result<Vec<u8>> {
    match codec {
        Compression::None => Ok(unpacked.to_vec()),
        Compression::Gzip => {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
            encoder.write_all(unpacked)?;
            encoder.finish()
        }
        Compression::Snappy => snappy::pack(unpacked),
        Compression::Lz4 => {
            let frame = FrameInfo::new().block_mode(BlockMode::Independent).block_size(BlockSize::Max64KB);
            let mut encoder = FrameEncoder::with_frame_info(frame, Vec::new());
            encoder.write_all(unpacked)?;
            encoder.finish().map_err(io::Error::from)
        }
        Compression::Zstd => zstd::bulk::compress(unpacked, ZSTD_LEVEL),
    }
}

/// Kafka's default for `compression.zstd.level`.
const ZSTD_LEVEL: i32 = 3;

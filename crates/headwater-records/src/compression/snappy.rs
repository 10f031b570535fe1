//! Snappy in its two framings: one raw block, and snappy-java's ("xerial") blocks with their lengths in front.

use std::io;

/// Goes through the blocks of snappy data, whichever framing it has.
pub(super) struct SnappyBlocks<'a> {
    rest: &'a [u8],
    xerial: bool,
    decoder: snap::raw::Decoder,
}

impl<'a> SnappyBlocks<'a> {
    pub(super) fn new(packed: &'a [u8]) -> Self {
        let xerial = packed.starts_with(&XERIAL_MAGIC) && packed.len() >= XERIAL_HEADER_LEN;
        let rest = if xerial { &packed[XERIAL_HEADER_LEN..] } else { packed };
        Self { rest, xerial, decoder: snap::raw::Decoder::new() }
    }

    /// Unpacks the next block that is not empty into `buffer`, made as long as needed, and gives its length, 0 at the
    /// end. `None` when it says it unpacks to `room` bytes or more: then no memory was taken.
    pub(super) fn next_into(&mut self, buffer: &mut Vec<u8>, room: usize) -> io::Result<Option<usize>> {
        while !self.rest.is_empty() {
            let block = self.next_block()?;
            let unpacked_len = snap::raw::decompress_len(block)?;
            if unpacked_len >= room {
                return Ok(None);
            }
            // Three bytes are needed for a copy of at most 64, so a longer claim is a lie not worth the memory.
            if unpacked_len > block.len().saturating_mul(RATIO_MAX) {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "a snappy block claims too much"));
            }
            if buffer.len() < unpacked_len {
                buffer.resize(unpacked_len, 0);
            }
            let count = self.decoder.decompress(block, buffer)?;
            if count > 0 {
                return Ok(Some(count));
            }
        }
        Ok(Some(0))
    }

    fn next_block(&mut self) -> io::Result<&'a [u8]> {
        if !self.xerial {
            return Ok(std::mem::take(&mut self.rest));
        }
        let ends_early = || io::Error::new(io::ErrorKind::UnexpectedEof, "a snappy block ends early");
        let (length, rest) = self.rest.split_first_chunk().ok_or_else(ends_early)?;
        let length = u32::from_be_bytes(*length) as usize;
        let (block, rest) = rest.split_at_checked(length).ok_or_else(ends_early)?;
        self.rest = rest;
        Ok(block)
    }
}

/// Packs into snappy-java's framing, in blocks of 32 KiB as it does.
pub(super) fn pack(unpacked: &[u8]) -> io::Result<Vec<u8>> {
    let mut packed = Vec::with_capacity(XERIAL_HEADER_LEN + unpacked.len() / 2);
    packed.extend_from_slice(&XERIAL_MAGIC);
    packed.extend_from_slice(&XERIAL_VERSION.to_be_bytes());
    packed.extend_from_slice(&XERIAL_VERSION.to_be_bytes());
    let mut encoder = snap::raw::Encoder::new();
    let mut block = vec![0; snap::raw::max_compress_len(XERIAL_BLOCK_LEN)];
    for piece in unpacked.chunks(XERIAL_BLOCK_LEN) {
        let length = encoder.compress(piece, &mut block)?;
        packed.extend_from_slice(&(length as u32).to_be_bytes());
        packed.extend_from_slice(&block[..length]);
    }
    Ok(packed)
}

const XERIAL_MAGIC: [u8; 8] = *b"\x82SNAPPY\0";
/// The version, and the lowest version that can read it; both are this.
const XERIAL_VERSION: u32 = 1;
const XERIAL_HEADER_LEN: usize = XERIAL_MAGIC.len() + 2 * size_of::<u32>();
const XERIAL_BLOCK_LEN: usize = 32 << 10;
const RATIO_MAX: usize = 22;

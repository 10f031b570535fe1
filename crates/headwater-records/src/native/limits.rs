//! How many and how long headers may be.

use crate::native::{
    HeaderBlock, HeaderFault,
    header_block::{COUNT_LEN, HEADER_OVERHEAD},
};

/// What the headers of a produced record must keep. Those that Headwater reserves for itself do not count.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct HeaderLimits {
    /// `headwater.headers.bytes.max`: bytes of the block, its count included.
    pub block_bytes_max: usize,
    /// `headwater.headers.count.max`.
    pub count_max: usize,
    /// `headwater.header.name.bytes.max`.
    pub name_bytes_max: usize,
}

impl Default for HeaderLimits {
    fn default() -> Self {
        Self { block_bytes_max: 64 << 10, count_max: 256, name_bytes_max: 255 }
    }
}

impl HeaderLimits {
    /// Checks headers by their names and the lengths of their values.
    ///
    /// # Errors
    /// [`HeaderFault::TooMany`], [`HeaderFault::NameTooLong`] and [`HeaderFault::TooLong`].
    pub fn check<'h>(
        &self,
        headers: impl ExactSizeIterator<Item = (&'h [u8], usize)>,
    ) -> Result<(), HeaderFault> {
        let (count, max) = (headers.len(), self.count_max);
        if count > max {
            return Err(HeaderFault::TooMany { count, max });
        }
        let mut bytes = COUNT_LEN;
        for (index, (name, value_len)) in headers.enumerate() {
            let max = self.name_bytes_max;
            if name.len() > max {
                return Err(HeaderFault::NameTooLong { index, bytes: name.len(), max });
            }
            bytes = bytes.saturating_add(HEADER_OVERHEAD + name.len()).saturating_add(value_len);
        }
        let max = self.block_bytes_max;
        // Without headers there is no block at all.
        if count > 0 && bytes > max { Err(HeaderFault::TooLong { bytes, max }) } else { Ok(()) }
    }

    /// Reads a block that a native client sent: sound, within the limits, each name given and UTF-8.
    ///
    /// # Errors
    /// Those of [`HeaderBlock::parse`] and [`HeaderLimits::check`], [`HeaderFault::EmptyName`] and
    /// [`HeaderFault::NameNotUtf8`].
    pub fn parse<'a>(&self, bytes: &'a [u8]) -> Result<HeaderBlock<'a>, HeaderFault> {
        let max = self.block_bytes_max;
        if bytes.len() > max {
            return Err(HeaderFault::TooLong { bytes: bytes.len(), max });
        }
        let block = HeaderBlock::parse(bytes)?;
        self.check(block.iter().map(|(name, value)| (name, value.len())))?;
        for (index, (name, _)) in block.iter().enumerate() {
            if name.is_empty() {
                return Err(HeaderFault::EmptyName { index });
            }
            if str::from_utf8(name).is_err() {
                return Err(HeaderFault::NameNotUtf8 { index });
            }
        }
        Ok(block)
    }
}

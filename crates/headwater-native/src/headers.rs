//! A record's headers as a message holds them.

use bytes::Bytes;
use headwater_records::native::{HeaderBlock, HeaderBlockBuilder, HeaderFault, NativeHeaders};

/// A record's headers, encoded as a [`HeaderBlock`] that shares the frame's memory.
///
/// The block was walked once, so that reading it cannot fail; nothing is copied or reserved for it, whatever its count
/// says. Whether it keeps the limits of a produced record is for the server to check.
///
/// ```
/// use headwater_native::Headers;
///
/// let headers = Headers::encode([("retry", "1"), ("retry", "2")])?;
/// let read: Vec<_> = headers.iter().collect();
/// assert_eq!(read, [(&b"retry"[..], &b"1"[..]), (b"retry", b"2")]);
/// assert!(Headers::default().is_empty());
/// # Ok::<(), headwater_records::native::HeaderFault>(())
/// ```
#[derive(Clone, Debug, Default, Eq, Hash, PartialEq)]
pub struct Headers(Bytes);

impl Headers {
    /// Takes an encoded block; no bytes at all are the block of a record without headers.
    ///
    /// # Errors
    /// [`HeaderFault::Truncated`] and [`HeaderFault::BytesLeft`] when the headers do not fill it exactly.
    pub fn decode(block: Bytes) -> Result<Self, HeaderFault> {
        let without = HeaderBlock::parse(&block)?.is_empty();
        // A count of 0 and no block say the same.
        Ok(if without { Self::default() } else { Self(block) })
    }

    /// Encodes headers in the order in which they come.
    ///
    /// # Errors
    /// [`HeaderFault::TooMany`], [`HeaderFault::NameTooLong`] and [`HeaderFault::ValueTooLong`] when the encoding
    /// cannot say it.
    pub fn encode<N: AsRef<[u8]>, V: AsRef<[u8]>>(
        headers: impl IntoIterator<Item = (N, V)>,
    ) -> Result<Self, HeaderFault> {
        let mut builder = HeaderBlockBuilder::new();
        for (name, value) in headers {
            builder.push(name.as_ref(), value.as_ref())?;
        }
        Ok(Self(Bytes::copy_from_slice(builder.block().bytes())))
    }

    /// Whether the record has no headers.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The block.
    pub fn block(&self) -> HeaderBlock<'_> {
        // It was sound when it was taken.
        HeaderBlock::parse(&self.0).unwrap_or_default()
    }

    /// Name and value of each header, in order.
    pub fn iter(&self) -> NativeHeaders<'_> {
        self.block().iter()
    }

    /// The encoded block; no bytes without headers.
    pub const fn as_bytes(&self) -> &Bytes {
        &self.0
    }
}

impl<'a> IntoIterator for &'a Headers {
    type Item = (&'a [u8], &'a [u8]);
    type IntoIter = NativeHeaders<'a>;

    fn into_iter(self) -> NativeHeaders<'a> {
        self.iter()
    }
}

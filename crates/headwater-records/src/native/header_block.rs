//! The header block: a record's headers in one encoding, on disk and on the native wire.
//!
//! ```text
//! u16 count | (u16 name_len | name | u32 value_len | value) * count
//! ```

use std::iter::FusedIterator;

use crate::native::HeaderFault;

/// A sound header block, borrowed: an ordered list of names and values, with repeats. Names are bytes.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct HeaderBlock<'a> {
    /// Empty when there are no headers, else what the encoding says.
    bytes: &'a [u8],
}

impl<'a> HeaderBlock<'a> {
    /// No headers.
    pub const EMPTY: HeaderBlock<'static> = HeaderBlock { bytes: &[] };

    /// Reads a block, which must end where `bytes` end. No bytes at all are no headers; a count of 0 is taken as well.
    /// No memory is taken.
    ///
    /// # Errors
    /// [`HeaderFault::Truncated`] and [`HeaderFault::BytesLeft`].
    pub fn parse(bytes: &'a [u8]) -> Result<Self, HeaderFault> {
        if bytes.is_empty() {
            return Ok(Self { bytes });
        }
        let mut headers = NativeHeaders::new(bytes);
        if bytes.len() < COUNT_LEN {
            return Err(HeaderFault::Truncated);
        }
        while headers.count > 0 {
            headers.next().ok_or(HeaderFault::Truncated)?;
        }
        match headers.rest.len() {
            0 => Ok(Self { bytes }),
            left => Err(HeaderFault::BytesLeft(left)),
        }
    }

    /// The encoding, or nothing when there are no headers: a record or frame without them says so by a length of 0.
    pub fn bytes(self) -> &'a [u8] {
        if self.is_empty() { &[] } else { self.bytes }
    }

    /// How many headers there are.
    pub fn len(self) -> usize {
        self.iter().len()
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The headers, in their order.
    pub fn iter(self) -> NativeHeaders<'a> {
        NativeHeaders::new(self.bytes)
    }
}

impl<'a> IntoIterator for HeaderBlock<'a> {
    type Item = (&'a [u8], &'a [u8]);
    type IntoIter = NativeHeaders<'a>;

    fn into_iter(self) -> NativeHeaders<'a> {
        self.iter()
    }
}

/// Goes through the headers of a block: name and value.
#[derive(Clone, Debug)]
pub struct NativeHeaders<'a> {
    count: usize,
    rest: &'a [u8],
}

impl<'a> NativeHeaders<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        match bytes.split_first_chunk() {
            Some((count, rest)) => Self { count: u16::from_be_bytes(*count).into(), rest },
            None => Self { count: 0, rest: &[] },
        }
    }
}

impl<'a> Iterator for NativeHeaders<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        self.count = self.count.checked_sub(1)?;
        let (name_len, rest) = self.rest.split_first_chunk()?;
        let (name, rest) = rest.split_at_checked(u16::from_be_bytes(*name_len).into())?;
        let (value_len, rest) = rest.split_first_chunk()?;
        let value_len = usize::try_from(u32::from_be_bytes(*value_len)).ok()?;
        let (value, rest) = rest.split_at_checked(value_len)?;
        self.rest = rest;
        Some((name, value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.count, Some(self.count))
    }
}

impl ExactSizeIterator for NativeHeaders<'_> {}
impl FusedIterator for NativeHeaders<'_> {}

/// Makes header blocks, one after another in the same memory.
///
/// ```
/// use headwater_records::native::HeaderBlockBuilder;
///
/// let mut builder = HeaderBlockBuilder::new();
/// builder.push(b"trace", b"abc")?;
/// assert_eq!(builder.block().bytes(), b"\0\x01\0\x05trace\0\0\0\x03abc");
/// # Ok::<(), headwater_records::native::HeaderFault>(())
/// ```
#[derive(Clone, Debug)]
pub struct HeaderBlockBuilder {
    count: u16,
    bytes: Vec<u8>,
}

impl Default for HeaderBlockBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl HeaderBlockBuilder {
    /// A builder of a block without headers.
    pub fn new() -> Self {
        Self { count: 0, bytes: vec![0; COUNT_LEN] }
    }

    /// Takes all headers out.
    pub fn clear(&mut self) {
        self.count = 0;
        self.bytes.truncate(COUNT_LEN);
        self.bytes.fill(0);
    }

    /// Adds a header after the others.
    ///
    /// # Errors
    /// [`HeaderFault::TooMany`], [`HeaderFault::NameTooLong`] and [`HeaderFault::ValueTooLong`] when the encoding
    /// cannot say it. The block is as it was then.
    pub fn push(&mut self, name: &[u8], value: &[u8]) -> Result<(), HeaderFault> {
        self.push_prefixed(b"", name, value)
    }

    /// Adds a header whose name is `prefix` and `name`.
    pub(super) fn push_prefixed(
        &mut self,
        prefix: &[u8],
        name: &[u8],
        value: &[u8],
    ) -> Result<(), HeaderFault> {
        let index = usize::from(self.count);
        let (max, bytes) = (usize::from(u16::MAX), prefix.len() + name.len());
        let name_len = u16::try_from(bytes).map_err(|_| HeaderFault::NameTooLong { index, bytes, max })?;
        let bytes = value.len();
        let value_len = u32::try_from(bytes).map_err(|_| HeaderFault::ValueTooLong { index, bytes })?;
        self.count = self.count.checked_add(1).ok_or(HeaderFault::TooMany { count: max + 1, max })?;
        self.bytes[..COUNT_LEN].copy_from_slice(&self.count.to_be_bytes());
        self.bytes.extend_from_slice(&name_len.to_be_bytes());
        self.bytes.extend_from_slice(prefix);
        self.bytes.extend_from_slice(name);
        self.bytes.extend_from_slice(&value_len.to_be_bytes());
        self.bytes.extend_from_slice(value);
        Ok(())
    }

    /// The block as it is now.
    pub fn block(&self) -> HeaderBlock<'_> {
        HeaderBlock { bytes: if self.count == 0 { &[] } else { &self.bytes } }
    }
}

/// Bytes of the count in front.
pub(super) const COUNT_LEN: usize = 2;
/// Bytes of a header beside its name and value.
pub(super) const HEADER_OVERHEAD: usize = 2 + 4;

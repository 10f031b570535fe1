//! One native record, borrowed from the bytes it was read from.

use std::borrow::Cow;

use crate::{
    RecordError,
    native::{HeaderBlock, NativeError, NativeFields, NativeHead, head::CRC_LEN},
};

/// A whole native record.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct NativeRecord<'a> {
    head: NativeHead,
    bytes: &'a [u8],
    headers: HeaderBlock<'a>,
}

impl<'a> NativeRecord<'a> {
    /// Takes the record at the front of `bytes`; what follows it is left alone. Its payload's checksum is not looked
    /// at.
    ///
    /// # Errors
    /// Those of [`NativeHead::parse`], [`NativeError::Truncated`] when the record is not there whole, and
    /// [`NativeError::Headers`].
    pub fn parse(bytes: &'a [u8]) -> Result<Self, NativeError> {
        let head = NativeHead::parse(bytes)?;
        let (have, need) = (bytes.len(), head.total_len());
        let bytes = bytes.get(..need).ok_or(NativeError::Truncated { have, need })?;
        let headers = HeaderBlock::parse(&bytes[head.payload_at()..][..head.headers_len()])?;
        Ok(Self { head, bytes, headers })
    }

    /// Takes the record at the front of `bytes` and compares both checksums.
    ///
    /// # Errors
    /// Those of [`NativeRecord::parse`] and [`NativeError::BadPayloadCrc`]. What is damaged in its payload has that
    /// error, whatever its headers look like.
    pub fn checked(bytes: &'a [u8]) -> Result<Self, NativeError> {
        let head = NativeHead::parse(bytes)?;
        let (have, need) = (bytes.len(), head.total_len());
        let whole = bytes.get(..need).ok_or(NativeError::Truncated { have, need })?;
        let (payload, stored) = whole[head.payload_at()..].split_at(need - head.payload_at() - CRC_LEN);
        let stored = stored.iter().fold(0, |crc, byte| crc << 8 | u32::from(*byte));
        let computed = crc32fast::hash(payload);
        if stored != computed {
            return Err(NativeError::BadPayloadCrc { stored, computed });
        }
        Self::parse(whole)
    }

    /// What stands in front of it.
    pub const fn head(&self) -> &NativeHead {
        &self.head
    }

    /// The whole record.
    pub const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Its headers, reserved ones included.
    pub const fn headers(&self) -> HeaderBlock<'a> {
        self.headers
    }

    /// Its key; the format does not tell an empty one from none.
    pub fn key(&self) -> &'a [u8] {
        &self.bytes[self.head.payload_at() + self.head.headers_len()..][..self.head.key_len()]
    }

    /// Its value as it is stored, compressed or not; the format does not tell an empty one from none.
    pub fn stored_value(&self) -> &'a [u8] {
        let at = self.head.payload_at() + self.head.headers_len() + self.head.key_len();
        &self.bytes[at..self.bytes.len() - CRC_LEN]
    }

    /// Its value, which may unpack to at most `max` bytes.
    ///
    /// # Errors
    /// Those of [`crate::native::ValueCodec::unpack`].
    pub fn value(&self, max: usize) -> Result<Cow<'a, [u8]>, RecordError> {
        self.head.attributes().codec().unpack(self.stored_value(), max)
    }

    /// All that is needed to write it again, but for its headers.
    pub fn fields(&self) -> NativeFields<'a> {
        NativeFields {
            timestamp_ms: self.head.timestamp_ms(),
            control: self.head.attributes().is_control(),
            producer: self.head.producer(),
            key: self.key(),
            codec: self.head.attributes().codec(),
            stored_value: self.stored_value(),
        }
    }
}

/// Checks the record at the front of `bytes`: it is there whole, both checksums fit, its headers are sound. The value
/// is not unpacked.
///
/// # Errors
/// Those of [`NativeRecord::checked`].
pub fn check(bytes: &[u8]) -> Result<NativeHead, NativeError> {
    NativeRecord::checked(bytes).map(|record| record.head)
}

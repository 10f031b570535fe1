//! Reads the fields of a payload. Strings and byte fields are slices of it.

use bytes::{Buf, Bytes};
use headwater_codec::{GroupId, Offset, ProducerId, Str, TopicName};

use crate::{DecodeError, ErrorCode, Headers, PartitionId, limits, wire::Wire};

/// What is left of a payload. Every length and count is checked against it before anything is taken.
pub(crate) struct Reader(Bytes);

type Result<T> = std::result::Result<T, DecodeError>;

impl Reader {
    pub(crate) const fn new(payload: Bytes) -> Self {
        Self(payload)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn u8(&mut self, field: &'static str) -> Result<u8> {
        self.0.try_get_u8().map_err(|_| DecodeError::Truncated { field })
    }

    pub(crate) fn u16(&mut self, field: &'static str) -> Result<u16> {
        self.0.try_get_u16().map_err(|_| DecodeError::Truncated { field })
    }

    pub(crate) fn u32(&mut self, field: &'static str) -> Result<u32> {
        self.0.try_get_u32().map_err(|_| DecodeError::Truncated { field })
    }

    /// A number of 64 bits whose top bit is clear.
    fn u63(&mut self, field: &'static str) -> Result<i64> {
        let value = self.0.try_get_u64().map_err(|_| DecodeError::Truncated { field })?;
        i64::try_from(value).map_err(|_| DecodeError::OutOfRange { field, value })
    }

    pub(crate) fn flag(&mut self, field: &'static str) -> Result<bool> {
        Ok(self.u8(field)? != 0)
    }

    pub(crate) fn timestamp(&mut self, field: &'static str) -> Result<i64> {
        self.u63(field)
    }

    pub(crate) fn offset(&mut self, field: &'static str) -> Result<Offset> {
        // Never negative, so never none.
        Ok(Offset::new(self.u63(field)?).unwrap_or_default())
    }

    pub(crate) fn producer_id(&mut self, field: &'static str) -> Result<ProducerId> {
        self.u63(field).map(ProducerId::new)
    }

    pub(crate) fn partition(&mut self, field: &'static str) -> Result<PartitionId> {
        self.u32(field).map(PartitionId::new)
    }

    pub(crate) fn error_code(&mut self, field: &'static str) -> Result<ErrorCode> {
        self.u16(field).map(ErrorCode::new)
    }

    pub(crate) fn data(&mut self, field: &'static str, max: usize) -> Result<Bytes> {
        let length = self.u32(field)? as usize;
        if length > max {
            return Err(DecodeError::TooLong { field, length, max });
        }
        if length > self.0.len() {
            return Err(DecodeError::Truncated { field });
        }
        Ok(self.0.split_to(length))
    }

    pub(crate) fn text(&mut self, field: &'static str, max: usize) -> Result<Str> {
        Str::from_utf8(self.data(field, max)?).map_err(|_| DecodeError::NotUtf8 { field })
    }

    pub(crate) fn topic(&mut self, field: &'static str) -> Result<TopicName> {
        self.text(field, limits::TOPIC_BYTES_MAX).map(TopicName::from)
    }

    pub(crate) fn group(&mut self, field: &'static str) -> Result<GroupId> {
        self.text(field, limits::GROUP_BYTES_MAX).map(GroupId::from)
    }

    /// A count, then as many elements, at most `max`.
    pub(crate) fn list<T: Wire>(&mut self, field: &'static str, max: usize) -> Result<Vec<T>> {
        let count = self.count(field, max, T::SIZE_MIN)?;
        let mut elements = Vec::with_capacity(count);
        for _ in 0..count {
            elements.push(T::read(self)?);
        }
        Ok(elements)
    }

    /// A count of elements of at least `size_min` bytes that the payload can hold.
    pub(crate) fn count(&mut self, field: &'static str, max: usize, size_min: usize) -> Result<usize> {
        let count = self.u32(field)? as usize;
        if count > max || count > self.0.len() / size_min {
            return Err(DecodeError::Count { field, count });
        }
        Ok(count)
    }

    /// `u32 length | block`.
    pub(crate) fn headers(&mut self, field: &'static str) -> Result<Headers> {
        let block = self.data(field, limits::DELIVERED_BYTES_MAX)?;
        Ok(Headers::decode(block)?)
    }

    /// A header block at the end of a payload, where peers that do not know headers write nothing.
    pub(crate) fn trailing_headers(&mut self, field: &'static str) -> Result<Headers> {
        if self.is_empty() { Ok(Headers::default()) } else { self.headers(field) }
    }
}

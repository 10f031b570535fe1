//! Writes the fields of a payload.

use bytes::{BufMut, Bytes, BytesMut};
use headwater_codec::{GroupId, Offset, ProducerId, Str, TopicName};

use crate::{EncodeError, ErrorCode, Headers, PartitionId, limits, wire::Wire};

/// Appends to a payload. What is over a bound is refused, for the peer would refuse it.
pub(crate) struct Writer<'a>(pub(crate) &'a mut BytesMut);

type Result = std::result::Result<(), EncodeError>;

impl Writer<'_> {
    pub(crate) fn u8(&mut self, _field: &'static str, value: &u8) -> Result {
        self.0.put_u8(*value);
        Ok(())
    }

    pub(crate) fn u16(&mut self, _field: &'static str, value: &u16) -> Result {
        self.0.put_u16(*value);
        Ok(())
    }

    pub(crate) fn u32(&mut self, _field: &'static str, value: &u32) -> Result {
        self.0.put_u32(*value);
        Ok(())
    }

    fn u63(&mut self, field: &'static str, value: i64) -> Result {
        let value = u64::try_from(value).map_err(|_| EncodeError::Negative { field, value })?;
        self.0.put_u64(value);
        Ok(())
    }

    pub(crate) fn flag(&mut self, field: &'static str, value: &bool) -> Result {
        self.u8(field, &u8::from(*value))
    }

    pub(crate) fn timestamp(&mut self, field: &'static str, value: &i64) -> Result {
        self.u63(field, *value)
    }

    pub(crate) fn offset(&mut self, field: &'static str, value: &Offset) -> Result {
        self.u63(field, value.get())
    }

    pub(crate) fn producer_id(&mut self, field: &'static str, value: &ProducerId) -> Result {
        self.u63(field, value.get())
    }

    pub(crate) fn partition(&mut self, field: &'static str, value: &PartitionId) -> Result {
        self.u32(field, &value.get())
    }

    pub(crate) fn error_code(&mut self, field: &'static str, value: &ErrorCode) -> Result {
        self.u16(field, &value.get())
    }

    pub(crate) fn bytes(&mut self, field: &'static str, max: usize, value: &[u8]) -> Result {
        let length = value.len();
        match u32::try_from(length) {
            Ok(on_wire) if length <= max => self.0.put_u32(on_wire),
            _ => return Err(EncodeError::TooLong { field, length, max }),
        }
        self.0.put_slice(value);
        Ok(())
    }

    pub(crate) fn data(&mut self, field: &'static str, max: usize, value: &Bytes) -> Result {
        self.bytes(field, max, value)
    }

    pub(crate) fn text(&mut self, field: &'static str, max: usize, value: &Str) -> Result {
        self.bytes(field, max, value.as_bytes())
    }

    pub(crate) fn topic(&mut self, field: &'static str, value: &TopicName) -> Result {
        self.bytes(field, limits::TOPIC_BYTES_MAX, value.as_str().as_bytes())
    }

    pub(crate) fn group(&mut self, field: &'static str, value: &GroupId) -> Result {
        self.bytes(field, limits::GROUP_BYTES_MAX, value.as_str().as_bytes())
    }

    pub(crate) fn list<T: Wire>(&mut self, field: &'static str, max: usize, elements: &[T]) -> Result {
        self.count(field, max, elements.len())?;
        elements.iter().try_for_each(|element| element.write(self))
    }

    pub(crate) fn count(&mut self, field: &'static str, max: usize, count: usize) -> Result {
        match u32::try_from(count) {
            Ok(on_wire) if count <= max => self.u32(field, &on_wire),
            _ => Err(EncodeError::Count { field, count }),
        }
    }

    pub(crate) fn headers(&mut self, field: &'static str, block: &Headers) -> Result {
        self.bytes(field, limits::DELIVERED_BYTES_MAX, block.as_bytes())
    }

    /// Nothing without headers, so that the bytes are those of a peer that does not know them.
    pub(crate) fn trailing_headers(&mut self, field: &'static str, block: &Headers) -> Result {
        if block.is_empty() { Ok(()) } else { self.headers(field, block) }
    }
}

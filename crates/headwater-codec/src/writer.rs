//! The one writer behind every message: a buffer, cut where bytes from elsewhere go in.

use bytes::{BufMut, Bytes, BytesMut};

use crate::error::{EncodeError, EncodeErrorKind};
use crate::wire::{Nullable, Wire};
use crate::{Records, Uuid, varint};

/// A piece of an encoded message.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Chunk {
    /// Bytes to send as they are.
    Bytes(Bytes),
    /// Bytes that lie elsewhere and go here.
    External {
        /// How many bytes they are.
        length: u32,
        /// The token of the [`Records::External`] that stood here.
        token: u64,
    },
}

/// An encoded message or frame: chunks to send one after the other.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct EncodedFrame {
    /// The pieces, none of them empty.
    pub chunks: Vec<Chunk>,
    /// Their bytes, all together.
    pub length: usize,
}

impl EncodedFrame {
    /// All bytes in one piece; `None` when some lie elsewhere.
    pub fn to_bytes(&self) -> Option<Bytes> {
        if let [Chunk::Bytes(bytes)] = &self.chunks[..] {
            return Some(bytes.clone());
        }
        let mut whole = BytesMut::with_capacity(self.length);
        for chunk in &self.chunks {
            match chunk {
                Chunk::Bytes(bytes) => whole.extend_from_slice(bytes),
                Chunk::External { .. } => return None,
            }
        }
        Some(whole.freeze())
    }
}

/// Writes one message or frame.
///
/// Records that are at hand are copied when they are short and become a chunk of their own when they are
/// long; external ones always leave a [`Chunk::External`].
///
/// # Errors
/// Every method with a length gives [`EncodeErrorKind::TooLong`] when its length field cannot say it. After an error
/// the writer is of no further use.
#[derive(Debug)]
pub struct Writer {
    buf: BytesMut,
    parts: Vec<Part>,
    parts_length: usize,
    version: i16,
    flexible: bool,
    framed: bool,
    tag_depth: u32,
}

#[derive(Debug)]
enum Part {
    Written(BytesMut),
    Shared(Bytes),
    External { length: u32, token: u64 },
}

/// Records up to that many bytes are copied; longer ones are shared.
const COPIED_RECORDS_MAX: usize = 1024;

impl Writer {
    /// Writes `version` of a message, flexible or not, into a buffer of its own.
    pub fn new(version: i16, flexible: bool) -> Self {
        Self::with_buffer(BytesMut::new(), version, flexible)
    }

    /// Writes into `buf`, whose spare capacity is used; whatever stood in it is dropped.
    pub fn with_buffer(mut buf: BytesMut, version: i16, flexible: bool) -> Self {
        buf.clear();
        Self { buf, parts: Vec::new(), parts_length: 0, version, flexible, framed: false, tag_depth: 0 }
    }

    /// Leaves room for the frame's length, which [`Writer::finish`] fills in. To be called before anything is written.
    #[must_use]
    pub fn framed(mut self) -> Self {
        self.buf.put_u32(0);
        self.framed = true;
        self
    }

    /// Goes on with another structure, as a body follows its header.
    #[must_use]
    pub fn switch_to(mut self, version: i16, flexible: bool) -> Self {
        self.version = version;
        self.flexible = flexible;
        self
    }

    /// The version of the message being written.
    #[inline]
    pub fn version(&self) -> i16 {
        self.version
    }

    /// Whether lengths are compact and structures end in tagged fields.
    #[inline]
    pub fn is_flexible(&self) -> bool {
        self.flexible
    }

    /// Bytes written so far, external ones and the frame's length included.
    pub fn length(&self) -> usize {
        self.parts_length + self.buf.len()
    }

    /// Writes a field that is never null; an error names it.
    #[inline]
    pub fn field<T: Wire>(&mut self, name: &'static str, value: &T) -> Result<(), EncodeError> {
        match value.write(self) {
            Ok(()) => Ok(()),
            Err(error) => Err(error.within(name)),
        }
    }

    /// Writes a field that may be null in some versions, `nullable` in this one; an error names it.
    #[inline]
    pub fn optional_field<T: Nullable>(
        &mut self,
        name: &'static str,
        value: &Option<T>,
        nullable: bool,
    ) -> Result<(), EncodeError> {
        let written = match value {
            value if nullable => T::write_nullable(value.as_ref(), self),
            Some(value) => value.write(self),
            None => Err(EncodeError::new(EncodeErrorKind::NullNotAllowed { version: self.version })),
        };
        match written {
            Ok(()) => Ok(()),
            Err(error) => Err(error.within(name)),
        }
    }

    /// As [`Writer::optional_field`], for a field that is a tagged one.
    #[inline]
    pub fn optional_tagged_field<T: Nullable>(
        &mut self,
        name: &'static str,
        value: &Option<T>,
        nullable: bool,
    ) -> Result<(), EncodeError> {
        let written = match value {
            value if nullable => T::write_nullable_tagged(value.as_ref(), self),
            Some(value) => value.write(self),
            None => Err(EncodeError::new(EncodeErrorKind::NullNotAllowed { version: self.version })),
        };
        match written {
            Ok(()) => Ok(()),
            Err(error) => Err(error.within(name)),
        }
    }

    /// The error for a field that this version lacks and that must not be dropped.
    #[cold]
    pub fn absent(&self, name: &'static str) -> EncodeError {
        EncodeError::new(EncodeErrorKind::FieldAbsent { version: self.version }).within(name)
    }

    /// A byte, 1 or 0.
    #[inline]
    pub fn boolean(&mut self, value: bool) {
        self.buf.put_u8(u8::from(value));
    }

    /// An `int8`.
    #[inline]
    pub fn int8(&mut self, value: i8) {
        self.buf.put_i8(value);
    }

    /// An `int16`, big-endian as every integer.
    #[inline]
    pub fn int16(&mut self, value: i16) {
        self.buf.put_i16(value);
    }

    /// A `uint16`.
    #[inline]
    pub fn uint16(&mut self, value: u16) {
        self.buf.put_u16(value);
    }

    /// An `int32`.
    #[inline]
    pub fn int32(&mut self, value: i32) {
        self.buf.put_i32(value);
    }

    /// A `uint32`.
    #[inline]
    pub fn uint32(&mut self, value: u32) {
        self.buf.put_u32(value);
    }

    /// An `int64`.
    #[inline]
    pub fn int64(&mut self, value: i64) {
        self.buf.put_i64(value);
    }

    /// A `float64`.
    #[inline]
    pub fn float64(&mut self, value: f64) {
        self.buf.put_f64(value);
    }

    /// Sixteen raw bytes.
    #[inline]
    pub fn uuid(&mut self, value: Uuid) {
        self.buf.put_slice(value.as_bytes());
    }

    /// An unsigned varint.
    #[inline]
    pub fn uvarint(&mut self, value: u32) {
        varint::write_u32(&mut self.buf, value);
    }

    /// Bytes without a length.
    #[inline]
    pub fn raw(&mut self, bytes: &[u8]) {
        self.buf.put_slice(bytes);
    }

    /// A string or null, compact or classic as the version has it.
    #[inline]
    pub fn nullable_string(&mut self, value: Option<&str>) -> Result<(), EncodeError> {
        if !self.flexible {
            return self.classic_nullable_string(value);
        }
        self.nullable_length(value.map(str::len))?;
        self.raw(value.unwrap_or_default().as_bytes());
        Ok(())
    }

    /// A string or null with an `int16` length, even in a flexible version: the client id of request headers.
    #[inline]
    pub fn classic_nullable_string(&mut self, value: Option<&str>) -> Result<(), EncodeError> {
        let Some(value) = value else {
            self.int16(-1);
            return Ok(());
        };
        let length = i16::try_from(value.len()).map_err(|_| too_long(value.len()))?;
        self.int16(length);
        self.raw(value.as_bytes());
        Ok(())
    }

    /// A byte field or null.
    #[inline]
    pub fn nullable_bytes(&mut self, value: Option<&[u8]>) -> Result<(), EncodeError> {
        self.nullable_length(value.map(<[u8]>::len))?;
        self.raw(value.unwrap_or_default());
        Ok(())
    }

    /// Records or null.
    pub fn nullable_records(&mut self, value: Option<&Records>) -> Result<(), EncodeError> {
        self.nullable_length(value.map(Records::len))?;
        match value {
            None => Ok(()),
            Some(Records::Bytes(bytes)) if bytes.len() <= COPIED_RECORDS_MAX || self.tag_depth > 0 => {
                self.raw(bytes);
                Ok(())
            }
            Some(Records::Bytes(bytes)) => {
                self.part(bytes.len(), Part::Shared(bytes.clone()));
                Ok(())
            }
            Some(Records::External { length: 0, .. }) => Ok(()),
            Some(Records::External { .. }) if self.tag_depth > 0 => {
                Err(EncodeError::new(EncodeErrorKind::ExternalNotAllowed))
            }
            Some(&Records::External { length, token }) => {
                self.part(length as usize, Part::External { length, token });
                Ok(())
            }
        }
    }

    /// An array or null.
    pub fn nullable_array<T: Wire>(&mut self, value: Option<&[T]>) -> Result<(), EncodeError> {
        self.nullable_length(value.map(<[T]>::len))?;
        for element in value.unwrap_or_default() {
            element.write(self)?;
        }
        Ok(())
    }

    /// The length of a byte field, records field or array; `None` is null.
    #[inline]
    pub fn nullable_length(&mut self, length: Option<usize>) -> Result<(), EncodeError> {
        let signed = match length {
            Some(length) => i32::try_from(length).map_err(|_| too_long(length))?,
            None => -1,
        };
        if self.flexible {
            self.uvarint(signed.wrapping_add(1) as u32);
        } else {
            self.int32(signed);
        }
        Ok(())
    }

    /// Ends the message: fills in the frame's length, if there is one, and gives the chunks and what is left
    /// of the buffer, to be used again.
    ///
    /// # Errors
    /// [`EncodeErrorKind::TooLong`] when the frame's length does not fit its field.
    pub fn finish(mut self) -> Result<(EncodedFrame, BytesMut), EncodeError> {
        let length = self.length();
        let spare = if self.buf.is_empty() {
            self.buf
        } else {
            let last = self.buf.split();
            self.parts.push(Part::Written(last));
            self.buf
        };
        if self.framed {
            let body = length.saturating_sub(size_of::<u32>());
            let prefix = i32::try_from(body).map_err(|_| too_long(body))?.to_be_bytes();
            if let Some(Part::Written(first)) = self.parts.first_mut()
                && let Some(room) = first.first_chunk_mut()
            {
                *room = prefix;
            }
        }
        let chunks = self.parts.into_iter().map(Part::into_chunk).collect();
        Ok((EncodedFrame { chunks, length }, spare))
    }

    /// Writes a size and then what `write` writes, which is that many bytes. Nothing is sized beforehand: what was
    /// written moves up when its size takes more than one byte.
    pub(crate) fn sized(
        &mut self,
        write: &mut dyn FnMut(&mut Self) -> Result<(), EncodeError>,
    ) -> Result<(), EncodeError> {
        self.tag_depth += 1;
        let start = self.buf.len();
        self.buf.put_u8(0);
        write(self)?;
        let size = self.buf.len() - start - 1;
        let size = u32::try_from(size).map_err(|_| too_long(size))?;
        let extra = varint::len_u32(size) - 1;
        if extra > 0 {
            let end = self.buf.len();
            self.buf.put_bytes(0, extra);
            self.buf.copy_within(start + 1..end, start + 1 + extra);
        }
        if let Some(mut room) = self.buf.get_mut(start..=start + extra) {
            varint::write_u32(&mut room, size);
        }
        self.tag_depth -= 1;
        Ok(())
    }

    fn part(&mut self, length: usize, part: Part) {
        if !self.buf.is_empty() {
            let written = self.buf.split();
            self.parts_length += written.len();
            self.parts.push(Part::Written(written));
        }
        self.parts_length += length;
        self.parts.push(part);
    }
}

impl Part {
    fn into_chunk(self) -> Chunk {
        match self {
            Self::Written(bytes) => Chunk::Bytes(bytes.freeze()),
            Self::Shared(bytes) => Chunk::Bytes(bytes),
            Self::External { length, token } => Chunk::External { length, token },
        }
    }
}

#[cold]
fn too_long(length: usize) -> EncodeError {
    EncodeError::new(EncodeErrorKind::TooLong(length))
}

#[cfg(test)]
mod tests;

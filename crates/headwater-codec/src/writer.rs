//! The one writer behind every message: a buffer, cut where bytes from elsewhere go in.

use bytes::{Bytes, BytesMut};

use crate::error::{EncodeError, EncodeErrorKind};
use crate::fixed::WriteRun;
use crate::wire::{Nullable, Wire};
use crate::{Records, Uuid, varint};
use output::Output;

mod output;

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
    output: Output,
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
    pub fn with_buffer(buf: BytesMut, version: i16, flexible: bool) -> Self {
        let output = Output::new(buf);
        Self { output, parts: Vec::new(), parts_length: 0, version, flexible, framed: false, tag_depth: 0 }
    }

    /// Leaves room for the frame's length, which [`Writer::finish`] fills in. To be called before anything is written.
    #[must_use]
    pub fn framed(mut self) -> Self {
        self.output.put([0; size_of::<u32>()]);
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
        self.parts_length + self.output.len()
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

    /// Begins a run of fields of fixed size, at most `LENGTH` bytes together.
    #[inline]
    pub fn run<const LENGTH: usize>(&mut self) -> WriteRun<'_> {
        self.output.run::<LENGTH>()
    }

    /// A byte, 1 or 0.
    #[inline]
    pub fn boolean(&mut self, value: bool) {
        self.output.put([u8::from(value)]);
    }

    /// An `int8`.
    #[inline]
    pub fn int8(&mut self, value: i8) {
        self.output.put(value.to_be_bytes());
    }

    /// An `int16`, big-endian as every integer.
    #[inline]
    pub fn int16(&mut self, value: i16) {
        self.output.put(value.to_be_bytes());
    }

    /// A `uint16`.
    #[inline]
    pub fn uint16(&mut self, value: u16) {
        self.output.put(value.to_be_bytes());
    }

    /// An `int32`.
    #[inline]
    pub fn int32(&mut self, value: i32) {
        self.output.put(value.to_be_bytes());
    }

    /// A `uint32`.
    #[inline]
    pub fn uint32(&mut self, value: u32) {
        self.output.put(value.to_be_bytes());
    }

    /// An `int64`.
    #[inline]
    pub fn int64(&mut self, value: i64) {
        self.output.put(value.to_be_bytes());
    }

    /// A `float64`.
    #[inline]
    pub fn float64(&mut self, value: f64) {
        self.output.put(value.to_be_bytes());
    }

    /// Sixteen raw bytes.
    #[inline]
    pub fn uuid(&mut self, value: Uuid) {
        self.output.put(value.into_bytes());
    }

    /// An unsigned varint.
    #[inline]
    pub fn uvarint(&mut self, value: u32) {
        match u8::try_from(value) {
            Ok(byte) if byte < 0x80 => self.output.put([byte]),
            _ => self.long_uvarint(value),
        }
    }

    #[inline(never)]
    fn long_uvarint(&mut self, value: u32) {
        let mut bytes = [0; varint::LEN_MAX_U32];
        let mut room = &mut bytes[..];
        varint::write_u32(&mut room, value);
        self.output.put_slice(bytes.get(..varint::len_u32(value)).unwrap_or_default());
    }

    /// Bytes without a length.
    #[inline]
    pub fn raw(&mut self, bytes: &[u8]) {
        self.output.put_slice(bytes);
    }

    /// Values of one size, one after the other.
    #[inline]
    pub(crate) fn each<const N: usize>(&mut self, values: impl ExactSizeIterator<Item = [u8; N]>) {
        self.output.put_each(values);
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
        T::write_all(value.unwrap_or_default(), self)
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
        if self.output.len() > 0 {
            let last = self.output.split();
            self.parts.push(Part::Written(last));
        }
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
        Ok((EncodedFrame { chunks, length }, self.output.into_spare()))
    }

    /// Writes a size and then what `write` writes, which is that many bytes. Nothing is sized beforehand: what was
    /// written moves up when its size takes more than one byte.
    pub(crate) fn sized(
        &mut self,
        write: &mut dyn FnMut(&mut Self) -> Result<(), EncodeError>,
    ) -> Result<(), EncodeError> {
        self.tag_depth += 1;
        let start = self.output.len();
        self.output.put([0]);
        write(self)?;
        let size = self.output.len() - start - 1;
        let size = u32::try_from(size).map_err(|_| too_long(size))?;
        let extra = varint::len_u32(size) - 1;
        if extra > 0 {
            let end = self.output.len();
            self.output.put_slice([0; varint::LEN_MAX_U32].get(..extra).unwrap_or_default());
            self.output.written().copy_within(start + 1..end, start + 1 + extra);
        }
        if let Some(mut room) = self.output.written().get_mut(start..=start + extra) {
            varint::write_u32(&mut room, size);
        }
        self.tag_depth -= 1;
        Ok(())
    }

    fn part(&mut self, length: usize, part: Part) {
        if self.output.len() > 0 {
            let written = self.output.split();
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

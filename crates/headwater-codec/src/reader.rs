//! The one reader behind every message: a cursor over a frame.

use bytes::Bytes;

use crate::error::{DecodeError, DecodeErrorKind};
use crate::fixed::ReadRun;
use crate::primitives::{self, Fault, Parsed};
use crate::wire::{Nullable, Wire};
use crate::{Str, Uuid};

/// A cursor over one frame. Strings and byte fields come out as slices that share the frame.
///
/// It knows which version of the message it reads and whether that version is flexible (KIP-482), and it
/// bounds the memory that decoding takes: a count is checked against the bytes left before anything is
/// reserved, and all reservations together stay within a budget.
///
/// # Errors
/// Every method that reads a value gives a [`DecodeError`] when the input ends inside it, when a length exceeds the
/// bytes left, when a string is not UTF-8, or for null where the method has no null. After an error the reader is
/// of no further use.
#[derive(Clone, Debug)]
pub struct Reader {
    frame: Bytes,
    position: usize,
    end: usize,
    version: i16,
    flexible: bool,
    budget: usize,
}

impl Reader {
    /// Bytes of memory that decoding may take whatever the frame's length.
    pub const BUDGET_BASE: usize = 1 << 20;
    /// Bytes of memory that decoding may take for each byte of the frame.
    pub const BUDGET_PER_BYTE: usize = 4;

    /// Reads `frame` as `version` of a message, flexible or not.
    pub fn new(frame: Bytes, version: i16, flexible: bool) -> Self {
        let end = frame.len();
        let budget = end.saturating_mul(Self::BUDGET_PER_BYTE).saturating_add(Self::BUDGET_BASE);
        Self { frame, position: 0, end, version, flexible, budget }
    }

    /// The same reader with another budget, in bytes of memory that arrays may take.
    #[must_use]
    pub fn with_budget(mut self, bytes: usize) -> Self {
        self.budget = bytes;
        self
    }

    /// Goes on with another structure at the same place, as a body follows its header.
    #[must_use]
    pub fn switch_to(mut self, version: i16, flexible: bool) -> Self {
        self.version = version;
        self.flexible = flexible;
        self
    }

    /// The version of the message being read.
    #[inline]
    pub fn version(&self) -> i16 {
        self.version
    }

    /// Whether lengths are compact and structures end in tagged fields.
    #[inline]
    pub fn is_flexible(&self) -> bool {
        self.flexible
    }

    /// Bytes read so far.
    #[inline]
    pub fn position(&self) -> usize {
        self.position
    }

    /// Bytes left, in the frame or in the tagged field being read.
    #[inline]
    pub fn remaining(&self) -> usize {
        self.end.saturating_sub(self.position)
    }

    /// Bytes of memory that decoding may still take.
    pub fn budget(&self) -> usize {
        self.budget
    }

    /// An error at the present place.
    #[cold]
    pub fn error(&self, kind: DecodeErrorKind) -> DecodeError {
        DecodeError::new(kind, self.position)
    }

    /// Reads a field that is never null; an error names it.
    #[inline]
    pub fn field<T: Wire>(&mut self, name: &'static str) -> Result<T, DecodeError> {
        match T::read(self) {
            Ok(value) => Ok(value),
            Err(error) => Err(error.within(name)),
        }
    }

    /// Reads a field that may be null in some versions, `nullable` in this one; an error names it.
    #[inline]
    pub fn optional_field<T: Nullable>(
        &mut self,
        name: &'static str,
        nullable: bool,
    ) -> Result<Option<T>, DecodeError> {
        let value = if nullable { T::read_nullable(self) } else { T::read(self).map(Some) };
        match value {
            Ok(value) => Ok(value),
            Err(error) => Err(error.within(name)),
        }
    }

    /// As [`Reader::optional_field`], for a field that is a tagged one.
    #[inline]
    pub fn optional_tagged_field<T: Nullable>(
        &mut self,
        name: &'static str,
        nullable: bool,
    ) -> Result<Option<T>, DecodeError> {
        let value = if nullable { T::read_nullable_tagged(self) } else { T::read(self).map(Some) };
        match value {
            Ok(value) => Ok(value),
            Err(error) => Err(error.within(name)),
        }
    }

    /// Begins a run of fields of fixed size, which [`Reader::end_run`] ends.
    #[inline]
    pub fn run(&self) -> ReadRun<'_> {
        ReadRun::new(self.frame.get(self.position..self.end).unwrap_or_default())
    }

    /// Ends a run that has left that many bytes.
    #[inline]
    pub fn end_run(&mut self, left: usize) {
        self.position = self.end.saturating_sub(left).max(self.position);
    }

    /// The error for a run that ends inside the field `name`, with that many bytes left.
    #[cold]
    pub fn run_ends(&self, left: usize, name: &'static str) -> DecodeError {
        DecodeError::new(DecodeErrorKind::Truncated, self.end.saturating_sub(left)).within(name)
    }

    /// A byte, true unless zero.
    #[inline]
    pub fn boolean(&mut self) -> Result<bool, DecodeError> {
        self.parse(primitives::boolean)
    }

    /// An `int8`.
    #[inline]
    pub fn int8(&mut self) -> Result<i8, DecodeError> {
        self.parse(primitives::int8)
    }

    /// An `int16`, big-endian as every integer.
    #[inline]
    pub fn int16(&mut self) -> Result<i16, DecodeError> {
        self.parse(primitives::int16)
    }

    /// A `uint16`.
    #[inline]
    pub fn uint16(&mut self) -> Result<u16, DecodeError> {
        self.parse(primitives::uint16)
    }

    /// An `int32`.
    #[inline]
    pub fn int32(&mut self) -> Result<i32, DecodeError> {
        self.parse(primitives::int32)
    }

    /// A `uint32`.
    #[inline]
    pub fn uint32(&mut self) -> Result<u32, DecodeError> {
        self.parse(primitives::uint32)
    }

    /// An `int64`.
    #[inline]
    pub fn int64(&mut self) -> Result<i64, DecodeError> {
        self.parse(primitives::int64)
    }

    /// A `float64`.
    #[inline]
    pub fn float64(&mut self) -> Result<f64, DecodeError> {
        self.parse(primitives::float64)
    }

    /// Sixteen raw bytes; all zero means none.
    #[inline]
    pub fn uuid(&mut self) -> Result<Uuid, DecodeError> {
        self.parse(primitives::uuid)
    }

    /// An unsigned varint.
    #[inline]
    pub fn uvarint(&mut self) -> Result<u32, DecodeError> {
        self.parse(primitives::uvarint)
    }

    /// A string, compact or classic as the version has it.
    #[inline]
    pub fn string(&mut self) -> Result<Str, DecodeError> {
        let null = self.null_error();
        self.nullable_string()?.ok_or_else(null)
    }

    /// A string or null.
    #[inline]
    pub fn nullable_string(&mut self) -> Result<Option<Str>, DecodeError> {
        if !self.flexible {
            return self.classic_nullable_string();
        }
        match self.parse(primitives::length_compact)? {
            Some(length) => self.text(length).map(Some),
            None => Ok(None),
        }
    }

    /// A string or null with an `int16` length, even in a flexible version: the client id of request headers.
    #[inline]
    pub fn classic_nullable_string(&mut self) -> Result<Option<Str>, DecodeError> {
        match self.parse(primitives::length_int16)? {
            Some(length) => self.text(length).map(Some),
            None => Ok(None),
        }
    }

    /// A byte field, compact or classic as the version has it.
    #[inline]
    pub fn bytes(&mut self) -> Result<Bytes, DecodeError> {
        let null = self.null_error();
        self.nullable_bytes()?.ok_or_else(null)
    }

    /// A byte field or null.
    #[inline]
    pub fn nullable_bytes(&mut self) -> Result<Option<Bytes>, DecodeError> {
        match self.nullable_length()? {
            Some(length) => self.take(length).map(Some),
            None => Ok(None),
        }
    }

    /// An array: its count is checked against the bytes left, its memory against the budget.
    #[inline]
    pub fn array<T: Wire>(&mut self) -> Result<Vec<T>, DecodeError> {
        let null = self.null_error();
        self.nullable_array()?.ok_or_else(null)
    }

    /// An array or null.
    pub fn nullable_array<T: Wire>(&mut self) -> Result<Option<Vec<T>>, DecodeError> {
        let Some(count) = self.nullable_length()? else { return Ok(None) };
        let least = T::least_size(self.version, self.flexible);
        let left = self.remaining();
        if count.saturating_mul(least) > left {
            return Err(self.error(DecodeErrorKind::CountPastEnd { count, left }));
        }
        self.charge(count.saturating_mul(size_of::<T>().max(1)))?;
        let mut elements = Vec::with_capacity(count);
        for _ in 0..count {
            elements.push(T::read(self)?);
        }
        Ok(Some(elements))
    }

    /// The next `length` bytes, sharing the frame.
    #[inline]
    pub fn take(&mut self, length: usize) -> Result<Bytes, DecodeError> {
        let left = self.remaining();
        if length > left {
            return Err(self.error(DecodeErrorKind::LengthPastEnd { length, left }));
        }
        if length == 0 {
            return Ok(Bytes::new());
        }
        let bytes = self.frame.slice(self.position..self.position + length);
        self.position += length;
        Ok(bytes)
    }

    /// Takes `bytes` off the budget, before as much memory is reserved.
    ///
    /// # Errors
    /// [`DecodeErrorKind::BudgetExceeded`] when that much is not left.
    #[inline]
    pub fn charge(&mut self, bytes: usize) -> Result<(), DecodeError> {
        match self.budget.checked_sub(bytes) {
            Some(left) => {
                self.budget = left;
                Ok(())
            }
            None => Err(self.error(DecodeErrorKind::BudgetExceeded { needed: bytes, left: self.budget })),
        }
    }

    /// Declares the message read.
    ///
    /// # Errors
    /// [`DecodeErrorKind::TrailingBytes`] when bytes are left.
    pub fn finish(&self) -> Result<(), DecodeError> {
        match self.remaining() {
            0 => Ok(()),
            left => Err(self.error(DecodeErrorKind::TrailingBytes(left))),
        }
    }

    /// Runs `read` on the next `length` bytes alone. It must take all of them or none; `true` when it took them.
    pub(crate) fn within(
        &mut self,
        length: usize,
        read: &mut dyn FnMut(&mut Self) -> Result<bool, DecodeError>,
    ) -> Result<bool, DecodeError> {
        let left = self.remaining();
        if length > left {
            return Err(self.error(DecodeErrorKind::LengthPastEnd { length, left }));
        }
        let outer = std::mem::replace(&mut self.end, self.position + length);
        let taken = read(self)?;
        if taken {
            self.finish()?;
        }
        self.end = outer;
        Ok(taken)
    }

    #[inline]
    fn nullable_length(&mut self) -> Result<Option<usize>, DecodeError> {
        if self.flexible {
            self.parse(primitives::length_compact)
        } else {
            self.parse(primitives::length_int32)
        }
    }

    #[inline]
    fn text(&mut self, length: usize) -> Result<Str, DecodeError> {
        let position = self.position;
        let bytes = self.take(length)?;
        Str::from_utf8(bytes).map_err(|_| DecodeError::new(DecodeErrorKind::InvalidUtf8, position))
    }

    #[inline]
    fn null_error(&self) -> impl FnOnce() -> DecodeError + use<> {
        let position = self.position;
        move || DecodeError::new(DecodeErrorKind::NullNotAllowed, position)
    }

    #[inline]
    fn parse<T>(&mut self, parser: impl for<'a> FnOnce(&'a [u8]) -> Parsed<'a, T>) -> Result<T, DecodeError> {
        let input = self.frame.get(self.position..self.end).unwrap_or_default();
        match parser(input) {
            Ok((rest, value)) => {
                self.position = self.end - rest.len();
                Ok(value)
            }
            Err(error) => Err(self.fault(error)),
        }
    }

    #[cold]
    fn fault(&self, error: nom::Err<Fault>) -> DecodeError {
        match error {
            nom::Err::Error(Fault(kind)) | nom::Err::Failure(Fault(kind)) => self.error(kind),
            nom::Err::Incomplete(_) => self.error(DecodeErrorKind::Truncated),
        }
    }
}

#[cfg(test)]
mod tests;

//! The two inputs a record is read from: bytes that are all there, and bytes that are being unpacked.

use crate::{Malformed, RecordError, Unpacker};

/// Numbers and skips over one record's bytes.
pub(crate) trait RecordInput {
    /// What goes wrong.
    type Error;

    /// Takes one byte.
    fn byte(&mut self) -> Result<u8, Self::Error>;

    /// Passes over `count` bytes.
    fn skip(&mut self, count: usize) -> Result<(), Self::Error>;

    /// How many bytes are left.
    fn left(&self) -> usize;

    /// Turns a reason into this input's error.
    fn malformed(&self, reason: Malformed) -> Self::Error;

    /// Takes a zigzag varint of 32 bits.
    #[inline]
    fn varint(&mut self) -> Result<i32, Self::Error> {
        let raw = self.unsigned::<{ u32::BITS }>()? as u32;
        Ok((raw >> 1).cast_signed() ^ -((raw & 1).cast_signed()))
    }

    /// Takes a zigzag varint of 64 bits.
    #[inline]
    fn varlong(&mut self) -> Result<i64, Self::Error> {
        let raw = self.unsigned::<{ u64::BITS }>()?;
        Ok((raw >> 1).cast_signed() ^ -((raw & 1).cast_signed()))
    }

    /// Takes a varint whose value fits `BITS` bits.
    #[inline]
    fn unsigned<const BITS: u32>(&mut self) -> Result<u64, Self::Error> {
        let first = self.byte()?;
        if first < 0x80 {
            return Ok(u64::from(first));
        }
        let second = self.byte()?;
        let mut value = u64::from(first & 0x7f) | u64::from(second & 0x7f) << 7;
        if second < 0x80 {
            return Ok(value);
        }
        let mut shift = 14;
        loop {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift >= BITS || (BITS - shift < 7 && bits >> (BITS - shift) != 0) {
                return Err(self.malformed(Malformed::Varint));
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Ok(value);
            }
            shift += 7;
        }
    }
}

/// Bytes that are all there.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct SliceInput<'a> {
    rest: &'a [u8],
}

impl<'a> SliceInput<'a> {
    #[inline]
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// The bytes that are left.
    #[inline]
    pub(crate) const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Takes `count` bytes.
    #[inline]
    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(Malformed::Truncated)?;
        self.rest = rest;
        Ok(taken)
    }
}

impl RecordInput for SliceInput<'_> {
    type Error = Malformed;

    #[inline]
    fn byte(&mut self) -> Result<u8, Malformed> {
        let (&byte, rest) = self.rest.split_first().ok_or(Malformed::Truncated)?;
        self.rest = rest;
        Ok(byte)
    }

    #[inline]
    fn skip(&mut self, count: usize) -> Result<(), Malformed> {
        self.rest = self.rest.get(count..).ok_or(Malformed::Truncated)?;
        Ok(())
    }

    #[inline]
    fn left(&self) -> usize {
        self.rest.len()
    }

    fn malformed(&self, reason: Malformed) -> Malformed {
        reason
    }
}

/// The bytes of one record that are being unpacked. Skipping is as bounded as unpacking: nothing is kept.
pub(super) struct StreamInput<'u, 'a> {
    unpacker: &'u mut Unpacker<'a>,
    index: i32,
    left: usize,
}

impl<'u, 'a> StreamInput<'u, 'a> {
    /// Takes the length of record `index` and stands at its body.
    #[cold]
    pub(super) fn record(unpacker: &'u mut Unpacker<'a>, index: i32) -> Result<Self, RecordError> {
        let mut input = Self { unpacker, index, left: usize::MAX };
        let length = input.varint()?;
        input.left = usize::try_from(length).map_err(|_| input.malformed(Malformed::Length(length)))?;
        Ok(input)
    }
}

impl RecordInput for StreamInput<'_, '_> {
    type Error = RecordError;

    fn byte(&mut self) -> Result<u8, RecordError> {
        match self.unpacker.fill()?.first() {
            Some(&byte) if self.left > 0 => {
                self.unpacker.consume(1);
                self.left -= 1;
                Ok(byte)
            }
            _ => Err(self.malformed(Malformed::Truncated)),
        }
    }

    fn skip(&mut self, count: usize) -> Result<(), RecordError> {
        if count > self.left {
            return Err(self.malformed(Malformed::Truncated));
        }
        self.left -= count;
        let mut count = count;
        while count > 0 {
            let step = self.unpacker.fill()?.len().min(count);
            if step == 0 {
                return Err(self.malformed(Malformed::Truncated));
            }
            self.unpacker.consume(step);
            count -= step;
        }
        Ok(())
    }

    fn left(&self) -> usize {
        self.left
    }

    fn malformed(&self, reason: Malformed) -> RecordError {
        RecordError::Malformed { index: self.index, reason }
    }
}

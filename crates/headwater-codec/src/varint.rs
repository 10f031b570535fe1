//! Variable-length integers over slices: no allocation, no panic.
//!
//! `u32` ones carry compact lengths and tags (KIP-482). `i32` and `i64` ones are zigzag and occur inside
//! records: `(n << 1) ^ (n >> 31)`. All have seven bits a byte, the low ones first.
//!
//! ```
//! use headwater_codec::varint;
//!
//! let mut buf = Vec::new();
//! varint::write_i64(&mut buf, -300);
//! let mut input = &buf[..];
//! assert_eq!(varint::read_i64(&mut input), Ok(-300));
//! assert!(input.is_empty());
//! ```

use bytes::BufMut;

/// Why no integer could be read.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum VarintError {
    /// The input ended inside the integer.
    #[error("the input ends inside a variable-length integer")]
    Truncated,
    /// More bytes, or more bits, than an integer of that width has.
    #[error("a variable-length integer is too long for its type")]
    TooLong,
}

/// Reads an unsigned 32-bit integer, at most five bytes, and moves `input` past it.
///
/// # Errors
/// [`VarintError`]; `input` has not moved then.
#[inline]
pub fn read_u32(input: &mut &[u8]) -> Result<u32, VarintError> {
    if let [first, rest @ ..] = *input
        && *first < 0x80
    {
        *input = rest;
        return Ok(u32::from(*first));
    }
    read_long_u32(input)
}

/// Reads an unsigned 64-bit integer, at most ten bytes, and moves `input` past it.
///
/// # Errors
/// [`VarintError`]; `input` has not moved then.
#[inline]
pub fn read_u64(input: &mut &[u8]) -> Result<u64, VarintError> {
    if let [first, rest @ ..] = *input
        && *first < 0x80
    {
        *input = rest;
        return Ok(u64::from(*first));
    }
    read_long_u64(input)
}

/// Reads a zigzag 32-bit integer ("varint"), at most five bytes, and moves `input` past it.
///
/// # Errors
/// [`VarintError`]; `input` has not moved then.
#[inline]
pub fn read_i32(input: &mut &[u8]) -> Result<i32, VarintError> {
    let raw = read_u32(input)?;
    Ok((raw >> 1) as i32 ^ -((raw & 1) as i32))
}

/// Reads a zigzag 64-bit integer ("varlong"), at most ten bytes, and moves `input` past it.
///
/// # Errors
/// [`VarintError`]; `input` has not moved then.
#[inline]
pub fn read_i64(input: &mut &[u8]) -> Result<i64, VarintError> {
    let raw = read_u64(input)?;
    Ok((raw >> 1) as i64 ^ -((raw & 1) as i64))
}

/// Bytes that an unsigned 32-bit integer takes at most.
pub(crate) const LEN_MAX_U32: usize = 5;

/// Writes an unsigned 32-bit integer, one to five bytes.
#[inline]
pub fn write_u32(buf: &mut impl BufMut, value: u32) {
    write_u64(buf, u64::from(value));
}

/// Writes an unsigned 64-bit integer, one to ten bytes.
#[inline]
pub fn write_u64(buf: &mut impl BufMut, mut value: u64) {
    while value >= 0x80 {
        buf.put_u8(value as u8 | 0x80);
        value >>= 7;
    }
    buf.put_u8(value as u8);
}

/// Writes a zigzag 32-bit integer ("varint"), one to five bytes.
#[inline]
pub fn write_i32(buf: &mut impl BufMut, value: i32) {
    write_u32(buf, zigzag_i32(value));
}

/// Writes a zigzag 64-bit integer ("varlong"), one to ten bytes.
#[inline]
pub fn write_i64(buf: &mut impl BufMut, value: i64) {
    write_u64(buf, zigzag_i64(value));
}

/// How many bytes [`write_u32`] takes for `value`.
pub const fn len_u32(value: u32) -> usize {
    len_u64(value as u64)
}

/// How many bytes [`write_u64`] takes for `value`.
pub const fn len_u64(value: u64) -> usize {
    let bits = 64 - (value | 1).leading_zeros() as usize;
    bits.div_ceil(7)
}

/// How many bytes [`write_i32`] takes for `value`.
pub const fn len_i32(value: i32) -> usize {
    len_u32(zigzag_i32(value))
}

/// How many bytes [`write_i64`] takes for `value`.
pub const fn len_i64(value: i64) -> usize {
    len_u64(zigzag_i64(value))
}

const fn zigzag_i32(value: i32) -> u32 {
    ((value << 1) ^ (value >> 31)) as u32
}

const fn zigzag_i64(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

fn read_long_u32(input: &mut &[u8]) -> Result<u32, VarintError> {
    let mut value = 0;
    for (index, &byte) in input.iter().enumerate().take(5) {
        if index == 4 && byte > 0x0f {
            return Err(VarintError::TooLong);
        }
        value |= u32::from(byte & 0x7f) << (7 * index);
        if byte < 0x80 {
            *input = input.get(index + 1..).unwrap_or_default();
            return Ok(value);
        }
    }
    Err(VarintError::Truncated)
}

fn read_long_u64(input: &mut &[u8]) -> Result<u64, VarintError> {
    let mut value = 0;
    for (index, &byte) in input.iter().enumerate().take(10) {
        if index == 9 && byte > 0x01 {
            return Err(VarintError::TooLong);
        }
        value |= u64::from(byte & 0x7f) << (7 * index);
        if byte < 0x80 {
            *input = input.get(index + 1..).unwrap_or_default();
            return Ok(value);
        }
    }
    Err(VarintError::Truncated)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(value: i64) -> Vec<u8> {
        let mut buf = Vec::new();
        write_i64(&mut buf, value);
        buf
    }

    #[test]
    fn zigzag_keeps_small_numbers_of_either_sign_short() {
        assert_eq!(written(0), [0x00]);
        assert_eq!(written(-1), [0x01]);
        assert_eq!(written(1), [0x02]);
        assert_eq!(written(63), [0x7e]);
        assert_eq!(written(64), [0x80, 0x01]);
        assert_eq!(written(i64::MIN), [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]);
    }

    #[test]
    fn an_integer_that_does_not_end_is_refused_and_not_consumed() {
        let mut input: &[u8] = &[0x80, 0x80];
        assert_eq!(read_u32(&mut input), Err(VarintError::Truncated));
        assert_eq!(input.len(), 2);
        assert_eq!(read_u64(&mut &[][..]), Err(VarintError::Truncated));
    }

    #[test]
    fn bits_past_the_width_are_refused() {
        assert_eq!(read_u32(&mut &[0xff, 0xff, 0xff, 0xff, 0x0f][..]), Ok(u32::MAX));
        assert_eq!(read_u32(&mut &[0xff, 0xff, 0xff, 0xff, 0x1f][..]), Err(VarintError::TooLong));
        assert_eq!(read_u32(&mut &[0xff, 0xff, 0xff, 0xff, 0xff, 0x01][..]), Err(VarintError::TooLong));
        assert_eq!(read_u64(&mut &[0xff; 11][..]), Err(VarintError::TooLong));
    }

    proptest! {
        #[test]
        fn every_integer_round_trips_in_its_announced_length(long: i64, short: i32, unsigned: u32) {
            let mut buf = Vec::new();
            write_i64(&mut buf, long);
            prop_assert_eq!(buf.len(), len_i64(long));
            write_i32(&mut buf, short);
            prop_assert_eq!(buf.len(), len_i64(long) + len_i32(short));
            write_u32(&mut buf, unsigned);
            let mut input = &buf[..];
            prop_assert_eq!(read_i64(&mut input), Ok(long));
            prop_assert_eq!(read_i32(&mut input), Ok(short));
            prop_assert_eq!(read_u32(&mut input), Ok(unsigned));
            prop_assert!(input.is_empty());
        }
    }
}

//! Parsers of the fixed and variable parts of every value: plain functions over a slice.
//!
//! Lengths come in two forms: the classic one is an `int16` or `int32` with -1 for null, the compact one
//! (KIP-482) an unsigned varint of length + 1 with 0 for null.

use nom::error::{ErrorKind, ParseError};
use nom::{IResult, Parser, combinator::map, number::complete as number};

use crate::error::DecodeErrorKind;
use crate::varint;

/// What a parser yields: the rest of the input and the value.
pub(crate) type Parsed<'a, T> = IResult<&'a [u8], T, Fault>;

/// Why a parser failed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fault(pub(crate) DecodeErrorKind);

impl<I> ParseError<I> for Fault {
    fn from_error_kind(_: I, _: ErrorKind) -> Self {
        Self(DecodeErrorKind::Truncated)
    }

    fn append(_: I, _: ErrorKind, other: Self) -> Self {
        other
    }
}

#[inline]
pub(crate) fn boolean(input: &[u8]) -> Parsed<'_, bool> {
    map(number::u8, |byte| byte != 0).parse(input)
}

#[inline]
pub(crate) fn int8(input: &[u8]) -> Parsed<'_, i8> {
    number::i8(input)
}

#[inline]
pub(crate) fn int16(input: &[u8]) -> Parsed<'_, i16> {
    fixed(i16::from_be_bytes, input)
}

#[inline]
pub(crate) fn uint16(input: &[u8]) -> Parsed<'_, u16> {
    fixed(u16::from_be_bytes, input)
}

#[inline]
pub(crate) fn int32(input: &[u8]) -> Parsed<'_, i32> {
    fixed(i32::from_be_bytes, input)
}

#[inline]
pub(crate) fn uint32(input: &[u8]) -> Parsed<'_, u32> {
    fixed(u32::from_be_bytes, input)
}

#[inline]
pub(crate) fn int64(input: &[u8]) -> Parsed<'_, i64> {
    fixed(i64::from_be_bytes, input)
}

#[inline]
pub(crate) fn float64(input: &[u8]) -> Parsed<'_, f64> {
    fixed(f64::from_be_bytes, input)
}

#[inline]
pub(crate) fn uuid(input: &[u8]) -> Parsed<'_, uuid::Uuid> {
    fixed(uuid::Uuid::from_bytes, input)
}

#[inline]
pub(crate) fn uvarint(mut input: &[u8]) -> Parsed<'_, u32> {
    match varint::read_u32(&mut input) {
        Ok(value) => Ok((input, value)),
        Err(error) => Err(nom::Err::Error(Fault(error.into()))),
    }
}

/// The classic length of a string: `None` is null.
#[inline]
pub(crate) fn length_int16(input: &[u8]) -> Parsed<'_, Option<usize>> {
    let (rest, length) = int16(input)?;
    Ok((rest, classic_length(i32::from(length))?))
}

/// The classic length of bytes, records and arrays: `None` is null.
#[inline]
pub(crate) fn length_int32(input: &[u8]) -> Parsed<'_, Option<usize>> {
    let (rest, length) = int32(input)?;
    Ok((rest, classic_length(length)?))
}

/// The compact length of anything: `None` is null.
#[inline]
pub(crate) fn length_compact(input: &[u8]) -> Parsed<'_, Option<usize>> {
    map(uvarint, |length| (length as usize).checked_sub(1)).parse(input)
}

/// A value of fixed size. `nom`'s own integer parsers go byte by byte, which made decoding a fetch request half as
/// slow again.
#[inline]
fn fixed<const N: usize, T>(value: fn([u8; N]) -> T, input: &[u8]) -> Parsed<'_, T> {
    match input.split_first_chunk() {
        Some((bytes, rest)) => Ok((rest, value(*bytes))),
        None => Err(nom::Err::Error(Fault(DecodeErrorKind::Truncated))),
    }
}

#[inline]
fn classic_length(length: i32) -> Result<Option<usize>, nom::Err<Fault>> {
    match usize::try_from(length) {
        Ok(length) => Ok(Some(length)),
        Err(_) if length == -1 => Ok(None),
        Err(_) => Err(nom::Err::Error(Fault(DecodeErrorKind::NegativeLength(length)))),
    }
}

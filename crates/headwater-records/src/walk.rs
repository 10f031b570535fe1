//! Walks through the records of a batch and gathers what the broker must know of each, keeping nothing.

mod input;
mod plain;

use input::StreamInput;
pub(crate) use input::{RecordInput, SliceInput};
pub(crate) use plain::PlainRecord;

use crate::{Compression, Malformed, RecordError, Unpacker};

/// What the broker must know of a record.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct RecordFacts {
    /// The timestamp minus the batch's base timestamp, in milliseconds.
    pub(crate) timestamp_delta: i64,
    /// The offset minus the batch's base offset.
    pub(crate) offset_delta: i32,
    /// Whether the record has a key, be it an empty one.
    pub(crate) has_key: bool,
}

/// Whether a walk goes on.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Walk {
    /// To the next record.
    On,
    /// No further; what follows is not looked at.
    Stop,
}

/// Walks through `count` records in `packed`, which unpack to at most `max` bytes, and shows each to `visit`.
///
/// Returns the length of the records when they are unpacked.
///
/// # Errors
/// [`RecordError::Malformed`] for the first unsound record, [`RecordError::BytesAfterRecords`], the errors of
/// [`Unpacker`], and those of `visit`.
#[inline]
pub(crate) fn walk(
    codec: Compression,
    packed: &[u8],
    count: i32,
    max: usize,
    mut visit: impl FnMut(i32, RecordFacts) -> Result<Walk, RecordError>,
) -> Result<usize, RecordError> {
    if codec == Compression::None {
        return walk_slice(packed, count, visit);
    }
    let mut unpacker = Unpacker::new(codec, packed, max)?;
    for index in 0..count {
        let facts = next_streamed(&mut unpacker, index)?;
        if visit(index, facts)? == Walk::Stop {
            return Ok(unpacker.unpacked_len());
        }
    }
    if unpacker.fill()?.is_empty() {
        Ok(unpacker.unpacked_len())
    } else {
        Err(RecordError::BytesAfterRecords { count })
    }
}

#[inline]
fn walk_slice(
    records: &[u8],
    count: i32,
    mut visit: impl FnMut(i32, RecordFacts) -> Result<Walk, RecordError>,
) -> Result<usize, RecordError> {
    let mut input = SliceInput::new(records);
    for index in 0..count {
        let facts = next_facts(&mut input).map_err(|reason| RecordError::Malformed { index, reason })?;
        if visit(index, facts)? == Walk::Stop {
            return Ok(records.len());
        }
    }
    if input.left() == 0 { Ok(records.len()) } else { Err(RecordError::BytesAfterRecords { count }) }
}

/// Reads the next record that lies there whole.
#[inline]
fn next_facts(input: &mut SliceInput<'_>) -> Result<RecordFacts, Malformed> {
    match PlainRecord::read(input.rest()) {
        Some(record) => input.skip(record.end).map(|()| record.facts),
        None => read_record(&mut SliceInput::new(next_body(input)?)),
    }
}

/// Takes the next record's bytes, without its length.
#[inline]
pub(crate) fn next_body<'a>(input: &mut SliceInput<'a>) -> Result<&'a [u8], Malformed> {
    let length = input.varint()?;
    let length = usize::try_from(length).map_err(|_| Malformed::Length(length))?;
    input.take(length)
}

/// Reads the next record of a stream: in the unpacker's buffer when it lies there whole, else piece by piece.
#[inline]
fn next_streamed(unpacker: &mut Unpacker<'_>, index: i32) -> Result<RecordFacts, RecordError> {
    let buffered = unpacker.fill()?;
    let mut input = SliceInput::new(buffered);
    if let Ok(facts) = next_facts(&mut input) {
        let consumed = buffered.len() - input.left();
        unpacker.consume(consumed);
        return Ok(facts);
    }
    // It straddles the buffer's end, or is unsound and read again to tell how.
    StreamInput::record(unpacker, index).and_then(|mut input| read_record(&mut input))
}

/// Reads one record's fields over an input that holds the record's body and nothing else.
#[inline]
pub(crate) fn read_record<I: RecordInput>(input: &mut I) -> Result<RecordFacts, I::Error> {
    // The record's attributes have no meaning yet, and Kafka does not look at them.
    input.skip(1)?;
    let timestamp_delta = input.varlong()?;
    let offset_delta = input.varint()?;
    let has_key = skip_nullable(input)?;
    skip_nullable(input)?;
    let header_count = input.varint()?;
    if header_count != 0 {
        skip_headers(input, header_count)?;
    }
    match input.left() {
        0 => Ok(RecordFacts { timestamp_delta, offset_delta, has_key }),
        left => Err(Malformed::BytesLeft(left).at(input)),
    }
}

#[inline]
fn skip_nullable<I: RecordInput>(input: &mut I) -> Result<bool, I::Error> {
    let length = input.varint()?;
    match usize::try_from(length) {
        Ok(length) => input.skip(length).map(|()| true),
        Err(_) if length == -1 => Ok(false),
        Err(_) => Err(Malformed::FieldLength(length).at(input)),
    }
}

fn skip_headers<I: RecordInput>(input: &mut I, count: i32) -> Result<(), I::Error> {
    // A header has at least two lengths, of a byte each.
    if usize::try_from(count).is_err() || count as usize > input.left() / 2 {
        return Err(Malformed::HeaderCount(count).at(input));
    }
    for _ in 0..count {
        let name_length = input.varint()?;
        match usize::try_from(name_length) {
            Ok(length) => input.skip(length)?,
            Err(_) => return Err(Malformed::HeaderName(name_length).at(input)),
        }
        skip_nullable(input)?;
    }
    Ok(())
}

impl Malformed {
    #[cold]
    fn at<I: RecordInput>(self, input: &I) -> I::Error {
        input.malformed(self)
    }
}

#[cfg(test)]
mod tests;

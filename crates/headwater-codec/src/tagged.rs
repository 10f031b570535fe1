//! Tagged fields (KIP-482): the block that ends every structure of a flexible version.
//!
//! `uvarint(count)`, then per field `uvarint(tag)`, `uvarint(size)` and as many bytes. Tags strictly ascend.
//! Readers pass over tags that they do not know, which is how newer peers add fields.

use bytes::Bytes;

use crate::error::{DecodeError, DecodeErrorKind, EncodeError, EncodeErrorKind};
use crate::{Reader, Writer};

/// A tagged field of unknown meaning.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct UnknownTag {
    /// Its number.
    pub tag: u32,
    /// Its bytes, without tag and size.
    pub value: Bytes,
}

/// The tagged fields of a structure that its version does not define, kept so that they can be written again.
/// Costs one word when there are none.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct UnknownTags(Option<Box<Kept>>);

#[derive(Clone, Debug, Eq, PartialEq)]
struct Kept(Vec<UnknownTag>);

/// There is hardly ever something to drop, and every structure asks.
impl Drop for UnknownTags {
    #[inline]
    fn drop(&mut self) {
        if let Some(kept) = self.0.take() {
            drop_kept(kept);
        }
    }
}

#[cold]
#[inline(never)]
fn drop_kept(kept: Box<Kept>) {
    drop(kept);
}

impl UnknownTags {
    /// No unknown tags.
    pub const NONE: Self = Self(None);

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The fields, in ascending order of tags.
    pub fn as_slice(&self) -> &[UnknownTag] {
        self.0.as_ref().map_or(&[], |kept| &kept.0)
    }

    /// Adds a field, or replaces the one with that tag.
    pub fn insert(&mut self, tag: u32, value: Bytes) {
        let fields = &mut self.0.get_or_insert_with(|| Box::new(Kept(Vec::new()))).0;
        let field = UnknownTag { tag, value };
        if fields.len() == fields.capacity() {
            // One field is the common case; a vector's own growth would begin with room for four.
            fields.reserve_exact(fields.len().max(1));
        }
        match fields.binary_search_by_key(&tag, |field| field.tag) {
            Ok(index) => fields[index] = field,
            Err(index) => fields.insert(index, field),
        }
    }
}

/// Reads a block and discards it.
///
/// # Errors
/// [`DecodeErrorKind::TagOrder`] for tags that do not ascend, [`DecodeErrorKind::LengthPastEnd`] for a field
/// that is longer than the input.
#[inline]
pub fn read(reader: &mut Reader) -> Result<(), DecodeError> {
    match reader.uvarint()? {
        0 => Ok(()),
        count => read_fields(reader, count, &mut |reader, _, size| reader.take(size).map(drop)),
    }
}

/// Reads a block and keeps it in `unknown`.
///
/// # Errors
/// As [`read`]; [`DecodeErrorKind::BudgetExceeded`] for more fields than the frame justifies.
#[inline]
pub fn read_into(reader: &mut Reader, unknown: &mut UnknownTags) -> Result<(), DecodeError> {
    match reader.uvarint()? {
        0 => Ok(()),
        count => read_fields(reader, count, &mut |reader, tag, size| keep(reader, tag, size, unknown)),
    }
}

/// Reads a block some of whose fields are known. `known` reads the value of a tag and says `true`, or leaves
/// it alone and says `false`; those are kept in `unknown`.
///
/// # Errors
/// As [`read_into`], and [`DecodeErrorKind::TrailingBytes`] when `known` leaves part of a value.
#[inline]
pub fn read_known(
    reader: &mut Reader,
    unknown: &mut UnknownTags,
    known: &mut dyn FnMut(&mut Reader, u32) -> Result<bool, DecodeError>,
) -> Result<(), DecodeError> {
    let count = reader.uvarint()?;
    if count == 0 {
        return Ok(());
    }
    read_fields(reader, count, &mut |reader, tag, size| {
        if reader.within(size, &mut |reader| known(reader, tag))? {
            Ok(())
        } else {
            keep(reader, tag, size, unknown)
        }
    })
}

/// Writes a block of nothing but kept fields; nothing at all where the version has no tagged fields.
///
/// # Errors
/// [`EncodeErrorKind::TagsNotAllowed`] when there are fields and the version has no room for them.
#[inline]
pub fn write(writer: &mut Writer, unknown: &UnknownTags) -> Result<(), EncodeError> {
    if writer.is_flexible() {
        Block::begin(writer, 0, unknown)?.end(writer);
        Ok(())
    } else {
        refuse(writer, unknown)
    }
}

/// Writes the empty block, one zero byte.
#[inline]
pub fn write_empty(writer: &mut Writer) {
    writer.uvarint(0);
}

/// Says that a version has no tagged fields.
///
/// # Errors
/// [`EncodeErrorKind::TagsNotAllowed`] when there are some.
#[inline]
pub fn refuse(writer: &Writer, unknown: &UnknownTags) -> Result<(), EncodeError> {
    if unknown.is_empty() {
        Ok(())
    } else {
        Err(EncodeError::new(EncodeErrorKind::TagsNotAllowed { version: writer.version() }))
    }
}

/// A block being written: known fields in ascending order, kept ones in between.
#[derive(Debug)]
pub struct Block<'a> {
    kept: &'a [UnknownTag],
}

impl<'a> Block<'a> {
    /// Begins a block of `known` known fields and those of `unknown`.
    ///
    /// # Errors
    /// [`EncodeErrorKind::TooLong`] for more fields than can be counted.
    #[inline]
    pub fn begin(writer: &mut Writer, known: u32, unknown: &'a UnknownTags) -> Result<Self, EncodeError> {
        let kept = unknown.as_slice();
        let count = kept.len() + known as usize;
        let count = u32::try_from(count).map_err(|_| EncodeError::new(EncodeErrorKind::TooLong(count)))?;
        writer.uvarint(count);
        Ok(Self { kept })
    }

    /// Writes the known field `tag`, after the kept ones below it.
    ///
    /// # Errors
    /// [`EncodeErrorKind::TagTwice`] when a kept field has that number, and whatever `write` says.
    pub fn field(
        &mut self,
        writer: &mut Writer,
        tag: u32,
        write: &mut dyn FnMut(&mut Writer) -> Result<(), EncodeError>,
    ) -> Result<(), EncodeError> {
        while let [first, rest @ ..] = self.kept
            && first.tag <= tag
        {
            if first.tag == tag {
                return Err(EncodeError::new(EncodeErrorKind::TagTwice(tag)));
            }
            write_kept(writer, first);
            self.kept = rest;
        }
        writer.uvarint(tag);
        writer.sized(write)
    }

    /// Writes the kept fields that are left.
    #[inline]
    pub fn end(self, writer: &mut Writer) {
        for field in self.kept {
            write_kept(writer, field);
        }
    }
}

fn write_kept(writer: &mut Writer, field: &UnknownTag) {
    writer.uvarint(field.tag);
    writer.uvarint(field.value.len() as u32);
    writer.raw(&field.value);
}

fn keep(reader: &mut Reader, tag: u32, size: usize, unknown: &mut UnknownTags) -> Result<(), DecodeError> {
    let first = if unknown.is_empty() { size_of::<Kept>() } else { 0 };
    reader.charge(first + GROWTH_FACTOR * size_of::<UnknownTag>())?;
    let value = reader.take(size)?;
    unknown.insert(tag, value);
    Ok(())
}

/// Reads `count` fields; `each` takes the value of one, whose tag and size have been read.
fn read_fields(
    reader: &mut Reader,
    count: u32,
    each: &mut dyn FnMut(&mut Reader, u32, usize) -> Result<(), DecodeError>,
) -> Result<(), DecodeError> {
    let left = reader.remaining();
    if (count as usize).saturating_mul(FIELD_SIZE_MIN) > left {
        return Err(reader.error(DecodeErrorKind::CountPastEnd { count: count as usize, left }));
    }
    let mut previous = None;
    for _ in 0..count {
        let tag = reader.uvarint()?;
        if let Some(previous) = previous
            && tag <= previous
        {
            return Err(reader.error(DecodeErrorKind::TagOrder { previous, tag }));
        }
        previous = Some(tag);
        let size = reader.uvarint()? as usize;
        each(reader, tag, size)?;
    }
    Ok(())
}

/// How much room the kept fields may have for each one that there is.
const GROWTH_FACTOR: usize = 2;

/// Bytes that a field takes at least: its tag and its size.
const FIELD_SIZE_MIN: usize = 2;

#[cfg(test)]
mod tests;

//! Records of a batch, borrowed from its bytes.

use std::{borrow::Cow, iter::FusedIterator};

use headwater_codec::Offset;

use crate::{
    Batch, BatchHeader, Compression, Malformed, RecordError,
    walk::{PlainRecord, RecordFacts, RecordInput, SliceInput, next_body, read_record},
};

/// One record, borrowed from its batch.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct RecordView<'a> {
    /// The record's position in the log.
    pub offset: Offset,
    /// Milliseconds since the epoch: the record's own, or the batch's with LogAppendTime. -1 for none.
    pub timestamp: i64,
    /// The key; null and empty are different.
    pub key: Option<&'a [u8]>,
    /// The value; null (a tombstone on a compacted topic) and empty are different.
    pub value: Option<&'a [u8]>,
    /// The headers, in the order in which the producer gave them.
    pub headers: Headers<'a>,
}

/// A record's headers: name and value, in order and with repeats (KIP-82). Names are bytes, as they came.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Headers<'a> {
    count: usize,
    rest: SliceInput<'a>,
}

impl<'a> Headers<'a> {
    /// No headers.
    pub const EMPTY: Self = Self { count: 0, rest: SliceInput::new(&[]) };

    /// The value of the last header with this name, as Kafka's own `lastHeader` has it.
    pub fn last_named(self, name: &[u8]) -> Option<Option<&'a [u8]>> {
        self.filter(|(found, _)| *found == name).last().map(|(_, value)| value)
    }
}

impl<'a> Iterator for Headers<'a> {
    type Item = (&'a [u8], Option<&'a [u8]>);

    fn next(&mut self) -> Option<Self::Item> {
        self.count = self.count.checked_sub(1)?;
        // The headers were walked through when the record was read, so nothing is cut short here.
        let name = take_nullable(&mut self.rest).ok().flatten()?;
        let value = take_nullable(&mut self.rest).ok()?;
        Some((name, value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.count, Some(self.count))
    }
}

impl ExactSizeIterator for Headers<'_> {}
impl FusedIterator for Headers<'_> {}

/// The records of one batch, unpacked if they were compressed and borrowed if not.
#[derive(Clone, Debug)]
pub struct Records<'a> {
    header: BatchHeader,
    unpacked: Cow<'a, [u8]>,
}

impl<'a> Batch<'a> {
    /// Opens the batch's records; compressed ones are unpacked whole, to at most `max` bytes.
    ///
    /// # Errors
    /// [`RecordError::UnknownCodec`], [`RecordError::Unpack`] and [`RecordError::UnpackedTooLarge`].
    pub fn records(&self, max: usize) -> Result<Records<'a>, RecordError> {
        Records::open(*self.header(), self.codec()?, self.packed_records(), max)
    }

    /// The batch's codec.
    ///
    /// # Errors
    /// [`RecordError::UnknownCodec`].
    pub fn codec(&self) -> Result<Compression, RecordError> {
        let attributes = self.header().attributes;
        attributes.codec().ok_or(RecordError::UnknownCodec { id: attributes.codec_id() })
    }
}

impl<'a> Records<'a> {
    pub(crate) fn open(
        header: BatchHeader,
        codec: Compression,
        packed: &'a [u8],
        max: usize,
    ) -> Result<Self, RecordError> {
        let unpacked = match codec {
            Compression::None => Cow::Borrowed(packed),
            codec => Cow::Owned(codec.unpack(packed, max)?),
        };
        Ok(Records { header, unpacked })
    }

    /// The batch's header.
    pub const fn header(&self) -> &BatchHeader {
        &self.header
    }

    /// Goes through the records. The first that is unsound ends it with an error, and so does anything after the
    /// last one.
    pub fn iter(&self) -> RecordIter<'_> {
        RecordIter { header: &self.header, rest: SliceInput::new(&self.unpacked), index: 0, failed: false }
    }
}

impl<'r> IntoIterator for &'r Records<'_> {
    type Item = Result<RecordView<'r>, RecordError>;
    type IntoIter = RecordIter<'r>;

    fn into_iter(self) -> RecordIter<'r> {
        self.iter()
    }
}

/// Goes through the records of one batch; see [`Records::iter`].
#[derive(Clone, Debug)]
pub struct RecordIter<'r> {
    header: &'r BatchHeader,
    rest: SliceInput<'r>,
    index: i32,
    failed: bool,
}

impl<'r> Iterator for RecordIter<'r> {
    type Item = Result<RecordView<'r>, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let index = self.index;
        if index >= self.header.record_count {
            self.failed = true;
            let count = self.header.record_count;
            return (self.rest.left() != 0).then_some(Err(RecordError::BytesAfterRecords { count }));
        }
        let record = next_view(self.header, &mut self.rest);
        self.index += 1;
        self.failed = record.is_err();
        Some(record.map_err(|reason| RecordError::Malformed { index, reason }))
    }
}

impl FusedIterator for RecordIter<'_> {}

fn next_view<'r>(header: &BatchHeader, rest: &mut SliceInput<'r>) -> Result<RecordView<'r>, Malformed> {
    let bytes = rest.rest();
    if let Some(record) = PlainRecord::read(bytes) {
        rest.skip(record.end)?;
        let (key, value) = (record.key(bytes), record.value(bytes));
        return view(header, record.facts, key, value, Headers::EMPTY);
    }
    let body = next_body(rest)?;
    let facts = read_record(&mut SliceInput::new(body))?;
    let mut rest = SliceInput::new(body);
    rest.skip(1)?;
    rest.varlong()?;
    rest.varint()?;
    let key = take_nullable(&mut rest)?;
    let value = take_nullable(&mut rest)?;
    let count = rest.varint()?;
    let headers = Headers { count: usize::try_from(count).map_err(|_| Malformed::HeaderCount(count))?, rest };
    view(header, facts, key, value, headers)
}

#[inline]
fn view<'r>(
    header: &BatchHeader,
    facts: RecordFacts,
    key: Option<&'r [u8]>,
    value: Option<&'r [u8]>,
    headers: Headers<'r>,
) -> Result<RecordView<'r>, Malformed> {
    let offset = header.base_offset.get().checked_add(i64::from(facts.offset_delta)).and_then(Offset::new);
    let offset = offset.ok_or(Malformed::Offset(facts.offset_delta))?;
    Ok(RecordView { offset, timestamp: header.timestamp(facts.timestamp_delta), key, value, headers })
}

fn take_nullable<'r>(rest: &mut SliceInput<'r>) -> Result<Option<&'r [u8]>, Malformed> {
    let length = rest.varint()?;
    match usize::try_from(length) {
        Ok(length) => rest.take(length).map(Some),
        Err(_) if length == -1 => Ok(None),
        Err(_) => Err(Malformed::FieldLength(length)),
    }
}

#[cfg(test)]
mod tests;

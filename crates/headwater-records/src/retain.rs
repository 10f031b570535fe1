//! Cleaning one batch: which records are in it, and the same batch without some of them.
//!
//! What stays is copied byte for byte: headers, keys, values and offsets are those that the producer sent. The batch keeps
//! its base offset, its span and its producer, so that sequence numbers go on to fit (KIP-98).

use std::{borrow::Cow, ops::ControlFlow};

use headwater_codec::{Offset, varint};

use crate::{
    Batch, BatchHeader, Compression, Malformed, NO_TIMESTAMP, RecordError, TimestampType,
    walk::{PlainRecord, RecordInput, SliceInput, next_body, read_record},
};

/// A record as compaction sees it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct KeyedRecord<'a> {
    /// The record's position in the log.
    pub offset: Offset,
    /// What it is a value of. Only a topic that was not always compacted has records without one.
    pub key: Option<&'a [u8]>,
    /// Whether it has no value and thereby deletes its key. An empty value is a value.
    pub is_tombstone: bool,
}

/// What [`Batch::retain`] does besides asking for each record.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct RetainRules {
    /// The delete horizon (KIP-534) that the batch gets if a tombstone stays in it and it has none yet: milliseconds
    /// since the epoch, after which tombstones and markers may go.
    pub delete_horizon_ms: Option<i64>,
    /// Give the batch that horizon even without a tombstone: it is the marker of a transaction that has no records any more.
    pub is_spent_marker: bool,
    /// Keep the header when no record stays: it tells a producer's last sequence number, or where the log goes on.
    pub hold: bool,
    /// What the records may unpack to, in bytes.
    pub unpacked_bytes_max: usize,
}

/// What became of a batch.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Retained {
    /// Records that stayed.
    pub kept: u32,
    /// Records that went.
    pub dropped: u32,
    /// Whether the bytes are others than before.
    pub is_changed: bool,
}

impl Batch<'_> {
    /// The time at which tombstones and markers may go, milliseconds since the epoch, when compaction has set one (KIP-534).
    pub fn delete_horizon_ms(&self) -> Option<i64> {
        let header = self.header();
        header.attributes.has_delete_horizon().then_some(header.base_timestamp)
    }

    /// Shows every record to `visit` until that breaks off. The records may unpack to at most `max` bytes.
    ///
    /// # Errors
    /// Those of reading the records up to where `visit` broke off.
    pub fn each_keyed(
        &self,
        max: usize,
        mut visit: impl FnMut(KeyedRecord<'_>) -> ControlFlow<()>,
    ) -> Result<(), RecordError> {
        let unpacked = self.unpacked(max)?;
        each_record(self.header(), &unpacked, |record| visit(record.keyed))
    }

    /// Adds the batch to `out` with those of its records that `keep` wants; nothing when none is and the rules do not hold
    /// the header.
    ///
    /// # Errors
    /// Those of reading the records, [`crate::BatchError::TooLong`] and [`RecordError::Pack`]. `out` is as it was then.
    pub fn retain(
        &self,
        rules: &RetainRules,
        mut keep: impl FnMut(KeyedRecord<'_>) -> bool,
        out: &mut Vec<u8>,
    ) -> Result<Retained, RecordError> {
        let header = self.header();
        let unpacked = self.unpacked(rules.unpacked_bytes_max)?;
        let mut done = Retained::default();
        let mut has_tombstone = false;
        let mut max_timestamp = NO_TIMESTAMP;
        let mut kept: Vec<&[u8]> = Vec::new();
        each_record(header, &unpacked, |record| {
            if keep(record.keyed) {
                kept.push(record.bytes);
                has_tombstone |= record.keyed.is_tombstone;
                max_timestamp = max_timestamp.max(header.timestamp(record.timestamp_delta));
                done.kept += 1;
            } else {
                done.dropped += 1;
            }
            ControlFlow::Continue(())
        })?;
        let horizon = rules
            .delete_horizon_ms
            .filter(|_| (has_tombstone || rules.is_spent_marker) && self.delete_horizon_ms().is_none());
        if done.kept == 0 {
            if !rules.hold {
                done.is_changed = true;
            } else if header.record_count == 0 {
                out.extend_from_slice(self.bytes());
            } else {
                done.is_changed = true;
                out.extend_from_slice(&emptied(header)?.encode());
            }
            return Ok(done);
        }
        if done.dropped == 0 && horizon.is_none() {
            out.extend_from_slice(self.bytes());
            return Ok(done);
        }
        done.is_changed = true;
        let mut records = Vec::with_capacity(kept.iter().map(|record| record.len()).sum());
        for record in kept {
            match horizon {
                None => records.extend_from_slice(record),
                Some(horizon) => rebase(record, header.base_timestamp, horizon, &mut records)?,
            }
        }
        let codec = self.codec()?;
        let packed = match codec {
            Compression::None => records,
            codec => codec.pack(&records)?,
        };
        let mut left = header.with_records_len(packed.len())?;
        left.record_count = i32::try_from(done.kept).unwrap_or(i32::MAX);
        if header.attributes.timestamp_type() == TimestampType::CreateTime {
            left.max_timestamp = max_timestamp;
        }
        if let Some(horizon) = horizon {
            left.base_timestamp = horizon;
            left.attributes = header.attributes.with_delete_horizon(true);
        }
        left.crc = left.computed_crc(&packed);
        out.extend_from_slice(&left.encode());
        out.extend_from_slice(&packed);
        Ok(done)
    }

    fn unpacked(&self, max: usize) -> Result<Cow<'_, [u8]>, RecordError> {
        if self.header().record_count == 0 && self.packed_records().is_empty() {
            return Ok(Cow::Borrowed(&[]));
        }
        match self.codec()? {
            Compression::None => Ok(Cow::Borrowed(self.packed_records())),
            codec => codec.unpack(self.packed_records(), max).map(Cow::Owned),
        }
    }
}

/// A record, and how it lies there.
struct RawRecord<'a> {
    keyed: KeyedRecord<'a>,
    timestamp_delta: i64,
    /// All its bytes, its length included.
    bytes: &'a [u8],
}

/// Goes through the records in `unpacked`.
fn each_record<'a>(
    header: &BatchHeader,
    unpacked: &'a [u8],
    mut visit: impl FnMut(RawRecord<'a>) -> ControlFlow<()>,
) -> Result<(), RecordError> {
    let mut input = SliceInput::new(unpacked);
    let count = header.record_count;
    for index in 0..count {
        let record =
            next_record(header, &mut input).map_err(|reason| RecordError::Malformed { index, reason })?;
        if visit(record).is_break() {
            return Ok(());
        }
    }
    if input.left() == 0 { Ok(()) } else { Err(RecordError::BytesAfterRecords { count }) }
}

fn next_record<'a>(header: &BatchHeader, input: &mut SliceInput<'a>) -> Result<RawRecord<'a>, Malformed> {
    let before = input.rest();
    let (facts, key, is_tombstone) = match PlainRecord::read(before) {
        Some(plain) => {
            input.skip(plain.end)?;
            (plain.facts, plain.key(before), plain.value(before).is_none())
        }
        None => {
            let body = next_body(input)?;
            let facts = read_record(&mut SliceInput::new(body))?;
            let mut fields = SliceInput::new(body);
            fields.skip(1)?;
            fields.varlong()?;
            fields.varint()?;
            let key_len = usize::try_from(fields.varint()?).ok();
            let key = key_len.map(|len| fields.take(len)).transpose()?;
            (facts, key, fields.varint()? < 0)
        }
    };
    let offset = header.base_offset.get().checked_add(i64::from(facts.offset_delta)).and_then(Offset::new);
    let offset = offset.ok_or(Malformed::Offset(facts.offset_delta))?;
    Ok(RawRecord {
        keyed: KeyedRecord { offset, key, is_tombstone },
        timestamp_delta: facts.timestamp_delta,
        bytes: &before[..before.len() - input.left()],
    })
}

/// Adds a record whose timestamp counts from `to` and not from `from` any more.
fn rebase(record: &[u8], from: i64, to: i64, out: &mut Vec<u8>) -> Result<(), RecordError> {
    let rebased = || -> Result<(u8, i64, &[u8]), Malformed> {
        let mut body = SliceInput::new(next_body(&mut SliceInput::new(record))?);
        let attributes = body.byte()?;
        let delta = body.varlong()?;
        Ok((attributes, from.wrapping_add(delta).wrapping_sub(to), body.rest()))
    };
    let (attributes, delta, rest) =
        rebased().map_err(|reason| RecordError::Malformed { index: 0, reason })?;
    let len = 1 + varint::len_i64(delta) + rest.len();
    let len = i32::try_from(len).map_err(|_| crate::BatchError::TooLong { bytes: len })?;
    varint::write_i32(out, len);
    out.push(attributes);
    varint::write_i64(out, delta);
    out.extend_from_slice(rest);
    Ok(())
}

/// The batch without a record.
fn emptied(header: &BatchHeader) -> Result<BatchHeader, RecordError> {
    let mut empty = header.with_records_len(0)?;
    empty.attributes = header.attributes.with_codec(Compression::None).with_delete_horizon(false);
    empty.base_timestamp = NO_TIMESTAMP;
    empty.record_count = 0;
    empty.crc = empty.computed_crc(&[]);
    Ok(empty)
}

#[cfg(test)]
mod tests;

//! From native records back to batches.

use std::borrow::Cow;

use headwater_codec::{LeaderEpoch, Offset, ProducerEpoch, ProducerId, records::ControlRecordType};

use crate::{
    BatchBuilder, BatchHeader, NO_SEQUENCE, RecordError, TimestampType, ValidatedBatch,
    native::{ControlMarker, NativeError, NativeRecord, ReservedHeaders, reserved},
};

/// Makes batches of native records that lie one behind the other, as a log holds them.
///
/// A batch ends where the batch of an idempotent producer begins or ends, where the transaction, the leader epoch or
/// the kind of time changes, and where it is as long as allowed. Its records are not compressed. Checksums are compared
/// on the way, since the batch gets one of its own.
#[derive(Clone, Debug)]
pub struct NativeBatches<'a> {
    rest: &'a [u8],
    /// The offset of the next record, unless it says its own.
    next_offset: Offset,
    unpacked_max: usize,
}

impl<'a> NativeBatches<'a> {
    /// Starts at the front of `bytes`, whose first record has `first_offset`. A value may unpack to at most
    /// `unpacked_max` bytes.
    pub const fn new(bytes: &'a [u8], first_offset: Offset, unpacked_max: usize) -> Self {
        Self { rest: bytes, next_offset: first_offset, unpacked_max }
    }

    /// The bytes not yet gone through; at the end, a partial record or none.
    pub const fn remaining(&self) -> &'a [u8] {
        self.rest
    }

    /// The offset after the last record gone through.
    pub const fn next_offset(&self) -> Offset {
        self.next_offset
    }

    /// Makes the next batch, at most `bytes_max` long unless its first record alone is longer. `None` at the end: no
    /// whole record is left. `leader_epoch` tells which epoch an offset was written in.
    ///
    /// # Errors
    /// [`NativeError`] for an unsound record, and the errors of unpacking its value. What was gone through stays so;
    /// the record is the next one still.
    pub fn next_batch(
        &mut self,
        bytes_max: usize,
        leader_epoch: impl Fn(Offset) -> LeaderEpoch,
    ) -> Result<Option<ValidatedBatch>, RecordError> {
        let Some(mut record) = self.peek()? else { return Ok(None) };
        let batch_of = BatchOf::new(&record, leader_epoch(record.offset));
        let mut builder = batch_of.builder(&record)?;
        loop {
            record.push_to(&mut builder, batch_of.first_offset)?;
            self.rest = &self.rest[record.record.head().total_len()..];
            self.next_offset = record.offset.plus(1);
            if batch_of.control {
                break;
            }
            record = match self.peek() {
                Ok(Some(record)) => record,
                Ok(None) => break,
                // What is sound goes out first; the error comes with the next call.
                Err(_) => break,
            };
            let room = bytes_max.saturating_sub(BatchHeader::LEN + builder.records_len());
            if !batch_of.takes(&record, &leader_epoch) || record.batch_len_max() > room {
                break;
            }
        }
        builder.build().map(Some)
    }

    /// Reads the next record, its value unpacked.
    fn peek(&self) -> Result<Option<Unpacked<'a>>, RecordError> {
        let record = match NativeRecord::checked(self.rest) {
            Ok(record) => record,
            Err(NativeError::Truncated { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let reserved = ReservedHeaders::read(record.headers())?;
        let control = record.head().attributes().is_control();
        let reserved = if control { reserved.for_control() } else { reserved };
        let offset = reserved.offset.unwrap_or(self.next_offset);
        if offset < self.next_offset {
            return Err(NativeError::Offset { offset, expected: self.next_offset }.into());
        }
        Ok(Some(Unpacked { value: record.value(self.unpacked_max)?, record, reserved, offset }))
    }
}

/// A record with all that a batch needs of it.
struct Unpacked<'a> {
    record: NativeRecord<'a>,
    reserved: ReservedHeaders<'a>,
    value: Cow<'a, [u8]>,
    offset: Offset,
}

impl Unpacked<'_> {
    fn timestamp(&self) -> i64 {
        self.reserved.timestamp.unwrap_or(self.record.head().timestamp_ms())
    }

    /// What the record takes in a batch, at most.
    fn batch_len_max(&self) -> usize {
        let headers_len = self.record.head().headers_len() + self.record.headers().len() * VARINT_LEN_MAX;
        RECORD_OVERHEAD_MAX + self.record.head().key_len() + self.value.len() + headers_len
    }

    fn push_to(&self, builder: &mut BatchBuilder, first_offset: Offset) -> Result<(), RecordError> {
        // The batch takes no record further away than its offsets can tell.
        let delta = (self.offset.get() - first_offset.get()) as i32;
        if self.record.head().attributes().is_control() {
            let marker = ControlMarker::parse(&self.value)?;
            let kind = if marker.committed { ControlRecordType::Commit } else { ControlRecordType::Abort };
            // The version, and the coordinator's epoch, which the native marker does not have.
            let value = [0; 2 + 4];
            return builder.push_at(
                delta,
                self.timestamp(),
                Some(&kind.to_key()),
                Some(&value),
                [].into_iter(),
            );
        }
        let empty = self.reserved.empty;
        let key = not_null(self.record.key(), empty.key());
        let value = not_null(&self.value, empty.value());
        let mut is_empty_header = empty.headers();
        let own = self.record.headers().iter().skip(self.reserved.count);
        let own = own.enumerate().map(move |(place, (name, value))| {
            (reserved::unescaped(name), not_null(value, is_empty_header(place)))
        });
        builder.push_at(delta, self.timestamp(), key, value, own)
    }
}

/// An empty field is null unless it is marked.
const fn not_null(field: &[u8], marked: bool) -> Option<&[u8]> {
    if field.is_empty() && !marked { None } else { Some(field) }
}

/// What the records of a batch have in common.
struct BatchOf {
    first_offset: Offset,
    leader_epoch: LeaderEpoch,
    control: bool,
    transaction: Option<(ProducerId, ProducerEpoch)>,
    log_append_time: Option<i64>,
    /// Where the batch of its idempotent producer ends.
    end: Option<Offset>,
}

impl BatchOf {
    fn new(first: &Unpacked<'_>, leader_epoch: LeaderEpoch) -> Self {
        Self {
            first_offset: first.offset,
            leader_epoch,
            control: first.record.head().attributes().is_control(),
            transaction: first.record.head().producer(),
            log_append_time: log_append_time(first),
            end: first.reserved.producer.map(|producer| first.offset.plus(i64::from(producer.count))),
        }
    }

    fn builder(&self, first: &Unpacked<'_>) -> Result<BatchBuilder, RecordError> {
        let mut builder = BatchBuilder::new().base_offset(self.first_offset).leader_epoch(self.leader_epoch);
        if self.control {
            let marker = ControlMarker::parse(&first.value)?;
            builder = builder.producer(marker.producer_id, marker.producer_epoch, NO_SEQUENCE);
            return Ok(builder.transactional(true).control(true));
        }
        if let Some(producer) = first.reserved.producer {
            builder = builder.producer(producer.id, producer.epoch, producer.base_sequence);
        } else if let Some((id, epoch)) = self.transaction {
            builder = builder.producer(id, epoch, NO_SEQUENCE);
        }
        if self.log_append_time.is_some() {
            builder = builder.timestamp_type(TimestampType::LogAppendTime);
        }
        Ok(builder.transactional(self.transaction.is_some()))
    }

    fn takes(&self, record: &Unpacked<'_>, leader_epoch: impl Fn(Offset) -> LeaderEpoch) -> bool {
        let delta = record.offset.get() - self.first_offset.get();
        record.reserved.producer.is_none()
            && self.end.is_none_or(|end| record.offset < end)
            && record.record.head().attributes().is_control() == self.control
            && record.record.head().producer() == self.transaction
            && log_append_time(record) == self.log_append_time
            && delta <= i64::from(i32::MAX)
            && leader_epoch(record.offset) == self.leader_epoch
    }
}

fn log_append_time(record: &Unpacked<'_>) -> Option<i64> {
    record.reserved.log_append_time.then(|| record.timestamp())
}

/// The longest 32-bit varint.
const VARINT_LEN_MAX: usize = 5;
/// Length, attributes, timestamp, offset, and the lengths of key, value and headers.
const RECORD_OVERHEAD_MAX: usize = VARINT_LEN_MAX + 1 + 10 + 4 * VARINT_LEN_MAX;

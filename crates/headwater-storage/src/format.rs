//! What a log must know of its entries, and no more.

mod native;

use std::{fmt, ops::ControlFlow};

use bytes::Bytes;
use headwater_codec::{LeaderEpoch, Offset, records::ControlRecordType};
use headwater_records::{
    Batch, BatchHeader, BatchProducer, KeyedRecord, NO_TIMESTAMP, RecordError, RetainRules, Retained,
    ValidatedBatch, check,
};

pub use native::{NativeAppend, NativeRecords};

use crate::{Damage, LogConfig, LogName, StorageError};

/// What the front of an entry tells.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct EntryHead {
    /// Bytes of the whole entry.
    pub len: usize,
    /// The offset of its first record.
    pub base_offset: i64,
    /// The offset of its last record.
    pub last_offset: i64,
    /// The offset of the last record that was appended with its first one. Beyond `last_offset` where a format makes
    /// several entries of a batch: those belong together, and a log that ends among them is cut before them.
    pub run_last_offset: i64,
    /// The epoch of the leader that appended it, -1 when the entry does not tell.
    pub leader_epoch: i32,
    /// The largest timestamp in it, milliseconds since the epoch, or -1.
    pub max_timestamp: i64,
    /// Who produced it and what was appended with it, when that matters for order.
    pub producer: Option<BatchProducer>,
    /// Whether it belongs to a transaction.
    pub transactional: bool,
    /// Whether it is a control entry.
    pub control: bool,
}

impl EntryHead {
    /// The offset after its last record.
    pub const fn next_offset(&self) -> i64 {
        self.last_offset + 1
    }
}

/// How entries are framed: how long is the one at these bytes, is it sound, what does it span?
pub trait LogFormat: fmt::Debug + Send + Sync + 'static {
    /// An entry to append.
    type Entry: LogEntry;

    /// How many bytes at the front of an entry tell everything in [`EntryHead`].
    const HEAD_LEN: usize;

    /// Whether readers get entries as they are stored; otherwise [`LogFormat::to_batches`] makes batches of them.
    const IS_SERVED_AS_STORED: bool;

    /// Makes an entry of a batch, for a log with these settings.
    ///
    /// # Errors
    /// [`StorageError::Refused`] when the format cannot hold a record of it.
    fn entry(log: &LogName, batch: ValidatedBatch, config: &LogConfig) -> Result<Self::Entry, StorageError>;

    /// Reads the front of an entry; the rest need not be there. `next_offset` is the offset after the entry before it:
    /// the entry's own when it does not tell one.
    ///
    /// # Errors
    /// What is wrong with it.
    fn head(bytes: &[u8], next_offset: i64) -> Result<EntryHead, Damage>;

    /// Checks a whole entry.
    ///
    /// # Errors
    /// What is wrong with it, a checksum that does not fit included.
    fn check(bytes: &[u8], next_offset: i64) -> Result<EntryHead, Damage>;

    /// The first record in the entry at or after offset `from` whose timestamp is at or after `target_ms`: its offset
    /// and its timestamp.
    ///
    /// # Errors
    /// Those of unpacking.
    fn first_at_or_after(
        bytes: &[u8],
        head: &EntryHead,
        target_ms: i64,
        from: Offset,
    ) -> Result<Option<(Offset, i64)>, RecordError>;

    /// The first record with the entry's largest timestamp.
    ///
    /// # Errors
    /// Those of unpacking.
    fn first_at_max_timestamp(bytes: &[u8], head: &EntryHead) -> Result<Option<(Offset, i64)>, RecordError>;

    /// Makes batches of version 2 of whole entries, as many as `rebuild` allows.
    ///
    /// # Errors
    /// Those of unpacking.
    fn to_batches(entries: &[u8], rebuild: &Rebuild<'_>) -> Result<Rebuilt, RecordError>;

    /// Whether an entry can be there without a record, to tell a producer's last sequence number or where the log goes on.
    const HAS_EMPTY_ENTRIES: bool;

    /// Shows the records of a whole entry to `visit` until that breaks off. They may unpack to `unpacked_bytes_max` bytes.
    ///
    /// # Errors
    /// Those of unpacking.
    fn each_keyed(
        bytes: &[u8],
        head: &EntryHead,
        unpacked_bytes_max: usize,
        visit: &mut dyn FnMut(KeyedRecord<'_>) -> ControlFlow<()>,
    ) -> Result<(), RecordError>;

    /// How the transaction ended whose marker the entry is; `None` when it is none, or compaction left nothing in it.
    ///
    /// # Errors
    /// Those of unpacking.
    fn marker(bytes: &[u8], head: &EntryHead) -> Result<Option<Marker>, RecordError>;

    /// When tombstones and markers in the entry may go, milliseconds since the epoch; `None` when compaction has not come
    /// upon one in it (KIP-534).
    fn delete_horizon_ms(bytes: &[u8], head: &EntryHead) -> Option<i64>;

    /// Adds the entry to `out` with those of its records that `keep` wants, as [`Batch::retain`] does it. `next_offset` is
    /// the offset after the entry before it in `out`; where that is not the entry's own, records in between are gone.
    ///
    /// A format without empty entries keeps the whole entry where the rules hold it.
    ///
    /// # Errors
    /// Those of unpacking and packing. `out` is as it was then.
    fn retain(
        bytes: &[u8],
        head: &EntryHead,
        next_offset: i64,
        rules: &RetainRules,
        keep: &mut dyn FnMut(KeyedRecord<'_>) -> bool,
        out: &mut Vec<u8>,
    ) -> Result<Retained, RecordError>;
}

/// How a transaction ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Marker {
    /// Its records count.
    Commit,
    /// Its records never were.
    Abort,
}

/// How batches are made of entries.
#[derive(Clone, Copy)]
pub struct Rebuild<'a> {
    /// The offset of the first entry, when it does not tell its own.
    pub from: Offset,
    /// The epoch of the leader that appended the record at an offset.
    pub leader_epoch: &'a dyn Fn(Offset) -> LeaderEpoch,
    /// How many bytes of batches are wanted at most.
    pub bytes_max: usize,
    /// Make one batch even if it is larger than that.
    pub at_least_one: bool,
}

/// Batches that were made of entries.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Rebuilt {
    /// Whole batches.
    pub bytes: Bytes,
    /// Whether every entry is in them.
    pub is_complete: bool,
}

/// What was made of one batch, on its way into a log: one entry, or several that belong together.
pub trait LogEntry: fmt::Debug + Send + 'static {
    /// The front of its bytes that depends on its place.
    type Front: AsRef<[u8]>;

    /// What its front tells; of several entries the first one's, with the length and the last offset of all.
    fn head(&self) -> EntryHead;

    /// Shows what the front of each entry tells, in order, once it has its place.
    fn each_head(&self, visit: &mut dyn FnMut(EntryHead)) {
        visit(self.head());
    }

    /// Gives it its place.
    fn assign(&mut self, base_offset: Offset, leader_epoch: LeaderEpoch);

    /// Makes `now_ms` the time of all its records.
    fn set_log_append_time(&mut self, now_ms: i64);

    /// Its front as it will stand in the log, and the rest.
    fn parts(&self) -> (Self::Front, &[u8]);
}

/// Kafka's record batches, version 2.
#[derive(Clone, Copy, Debug, Default)]
pub struct KafkaBatches;

impl LogFormat for KafkaBatches {
    type Entry = ValidatedBatch;

    const HEAD_LEN: usize = BatchHeader::LEN;

    const IS_SERVED_AS_STORED: bool = true;

    const HAS_EMPTY_ENTRIES: bool = true;

    fn entry(_: &LogName, batch: ValidatedBatch, _: &LogConfig) -> Result<ValidatedBatch, StorageError> {
        Ok(batch)
    }

    fn head(bytes: &[u8], _: i64) -> Result<EntryHead, Damage> {
        Ok(head_of(&BatchHeader::parse(bytes)?))
    }

    fn check(bytes: &[u8], _: i64) -> Result<EntryHead, Damage> {
        Ok(head_of(&check(bytes)?))
    }

    fn first_at_or_after(
        bytes: &[u8],
        _: &EntryHead,
        target_ms: i64,
        from: Offset,
    ) -> Result<Option<(Offset, i64)>, RecordError> {
        Batch::parse(bytes)?.first_at_or_after(target_ms, from, UNPACKED_BYTES_MAX)
    }

    fn first_at_max_timestamp(bytes: &[u8], _: &EntryHead) -> Result<Option<(Offset, i64)>, RecordError> {
        Batch::parse(bytes)?.first_at_max_timestamp(UNPACKED_BYTES_MAX)
    }

    fn to_batches(entries: &[u8], _: &Rebuild<'_>) -> Result<Rebuilt, RecordError> {
        Ok(Rebuilt { bytes: Bytes::copy_from_slice(entries), is_complete: true })
    }

    fn each_keyed(
        bytes: &[u8],
        _: &EntryHead,
        unpacked_bytes_max: usize,
        visit: &mut dyn FnMut(KeyedRecord<'_>) -> ControlFlow<()>,
    ) -> Result<(), RecordError> {
        Batch::parse(bytes)?.each_keyed(unpacked_bytes_max, visit)
    }

    fn marker(bytes: &[u8], head: &EntryHead) -> Result<Option<Marker>, RecordError> {
        let mut marker = None;
        if head.control {
            Batch::parse(bytes)?.each_keyed(CONTROL_BYTES_MAX, |record| {
                let key = Bytes::copy_from_slice(record.key.unwrap_or_default());
                marker = match ControlRecordType::from_key(key) {
                    Ok(ControlRecordType::Commit) => Some(Marker::Commit),
                    Ok(ControlRecordType::Abort) => Some(Marker::Abort),
                    _ => None,
                };
                ControlFlow::Break(())
            })?;
        }
        Ok(marker)
    }

    fn delete_horizon_ms(bytes: &[u8], _: &EntryHead) -> Option<i64> {
        Batch::parse(bytes).ok()?.delete_horizon_ms()
    }

    fn retain(
        bytes: &[u8],
        _: &EntryHead,
        _: i64,
        rules: &RetainRules,
        keep: &mut dyn FnMut(KeyedRecord<'_>) -> bool,
        out: &mut Vec<u8>,
    ) -> Result<Retained, RecordError> {
        Batch::parse(bytes)?.retain(rules, keep, out)
    }
}

impl LogEntry for ValidatedBatch {
    type Front = [u8; BatchHeader::LEN];

    fn head(&self) -> EntryHead {
        head_of(self.header())
    }

    fn assign(&mut self, base_offset: Offset, leader_epoch: LeaderEpoch) {
        Self::assign(self, base_offset, leader_epoch);
    }

    fn set_log_append_time(&mut self, now_ms: i64) {
        Self::set_log_append_time(self, now_ms);
    }

    fn parts(&self) -> (Self::Front, &[u8]) {
        (self.header_bytes(), self.records())
    }
}

fn head_of(header: &BatchHeader) -> EntryHead {
    let producer = header.has_producer().then(|| BatchProducer {
        id: header.producer_id,
        epoch: header.producer_epoch,
        base_sequence: header.base_sequence,
        last_sequence: header.last_sequence(),
    });
    EntryHead {
        len: header.total_len(),
        base_offset: header.base_offset.get(),
        last_offset: header.last_offset().get(),
        run_last_offset: header.last_offset().get(),
        leader_epoch: header.leader_epoch.get(),
        // A batch that compaction emptied is kept for its producer or its offset; no record has its time.
        max_timestamp: if header.record_count == 0 { NO_TIMESTAMP } else { header.max_timestamp },
        producer,
        transactional: header.attributes.is_transactional(),
        control: header.attributes.is_control(),
    }
}

/// What a batch may unpack to while a record is looked up by time. Nothing of it is kept; the produce door has refused
/// larger ones.
const UNPACKED_BYTES_MAX: usize = 1 << 30;

/// What a control record may unpack to; the broker's own are not compressed.
const CONTROL_BYTES_MAX: usize = 1 << 20;

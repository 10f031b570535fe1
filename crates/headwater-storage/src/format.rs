//! What a log must know of its entries, and no more.

use std::fmt;

use headwater_codec::{LeaderEpoch, Offset};
use headwater_records::{Batch, BatchError, BatchHeader, BatchProducer, RecordError, ValidatedBatch, check};

/// What the front of an entry tells.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct EntryHead {
    /// Bytes of the whole entry.
    pub len: usize,
    /// The offset of its first record.
    pub base_offset: i64,
    /// The offset of its last record.
    pub last_offset: i64,
    /// The epoch of the leader that appended it.
    pub leader_epoch: i32,
    /// The largest timestamp in it, milliseconds since the epoch, or -1.
    pub max_timestamp: i64,
    /// Who produced it, when that matters for order.
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

    /// Reads the front of an entry; the rest need not be there.
    ///
    /// # Errors
    /// What is wrong with it.
    fn head(bytes: &[u8]) -> Result<EntryHead, BatchError>;

    /// Checks a whole entry.
    ///
    /// # Errors
    /// What is wrong with it, a checksum that does not fit included.
    fn check(bytes: &[u8]) -> Result<EntryHead, BatchError>;

    /// The first record in the entry at or after offset `from` whose timestamp is at or after `target_ms`: its offset
    /// and its timestamp.
    ///
    /// # Errors
    /// Those of unpacking.
    fn first_at_or_after(
        bytes: &[u8],
        target_ms: i64,
        from: Offset,
    ) -> Result<Option<(Offset, i64)>, RecordError>;

    /// The first record with the entry's largest timestamp.
    ///
    /// # Errors
    /// Those of unpacking.
    fn first_at_max_timestamp(bytes: &[u8]) -> Result<Option<(Offset, i64)>, RecordError>;
}

/// An entry on its way into a log.
pub trait LogEntry: Send {
    /// What its front tells.
    fn head(&self) -> EntryHead;

    /// Gives it its place.
    fn assign(&mut self, base_offset: Offset, leader_epoch: LeaderEpoch);

    /// Makes `now_ms` the time of all its records.
    fn set_log_append_time(&mut self, now_ms: i64);

    /// Its front as it will stand in the log, and the rest.
    fn parts(&self) -> ([u8; BatchHeader::LEN], &[u8]);
}

/// Kafka's record batches, version 2.
#[derive(Clone, Copy, Debug, Default)]
pub struct KafkaBatches;

impl LogFormat for KafkaBatches {
    type Entry = ValidatedBatch;

    const HEAD_LEN: usize = BatchHeader::LEN;

    fn head(bytes: &[u8]) -> Result<EntryHead, BatchError> {
        BatchHeader::parse(bytes).map(|header| head_of(&header))
    }

    fn check(bytes: &[u8]) -> Result<EntryHead, BatchError> {
        check(bytes).map(|header| head_of(&header))
    }

    fn first_at_or_after(
        bytes: &[u8],
        target_ms: i64,
        from: Offset,
    ) -> Result<Option<(Offset, i64)>, RecordError> {
        Batch::parse(bytes)?.first_at_or_after(target_ms, from, UNPACKED_BYTES_MAX)
    }

    fn first_at_max_timestamp(bytes: &[u8]) -> Result<Option<(Offset, i64)>, RecordError> {
        Batch::parse(bytes)?.first_at_max_timestamp(UNPACKED_BYTES_MAX)
    }
}

impl LogEntry for ValidatedBatch {
    fn head(&self) -> EntryHead {
        head_of(self.header())
    }

    fn assign(&mut self, base_offset: Offset, leader_epoch: LeaderEpoch) {
        Self::assign(self, base_offset, leader_epoch);
    }

    fn set_log_append_time(&mut self, now_ms: i64) {
        Self::set_log_append_time(self, now_ms);
    }

    fn parts(&self) -> ([u8; BatchHeader::LEN], &[u8]) {
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
        leader_epoch: header.leader_epoch.get(),
        max_timestamp: header.max_timestamp,
        producer,
        transactional: header.attributes.is_transactional(),
        control: header.attributes.is_control(),
    }
}

/// What a batch may unpack to while a record is looked up by time. Nothing of it is kept; the produce door has refused
/// larger ones.
const UNPACKED_BYTES_MAX: usize = 1 << 30;

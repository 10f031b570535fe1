//! The door for produced batches: what passes here is sound and keeps the topic's rules.
//!
//! The rules are those of Kafka's `ProduceRequest`, `UnifiedLog` and `LogValidator`, in their order, because a
//! producer sees which failure wins. Stricter than Kafka, on purpose: nothing may follow the batch or its records,
//! offset deltas are 0..n-1 (Kafka rebuilds such batches), a key or value length below -1 is malformed (Kafka takes it
//! for null), and the bound on unpacked bytes holds for the batch, not for each record.

use bytes::Bytes;
use headwater_codec::Offset;

use crate::{
    Batch, BatchError, BatchHeader, Compression, Malformed, NO_TIMESTAMP, RecordError, RecordFault,
    RecordFaultKind, RecordFaults, TimestampType, ValidatedBatch,
    walk::{RecordFacts, Walk, walk},
};

/// What a topic and a request's version ask of a produced batch.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct ProduceRules {
    /// `max.message.bytes`: bytes of the batch as it comes, header included.
    pub max_message_bytes: usize,
    /// `max.decompressed.message.bytes`: bytes the records may unpack to.
    pub max_decompressed_bytes: usize,
    /// `message.timestamp.type`.
    pub timestamp_type: TimestampType,
    /// `message.timestamp.before.max.ms`: how far a record's time may lie back. Only with CreateTime.
    pub before_max_ms: i64,
    /// `message.timestamp.after.max.ms`: how far a record's time may lie ahead. Only with CreateTime.
    pub after_max_ms: i64,
    /// The broker's time, milliseconds since the epoch.
    pub now_ms: i64,
    /// Whether records need a key (`cleanup.policy` has `compact`).
    pub key_required: bool,
    /// Whether the request's version knows zstd (Produce 7 and later, KIP-110).
    pub zstd_allowed: bool,
    /// Whether the batch may belong to a transaction.
    pub transactional_allowed: bool,
}

impl ProduceRules {
    /// Kafka's default rules at the time `now_ms`, with 128 MiB unpacked and no transactions.
    pub const fn new(now_ms: i64) -> Self {
        Self {
            max_message_bytes: 1_048_588,
            max_decompressed_bytes: 128 << 20,
            timestamp_type: TimestampType::CreateTime,
            before_max_ms: i64::MAX,
            after_max_ms: 3_600_000,
            now_ms,
            key_required: false,
            zstd_allowed: true,
            transactional_allowed: false,
        }
    }
}

/// Checks what a producer sent for one partition, which must be exactly one batch of format version 2.
///
/// With CreateTime a wrong max timestamp in the header is corrected; with LogAppendTime the batch gets `now_ms`. Keys,
/// values and headers are passed over and what is unpacked is not kept, so the memory used is that of
/// [`crate::Unpacker`].
///
/// # Errors
/// Everything in [`RecordError`] but [`RecordError::Pack`]. Nothing was changed then.
pub fn validate(records: Bytes, rules: &ProduceRules) -> Result<ValidatedBatch, RecordError> {
    let batch = only_batch(&records)?;
    let codec = batch.codec()?;
    if codec == Compression::Zstd && !rules.zstd_allowed {
        return Err(RecordError::CodecNotAllowed { codec });
    }
    check_batch(&batch, rules)?;
    let mut header = *batch.header();
    let summary = check_records(&header, codec, batch.packed_records(), rules)?;
    let body = records.slice(BatchHeader::LEN..);
    match rules.timestamp_type {
        TimestampType::CreateTime => {
            if header.max_timestamp != summary.max_timestamp {
                header.max_timestamp = summary.max_timestamp;
                header.crc = header.computed_crc(&body);
            }
            Ok(ValidatedBatch::new(header, body, summary.max_timestamp_offset_delta, summary.unpacked_len))
        }
        TimestampType::LogAppendTime => {
            let mut validated = ValidatedBatch::new(header, body, 0, summary.unpacked_len);
            validated.set_log_append_time(rules.now_ms);
            Ok(validated)
        }
    }
}

fn only_batch(records: &[u8]) -> Result<Batch<'_>, RecordError> {
    let batch = Batch::parse(records).map_err(|error| match error {
        BatchError::Truncated { have: bytes, .. } => RecordError::NoBatch { bytes },
        error => error.into(),
    })?;
    match records.len() - batch.bytes().len() {
        0 => Ok(batch),
        bytes => Err(RecordError::BytesAfterBatch { bytes }),
    }
}

fn check_batch(batch: &Batch<'_>, rules: &ProduceRules) -> Result<(), RecordError> {
    let header = batch.header();
    if header.base_offset != Offset::ZERO {
        return Err(RecordError::BaseOffsetNotZero { base_offset: header.base_offset });
    }
    if header.total_len() > rules.max_message_bytes {
        return Err(RecordError::TooLarge { bytes: header.total_len(), max: rules.max_message_bytes });
    }
    batch.check_crc()?;
    let (count, last_offset_delta) = (header.record_count, header.last_offset_delta);
    if count <= 0 || count - 1 != last_offset_delta {
        return Err(RecordError::Count { count, last_offset_delta });
    }
    let attributes = header.attributes;
    if attributes.is_control() {
        return Err(RecordError::ControlBatch);
    }
    if attributes.has_delete_horizon() {
        return Err(RecordError::DeleteHorizon);
    }
    let producer_unsound = if header.has_producer() {
        header.base_sequence < 0 || header.producer_epoch.get() < 0
    } else {
        attributes.is_transactional()
    };
    if producer_unsound {
        return Err(RecordError::Producer {
            producer_id: header.producer_id,
            producer_epoch: header.producer_epoch,
            base_sequence: header.base_sequence,
        });
    }
    if attributes.is_transactional() && !rules.transactional_allowed {
        return Err(RecordError::Transactional);
    }
    match attributes.timestamp_type() {
        TimestampType::CreateTime => Ok(()),
        timestamp_type @ TimestampType::LogAppendTime => Err(RecordError::TimestampType { timestamp_type }),
    }
}

struct Summary {
    max_timestamp: i64,
    max_timestamp_offset_delta: i32,
    unpacked_len: usize,
}

fn check_records(
    header: &BatchHeader,
    codec: Compression,
    packed: &[u8],
    rules: &ProduceRules,
) -> Result<Summary, RecordError> {
    let bounds = TimestampBounds::new(rules);
    let (mut max_timestamp, mut max_timestamp_offset_delta) = (NO_TIMESTAMP, 0);
    let mut faults: Option<RecordFaults> = None;
    let visit = |index: i32, facts: RecordFacts| {
        let malformed = |reason| RecordError::Malformed { index, reason };
        if facts.offset_delta != index {
            return Err(malformed(Malformed::OffsetDelta { expected: index, found: facts.offset_delta }));
        }
        let timestamp = header.base_timestamp.checked_add(facts.timestamp_delta);
        let timestamp = timestamp.ok_or_else(|| malformed(Malformed::Timestamp))?;
        if timestamp > max_timestamp {
            (max_timestamp, max_timestamp_offset_delta) = (timestamp, index);
        }
        if (rules.key_required && !facts.has_key) || !bounds.allow(timestamp) {
            let kind = if rules.key_required && !facts.has_key {
                RecordFaultKind::MissingKey
            } else {
                bounds.fault(timestamp)
            };
            let fault = RecordFault { index, kind };
            match &mut faults {
                Some(faults) => faults.push(fault),
                None => faults = Some(RecordFaults::new(fault)),
            }
        }
        Ok(Walk::On)
    };
    let unpacked_len = walk(codec, packed, header.record_count, rules.max_decompressed_bytes, visit)?;
    match faults {
        Some(faults) => Err(RecordError::Refused { faults }),
        None => Ok(Summary { max_timestamp, max_timestamp_offset_delta, unpacked_len }),
    }
}

/// The earliest and the latest timestamp that a topic takes. No timestamp is always taken, as Kafka does.
struct TimestampBounds {
    earliest: i64,
    latest: i64,
}

impl TimestampBounds {
    fn new(rules: &ProduceRules) -> Self {
        match rules.timestamp_type {
            TimestampType::CreateTime => Self {
                earliest: match rules.before_max_ms {
                    // "As far back as you like" includes what lies before the epoch.
                    i64::MAX => i64::MIN,
                    before => rules.now_ms.saturating_sub(before),
                },
                latest: rules.now_ms.saturating_add(rules.after_max_ms),
            },
            TimestampType::LogAppendTime => Self { earliest: i64::MIN, latest: i64::MAX },
        }
    }

    #[inline]
    const fn allow(&self, timestamp: i64) -> bool {
        (self.earliest <= timestamp && timestamp <= self.latest) || timestamp == NO_TIMESTAMP
    }

    const fn fault(&self, timestamp: i64) -> RecordFaultKind {
        RecordFaultKind::Timestamp { timestamp, earliest: self.earliest, latest: self.latest }
    }
}

#[cfg(test)]
mod tests;

//! Records of one request as batches: one for each partition, or several when one would be too large.

use std::collections::BTreeMap;

use headwater_codec::{PartitionIndex, ProducerEpoch, ProducerId};
use headwater_native::{
    ErrorCode,
    messages::{Failure, RecordToProduce},
};
use headwater_records::{
    BatchBuilder, BatchHeader, HeaderRef, RecordError, TimestampType, ValidatedBatch, native::ValueCodec,
};
use headwater_storage::LogConfig;

/// A batch, and which of the request's records are in it.
#[derive(Debug)]
pub(super) struct BatchToAppend {
    pub(super) partition: PartitionIndex,
    pub(super) batch: ValidatedBatch,
    /// Places in the request, ascending.
    pub(super) records: Vec<usize>,
}

/// A record of a request and where it goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacedRecord<'a> {
    pub(super) index: usize,
    pub(super) record: &'a RecordToProduce,
    pub(super) partition: PartitionIndex,
}

/// What holds for all batches of a request.
#[derive(Clone, Copy, Debug)]
pub(super) struct BatchRules<'a> {
    pub(super) config: &'a LogConfig,
    pub(super) codec: ValueCodec,
    pub(super) now_ms: i64,
}

/// Puts records into batches. `number` gives the first record's number in a partition to records of an idempotent
/// producer, and counts on by the records that follow.
///
/// # Errors
/// The place of the first record that cannot be appended, and why; those before it can.
pub(super) fn batches(
    records: &[PlacedRecord<'_>],
    rules: BatchRules<'_>,
    mut number: impl FnMut(PartitionIndex, i32) -> Option<(ProducerId, ProducerEpoch, i32)>,
) -> Result<Vec<BatchToAppend>, (usize, Failure)> {
    let mut by_partition: BTreeMap<PartitionIndex, Vec<PlacedRecord<'_>>> = BTreeMap::new();
    for record in records {
        by_partition.entry(record.partition).or_default().push(*record);
    }
    let mut made = Vec::with_capacity(by_partition.len());
    for (partition, records) in by_partition {
        let mut rest = &records[..];
        while !rest.is_empty() {
            let count = fitting(rest, rules.config);
            let (these, others) = rest.split_at(count);
            let first = these.first().map_or(0, |record| record.index);
            let producer = number(partition, i32::try_from(count).unwrap_or(i32::MAX));
            let batch = build(these, rules, producer).map_err(|error| (first, refused(&error)))?;
            if batch.len() > rules.config.max_message_bytes as usize {
                return Err((first, too_large(batch.len(), rules.config)));
            }
            made.push(BatchToAppend {
                partition,
                batch,
                records: these.iter().map(|record| record.index).collect(),
            });
            rest = others;
        }
    }
    Ok(made)
}

/// How many of the records fit one batch without compression; at least one.
fn fitting(records: &[PlacedRecord<'_>], config: &LogConfig) -> usize {
    let room = (config.max_message_bytes as usize).saturating_sub(BatchHeader::LEN);
    let mut taken = 0;
    let fits = |placed: &&PlacedRecord<'_>| {
        taken += size_max(placed.record);
        taken <= room
    };
    records.iter().take_while(fits).count().max(1)
}

/// Bytes of a record in a batch at most, not compressed.
fn size_max(record: &RecordToProduce) -> usize {
    let headers: usize =
        record.headers.iter().map(|(name, value)| name.len() + value.len() + 2 * VARINT_MAX).sum();
    record.key.len() + record.value.len() + headers + RECORD_OVERHEAD_MAX
}

fn build(
    records: &[PlacedRecord<'_>],
    rules: BatchRules<'_>,
    producer: Option<(ProducerId, ProducerEpoch, i32)>,
) -> Result<ValidatedBatch, RecordError> {
    let codec = rules.config.compression.unwrap_or_else(|| rules.codec.compression());
    let mut builder = BatchBuilder::new().compression(codec);
    if let Some((id, epoch, sequence)) = producer {
        builder = builder.producer(id, epoch, sequence);
    }
    for PlacedRecord { record, .. } in records {
        let headers: Vec<HeaderRef<'_>> =
            record.headers.iter().map(|(name, value)| (name, nullable(value))).collect();
        builder.push(rules.now_ms, nullable(&record.key), nullable(&record.value), &headers)?;
    }
    let mut batch = builder.build()?;
    if rules.config.timestamp_type == TimestampType::LogAppendTime {
        batch.set_log_append_time(rules.now_ms);
    }
    Ok(batch)
}

/// On this protocol no bytes are none: a key that is not there, a tombstone.
fn nullable(bytes: &[u8]) -> Option<&[u8]> {
    (!bytes.is_empty()).then_some(bytes)
}

fn refused(error: &RecordError) -> Failure {
    Failure::new(ErrorCode::INTERNAL, error.to_string())
}

fn too_large(bytes: usize, config: &LogConfig) -> Failure {
    let message = format!(
        "a batch of {bytes} bytes is over the topic's max.message.bytes, {}",
        config.max_message_bytes
    );
    Failure::new(ErrorCode::BATCH_TOO_LARGE, message)
}

/// The longest 32-bit number of variable length.
const VARINT_MAX: usize = 5;
/// Length, attributes, two deltas and three counts.
const RECORD_OVERHEAD_MAX: usize = 1 + 10 + 5 * VARINT_MAX;

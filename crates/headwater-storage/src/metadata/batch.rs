//! Batches of metadata records: made, and read back.

use std::{path::Path, sync::Arc};

use bytes::Bytes;
use headwater_codec::{
    LeaderEpoch, Offset,
    records::{ControlRecordType, MetadataLogRecord},
};
use headwater_records::{Batch, BatchBuilder, ValidatedBatch};

use super::{
    control::ControlRecord,
    error::{CorruptMetadata, MetadataError},
    to_records::VersionedRecord,
};

/// One record of the metadata log or of a checkpoint.
#[derive(Clone, Debug)]
pub(crate) enum LogRecord {
    /// A control record: its type and its body.
    Control { kind: ControlRecordType, value: Bytes },
    /// A metadata record.
    Metadata(Box<MetadataLogRecord>),
}

/// Reads a batch's records, in order.
pub(crate) fn read_batch(
    path: &Path,
    batch: &Batch<'_>,
    mut each: impl FnMut(Offset, LogRecord) -> Result<(), MetadataError>,
) -> Result<(), MetadataError> {
    let header = batch.header();
    let corrupt = |offset, reason| MetadataError::Corrupt { path: path.to_path_buf(), offset, reason };
    let unsound = |error| corrupt(header.base_offset, CorruptMetadata::Batch(Arc::new(error)));
    let is_control = header.attributes.is_control();
    let records = batch.records(UNPACKED_BYTES_MAX).map_err(unsound)?;
    for record in &records {
        let record = record.map_err(unsound)?;
        let value = record.value.ok_or_else(|| corrupt(record.offset, CorruptMetadata::NoValue))?;
        // A copy, so that what the image keeps of it does not hold the whole batch.
        let value = Bytes::copy_from_slice(value);
        let record_read = if is_control {
            let key = Bytes::copy_from_slice(record.key.unwrap_or_default());
            let kind = ControlRecordType::from_key(key)
                .map_err(|error| corrupt(record.offset, CorruptMetadata::Record(Arc::new(error))))?;
            LogRecord::Control { kind, value }
        } else {
            let decoded = MetadataLogRecord::decode(value)
                .map_err(|error| corrupt(record.offset, CorruptMetadata::Record(Arc::new(error))))?;
            LogRecord::Metadata(Box::new(decoded))
        };
        each(record.offset, record_read)?;
    }
    Ok(())
}

/// Builds one batch of metadata records: all of them take effect or none.
pub(crate) fn data_batch(
    base_offset: Offset,
    epoch: i32,
    now_ms: i64,
    records: &[VersionedRecord],
) -> Result<ValidatedBatch, MetadataError> {
    let mut builder = BatchBuilder::new().base_offset(base_offset).leader_epoch(LeaderEpoch::new(epoch));
    for (record, version) in records {
        let value = record.encode(*version).map_err(MetadataError::unwritable)?;
        builder.push(now_ms, None, Some(&value), &[]).map_err(MetadataError::unbuildable)?;
    }
    builder.build().map_err(MetadataError::unbuildable)
}

/// Builds one batch of control records.
pub(crate) fn control_batch(
    base_offset: Offset,
    epoch: i32,
    now_ms: i64,
    records: &[ControlRecord],
) -> Result<ValidatedBatch, MetadataError> {
    let mut builder =
        BatchBuilder::new().control(true).base_offset(base_offset).leader_epoch(LeaderEpoch::new(epoch));
    for record in records {
        builder
            .push(now_ms, Some(&record.key), Some(&record.value), &[])
            .map_err(MetadataError::unbuildable)?;
    }
    builder.build().map_err(MetadataError::unbuildable)
}

/// Bytes that a batch may unpack to. Kafka's own are not compressed and at most 8 MiB long.
const UNPACKED_BYTES_MAX: usize = 64 * 1024 * 1024;

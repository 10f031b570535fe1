//! Checkpoints of the metadata log, `<end offset>-<epoch>.checkpoint`: an image as records, between header and footer.

use std::path::{Path, PathBuf};

use bytes::{BufMut, BytesMut};
use headwater_codec::{
    Message, Offset,
    records::{ControlRecordType, SnapshotHeaderRecord},
};
use headwater_records::{Batches, ValidatedBatch};

use super::{
    batch::{LogRecord, control_batch, data_batch, read_batch},
    control::ControlRecord,
    error::{CorruptMetadata, MetadataError},
    image::MetadataImage,
    to_records::VersionedRecord,
};

/// Which checkpoint: the offset after its last record, and that record's epoch.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) struct CheckpointId {
    pub(crate) end_offset: i64,
    pub(crate) epoch: i32,
}

impl CheckpointId {
    /// The checkpoint with which a directory is formatted: no metadata, only the voters.
    pub(crate) const FORMATTED: Self = Self { end_offset: 0, epoch: 0 };

    /// The file's name.
    pub(crate) fn file_name(self) -> String {
        format!("{:020}-{:010}.checkpoint", self.end_offset, self.epoch)
    }

    /// Reads a file's name; `None` for any other file.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        let (end_offset, epoch) = name.strip_suffix(".checkpoint")?.split_once('-')?;
        let id = Self { end_offset: end_offset.parse().ok()?, epoch: epoch.parse().ok()? };
        (id.file_name() == name).then_some(id)
    }

    /// The file's path in the metadata log's directory.
    pub(crate) fn path(self, directory: &Path) -> PathBuf {
        directory.join(self.file_name())
    }
}

/// Writes a checkpoint's bytes, batch after batch.
#[derive(Debug)]
pub(crate) struct CheckpointWriter {
    epoch: i32,
    now_ms: i64,
    bytes: BytesMut,
    next_offset: i64,
    pending: Vec<VersionedRecord>,
}

impl CheckpointWriter {
    /// Starts one with its header and what the quorum says of itself.
    pub(crate) fn new(
        id: CheckpointId,
        now_ms: i64,
        last_timestamp_ms: i64,
        quorum: Vec<ControlRecord>,
    ) -> Result<Self, MetadataError> {
        let mut writer =
            Self { epoch: id.epoch, now_ms, bytes: BytesMut::new(), next_offset: 0, pending: Vec::new() };
        let mut records = vec![ControlRecord::snapshot_header(last_timestamp_ms)?];
        records.extend(quorum);
        let batch = control_batch(writer.offset(), writer.epoch, now_ms, &records)?;
        writer.put(&batch);
        Ok(writer)
    }

    /// Adds every record of an image.
    pub(crate) fn image(&mut self, image: &MetadataImage) -> Result<(), MetadataError> {
        image.for_each_record::<MetadataError>(|record| {
            self.pending.push(record);
            if self.pending.len() >= RECORDS_PER_BATCH {
                self.flush()?;
            }
            Ok(())
        })?;
        self.flush()
    }

    /// Ends it and gives its bytes.
    pub(crate) fn finish(mut self) -> Result<BytesMut, MetadataError> {
        let footer =
            control_batch(self.offset(), self.epoch, self.now_ms, &[ControlRecord::snapshot_footer()?])?;
        self.put(&footer);
        Ok(self.bytes)
    }

    fn flush(&mut self) -> Result<(), MetadataError> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let batch = data_batch(self.offset(), self.epoch, self.now_ms, &self.pending)?;
        self.pending.clear();
        self.put(&batch);
        Ok(())
    }

    fn put(&mut self, batch: &ValidatedBatch) {
        self.bytes.put_slice(&batch.header_bytes());
        self.bytes.put_slice(batch.records());
        self.next_offset += i64::from(batch.record_count());
    }

    fn offset(&self) -> Offset {
        Offset::ZERO.plus(self.next_offset)
    }
}

/// Reads a checkpoint: every record between header and footer goes to `each`. Gives the timestamp of the last record
/// that it holds.
pub(crate) fn read_checkpoint(
    path: &Path,
    bytes: &[u8],
    mut each: impl FnMut(Offset, LogRecord) -> Result<(), MetadataError>,
) -> Result<i64, MetadataError> {
    let corrupt = |reason| MetadataError::Corrupt { path: path.to_path_buf(), offset: Offset::ZERO, reason };
    let (mut timestamp, mut is_whole) = (None, false);
    let mut batches = Batches::new(bytes);
    for batch in &mut batches {
        let batch = batch.map_err(|_| corrupt(CorruptMetadata::CutShort))?;
        batch.check_crc().map_err(|_| corrupt(CorruptMetadata::CutShort))?;
        read_batch(path, &batch, |offset, record| match record {
            LogRecord::Control { kind: ControlRecordType::SnapshotHeader, value } => {
                let header = SnapshotHeaderRecord::decode_body(value, 0);
                timestamp =
                    Some(header.map_err(|_| corrupt(CorruptMetadata::Format))?.last_contained_log_timestamp);
                Ok(())
            }
            LogRecord::Control { kind: ControlRecordType::SnapshotFooter, .. } => {
                is_whole = true;
                Ok(())
            }
            record => each(offset, record),
        })?;
    }
    match timestamp {
        Some(timestamp) if is_whole && batches.remaining().is_empty() => Ok(timestamp),
        _ => Err(corrupt(CorruptMetadata::CutShort)),
    }
}

/// How many records go into one batch of a checkpoint.
const RECORDS_PER_BATCH: usize = 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_apache_kafka() {
        let id = CheckpointId { end_offset: 122, epoch: 3 };
        assert_eq!(id.file_name(), "00000000000000000122-0000000003.checkpoint");
        assert_eq!(CheckpointId::parse(&id.file_name()), Some(id));
        for name in
            ["bootstrap.checkpoint", "00000000000000000122-0000000003.checkpoint.part", "122-3.checkpoint"]
        {
            assert_eq!(CheckpointId::parse(name), None, "{name}");
        }
    }
}

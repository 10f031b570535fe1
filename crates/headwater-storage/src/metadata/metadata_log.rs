//! The metadata log's files: batches appended and synced, checkpoints written and dropped.

use std::{
    io::IoSlice,
    mem,
    path::{Path, PathBuf},
    sync::Arc,
};

use bytes::Bytes;
use headwater_codec::{LeaderEpoch, Offset};
use headwater_records::{Batches, ValidatedBatch};
use tracing::{info, warn};

use super::{
    batch::{LogRecord, control_batch, data_batch, read_batch},
    checkpoint::{CheckpointId, CheckpointWriter},
    control::ControlRecord,
    directories::METADATA_LOG_DIRECTORY,
    error::{CorruptMetadata, MetadataError},
    image::MetadataImage,
    node::NodeConfig,
    to_records::VersionedRecord,
};
use crate::{
    Disk, KafkaBatches, StorageError,
    checkpoint::{Checkpoint, Offsets},
    disk::OpenMode,
    log::{AppendJob, Log, LogOptions},
};

/// The metadata log and its checkpoints. Batches are collected, then written and synced together.
#[derive(Debug)]
pub(crate) struct MetadataLog {
    disk: Arc<dyn Disk>,
    directory: PathBuf,
    log: Log<KafkaBatches>,
    epoch: i32,
    /// What is to be written with the next commit.
    unwritten: Vec<ValidatedBatch>,
    /// The offset that the next record gets once everything before it is written.
    next_offset: i64,
    /// Whether the log holds more than was committed: a write failed, and taking it back did too.
    must_cut: bool,
    /// The control records that say who votes, for checkpoints; none in a quorum fixed by configuration.
    quorum: Vec<ControlRecord>,
    checkpoints: Checkpoints,
    last_timestamp_ms: i64,
}

/// The checkpoints there are, and when the next is due.
#[derive(Debug)]
struct Checkpoints {
    ids: Vec<CheckpointId>,
    bytes_since: u64,
    last_ms: i64,
    after_bytes: u64,
    after_ms: u64,
}

impl MetadataLog {
    /// Opens the log. Everything below `checkpoint` is known to be on disk, and so is what was committed before: damage
    /// there is an error and nothing is cut, because what follows it would be forgotten.
    pub(crate) fn open(
        disk: &Arc<dyn Disk>,
        directory: &Path,
        checkpoint: CheckpointId,
        checkpoints: Vec<CheckpointId>,
        last_timestamp_ms: i64,
        node: &NodeConfig,
        now_ms: i64,
    ) -> Result<Self, MetadataError> {
        let mut options = LogOptions::new(METADATA_LOG_DIRECTORY);
        let recovery_point = read_recovery_point(&**disk, directory)?.max(checkpoint.end_offset);
        options.recovery_point = Some(Offset::ZERO.plus(recovery_point));
        options.first_files = vec![("partition.metadata".into(), Bytes::from_static(PARTITION_METADATA))];
        let (log, _) = Log::<KafkaBatches>::open(disk, directory, options, now_ms)?;
        let next_offset = log.log_end().get();
        let checkpoints = Checkpoints {
            ids: checkpoints,
            bytes_since: 0,
            last_ms: now_ms,
            after_bytes: node.snapshot_after_bytes,
            after_ms: node.snapshot_after_ms,
        };
        Ok(Self {
            disk: Arc::clone(disk),
            directory: directory.to_path_buf(),
            log,
            epoch: 0,
            unwritten: Vec::new(),
            next_offset,
            must_cut: false,
            quorum: Vec::new(),
            checkpoints,
            last_timestamp_ms,
        })
    }

    /// The directory, `__cluster_metadata-0`.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// The first offset there is.
    pub(crate) fn start_offset(&self) -> Offset {
        self.log.log_start()
    }

    /// The offset that the next record gets.
    pub(crate) fn next_offset(&self) -> Offset {
        Offset::ZERO.plus(self.next_offset)
    }

    /// Whether nothing was ever written.
    pub(crate) fn is_empty(&self) -> bool {
        self.next_offset == 0
    }

    /// The epoch in which batches are written.
    pub(crate) const fn epoch(&self) -> i32 {
        self.epoch
    }

    /// The newest epoch that wrote something; 0 when none did.
    pub(crate) fn last_epoch(&self) -> i32 {
        let newest_checkpoint = self.checkpoints.ids.last().map_or(0, |id| id.epoch);
        self.log.last_epoch().map_or(0, LeaderEpoch::get).max(newest_checkpoint)
    }

    /// Batches are written in that epoch from now on.
    pub(crate) const fn start_epoch(&mut self, epoch: i32) {
        self.epoch = epoch;
    }

    /// What checkpoints say about the quorum.
    pub(crate) fn set_quorum(&mut self, records: Vec<ControlRecord>) {
        self.quorum = records;
    }

    /// Gives every record from `from` on to `each`.
    pub(crate) fn read(
        &mut self,
        from: Offset,
        mut each: impl FnMut(Offset, LogRecord) -> Result<(), MetadataError>,
    ) -> Result<(), MetadataError> {
        let mut next = from.max(self.log.log_start());
        while next < self.log.log_end() {
            let before = next;
            let mut bytes = Vec::new();
            for slice in self.log.read(next, READ_BYTES)? {
                let read =
                    slice.to_bytes().map_err(|error| StorageError::io("read", &self.directory, error))?;
                bytes.extend_from_slice(&read);
            }
            for batch in Batches::new(&bytes) {
                let batch = batch.map_err(|error| MetadataError::Corrupt {
                    path: self.directory.clone(),
                    offset: next,
                    reason: CorruptMetadata::Batch(Arc::new(error.into())),
                })?;
                read_batch(&self.directory, &batch, |offset, record| {
                    if offset < from { Ok(()) } else { each(offset, record) }
                })?;
                next = batch.header().next_offset();
                self.checkpoints.bytes_since += batch.bytes().len() as u64;
                self.last_timestamp_ms = batch.header().max_timestamp;
            }
            if next == before {
                let (path, offset) = (self.directory.clone(), next);
                return Err(MetadataError::Corrupt { path, offset, reason: CorruptMetadata::CutShort });
            }
        }
        Ok(())
    }

    /// Takes records for the next commit; they make one batch, and take effect together.
    pub(crate) fn push(&mut self, records: &[VersionedRecord], now_ms: i64) -> Result<(), MetadataError> {
        let batch = data_batch(self.next_offset(), self.epoch, now_ms, records)?;
        self.push_batch(batch);
        Ok(())
    }

    /// Takes control records for the next commit.
    pub(crate) fn push_control(
        &mut self,
        records: &[ControlRecord],
        now_ms: i64,
    ) -> Result<(), MetadataError> {
        let batch = control_batch(self.next_offset(), self.epoch, now_ms, records)?;
        self.push_batch(batch);
        Ok(())
    }

    fn push_batch(&mut self, batch: ValidatedBatch) {
        self.next_offset = batch.header().next_offset().get();
        self.unwritten.push(batch);
    }

    /// Whether something waits for the next commit.
    pub(crate) fn has_unwritten(&self) -> bool {
        !self.unwritten.is_empty()
    }

    /// Writes and syncs what was taken. Gives the offset after it.
    ///
    /// # Errors
    /// [`MetadataError::Storage`]. Nothing of what was taken is in the log then, and it is not written later.
    pub(crate) fn commit(&mut self, now_ms: i64) -> Result<Offset, MetadataError> {
        let batches = mem::take(&mut self.unwritten);
        let committed = self.write(batches, now_ms);
        match &committed {
            Ok(committed) => self.note_recovery_point(*committed),
            Err(_) => self.next_offset = self.log.synced().offset,
        }
        Ok(committed?)
    }

    fn write(&mut self, batches: Vec<ValidatedBatch>, now_ms: i64) -> Result<Offset, StorageError> {
        if self.log.is_broken() {
            self.log.restart_at_synced(now_ms)?;
        }
        let committed = Offset::ZERO.plus(self.log.synced().offset);
        if mem::replace(&mut self.must_cut, true) {
            self.log.truncate(committed, now_ms)?;
        }
        let bytes: usize = batches.iter().map(ValidatedBatch::len).sum();
        let timestamp = batches.last().map(ValidatedBatch::max_timestamp);
        let mut jobs: Vec<_> = batches.into_iter().map(AppendJob::new).collect();
        self.log.append(&mut jobs, LeaderEpoch::new(self.epoch), now_ms);
        for job in jobs {
            if let Err(error) = job.into_outcome() {
                match self.log.truncate(committed, now_ms) {
                    Ok(()) => self.must_cut = false,
                    Err(again) => {
                        warn!(error = %again, "a failed write to the metadata log is taken back later")
                    }
                }
                return Err(error);
            }
        }
        // A failed sync takes everything back by itself.
        self.must_cut = false;
        if let Err(error) = self.log.sync(now_ms) {
            if self.log.is_broken() || self.log.synced().offset != self.next_offset {
                return Err(error);
            }
            warn!(%error, "the metadata log is on disk, but its epochs are not; they are in the log too");
        }
        self.checkpoints.bytes_since += bytes as u64;
        self.last_timestamp_ms = timestamp.unwrap_or(self.last_timestamp_ms);
        Ok(Offset::ZERO.plus(self.next_offset))
    }

    /// Notes that everything below `committed` is on disk. Written after the sync and without one of its own: after a
    /// power cut it may be too low, never too high.
    fn note_recovery_point(&self, committed: Offset) {
        let offsets = Offsets::from([(recovery_point_key(), committed.get())]);
        if let Err(error) = Checkpoint::RecoveryPoint.write(&*self.disk, &self.directory, &offsets, false) {
            warn!(%error, "how far the metadata log is on disk is not noted");
        }
    }

    /// Writes a checkpoint of `image`, which is everything up to now, when enough has changed since the last one.
    pub(crate) fn snapshot_if_due(
        &mut self,
        image: &MetadataImage,
        now_ms: i64,
    ) -> Result<(), MetadataError> {
        if !self.checkpoints.is_due(now_ms) {
            return Ok(());
        }
        // Whether or not it succeeds, the next try is not at once.
        self.checkpoints.bytes_since = 0;
        self.checkpoints.last_ms = now_ms;
        let id = CheckpointId { end_offset: image.end_offset.get(), epoch: self.epoch };
        let mut writer = CheckpointWriter::new(id, now_ms, self.last_timestamp_ms, self.quorum.clone())?;
        writer.image(image)?;
        self.write_checkpoint(id, &writer.finish()?)?;
        self.sync_directory()?;
        info!(end_offset = id.end_offset, epoch = id.epoch, "a snapshot of the metadata was written");
        self.drop_old(now_ms)
    }

    /// Puts a checkpoint in place. Its content is durable; its name is once [`MetadataLog::sync_directory`] or the first
    /// commit to an empty log was done.
    pub(crate) fn write_checkpoint(&mut self, id: CheckpointId, bytes: &[u8]) -> Result<(), MetadataError> {
        // Kafka's name for a checkpoint that is being written; it removes those that it finds.
        let part = id.path(&self.directory).with_extension("checkpoint.part");
        put_in_place(&*self.disk, &part, &id.path(&self.directory), bytes)?;
        if !self.checkpoints.ids.contains(&id) {
            self.checkpoints.ids.push(id);
        }
        Ok(())
    }

    fn sync_directory(&self) -> Result<(), MetadataError> {
        let synced = self.disk.sync_dir(&self.directory);
        Ok(synced.map_err(|error| StorageError::io("sync the directory", &self.directory, error))?)
    }

    /// Drops all but the two newest checkpoints, and the segments that only the dropped ones needed.
    fn drop_old(&mut self, now_ms: i64) -> Result<(), MetadataError> {
        let ids = &mut self.checkpoints.ids;
        ids.sort_unstable();
        let kept = ids.split_off(ids.len().saturating_sub(CHECKPOINTS_KEPT));
        let old = mem::replace(ids, kept);
        let Some(first) = self.checkpoints.ids.first().filter(|_| !old.is_empty()) else { return Ok(()) };
        self.log.delete_records(Offset::ZERO.plus(first.end_offset), self.log.log_end(), now_ms)?;
        for id in old {
            let path = id.path(&self.directory);
            self.disk.remove(&path).map_err(|error| StorageError::io("remove", path, error))?;
        }
        Ok(())
    }

    /// Closes the log in order.
    pub(crate) fn close(&mut self, now_ms: i64) -> Result<(), MetadataError> {
        Ok(self.log.close(now_ms)?)
    }
}

impl Checkpoints {
    fn is_due(&self, now_ms: i64) -> bool {
        let age_ms = u64::try_from(now_ms.saturating_sub(self.last_ms)).unwrap_or(0);
        self.bytes_since >= self.after_bytes.max(1)
            || (self.bytes_since > 0 && self.after_ms > 0 && age_ms >= self.after_ms)
    }
}

/// How far the log is known to be on disk; 0 when that is not noted.
fn read_recovery_point(disk: &dyn Disk, directory: &Path) -> Result<i64, StorageError> {
    let offsets = Checkpoint::RecoveryPoint.read(disk, directory)?;
    Ok(offsets.get(&recovery_point_key()).copied().unwrap_or(0))
}

fn recovery_point_key() -> (String, i32) {
    (METADATA_TOPIC.to_owned(), 0)
}

/// Writes a file whose content is durable before it has its name; the name itself is not durable yet.
pub(crate) fn put_in_place(
    disk: &dyn Disk,
    part: &Path,
    path: &Path,
    bytes: &[u8],
) -> Result<(), StorageError> {
    let io = |op, error| StorageError::io(op, path, error);
    let file = disk.open(part, OpenMode::Truncate).map_err(|error| io("create", error))?;
    file.write_all_at(&mut [IoSlice::new(bytes)], 0).map_err(|error| io("write", error))?;
    file.sync_data().map_err(|error| io("sync", error))?;
    disk.rename(part, path).map_err(|error| io("put in place", error))
}

/// The metadata log's topic.
const METADATA_TOPIC: &str = "__cluster_metadata";
/// How many checkpoints stay: the newest, and one before it should that be damaged.
const CHECKPOINTS_KEPT: usize = 2;
/// The metadata log's `partition.metadata`: its topic has a fixed id.
const PARTITION_METADATA: &[u8] = b"version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAQ";
/// Bytes of the log that are read at a time.
const READ_BYTES: usize = 1 << 20;

//! One log directory: its checkpoints, and what is known of the directories in it.

use std::{
    collections::HashSet,
    io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
};

use parking_lot::Mutex;

use super::Shared;
use crate::{
    LogFormat, StorageError,
    checkpoint::{Checkpoint, Offsets},
    disk::{Disk, OpenMode, parent_of},
};

/// A log directory.
#[derive(Debug)]
pub(crate) struct LogDir {
    pub(crate) path: PathBuf,
    /// The partition directories that were there at the start or were made since, by `<topic>-<partition>`.
    known: Mutex<HashSet<String>>,
    /// How many partitions were placed here.
    placed: AtomicUsize,
    checkpoints: Mutex<Checkpoints>,
    clean: bool,
}

/// What the checkpoint files hold. Partitions that were not opened keep what was read.
#[derive(Debug, Default)]
struct Checkpoints {
    recovery_points: Offsets,
    high_watermarks: Offsets,
    log_starts: Offsets,
    cleaned: Offsets,
}

impl LogDir {
    pub(super) fn open(disk: &dyn Disk, path: &Path) -> Result<Self, StorageError> {
        let io = |op, error| StorageError::io(op, path, error);
        if !disk.exists(path).map_err(|error| io("find", error))? {
            disk.create_dir(path).map_err(|error| io("make the log directory", error))?;
            disk.sync_dir(parent_of(path))
                .map_err(|error| io("sync the parent of the log directory", error))?;
        }
        let entries = disk.list(path).map_err(|error| io("list", error))?;
        let clean = entries.iter().any(|entry| entry.name == CLEAN_SHUTDOWN);
        let mut known = HashSet::new();
        for entry in entries.into_iter().filter(|entry| entry.is_dir) {
            if partition_of(&entry.name).is_some() {
                known.insert(entry.name);
            }
        }
        let checkpoints = Checkpoints {
            recovery_points: Checkpoint::RecoveryPoint.read(disk, path)?,
            high_watermarks: Checkpoint::Replication.read(disk, path)?,
            log_starts: Checkpoint::LogStart.read(disk, path)?,
            cleaned: Checkpoint::Cleaner.read(disk, path)?,
        };
        Ok(Self {
            path: path.to_owned(),
            placed: AtomicUsize::new(known.len()),
            known: Mutex::new(known),
            checkpoints: Mutex::new(checkpoints),
            clean,
        })
    }

    /// Whether the store was closed in order. A directory with nothing in it has nothing to check.
    pub(super) fn was_clean(&self) -> bool {
        self.clean || self.known.lock().is_empty()
    }

    /// From here on a crash must be noticed.
    pub(super) fn start_unclean(&self, disk: &dyn Disk) -> Result<(), StorageError> {
        if !self.clean {
            return Ok(());
        }
        let path = self.path.join(CLEAN_SHUTDOWN);
        disk.remove(&path).map_err(|error| StorageError::io("remove", path, error))?;
        disk.sync_dir(&self.path).map_err(|error| StorageError::io("sync the directory", &self.path, error))
    }

    pub(super) fn note_clean_stop(&self, disk: &dyn Disk, broker_epoch: i64) -> Result<(), StorageError> {
        let path = self.path.join(CLEAN_SHUTDOWN);
        let content = format!("{{\"version\":0,\"brokerEpoch\":{broker_epoch}}}");
        let write = || {
            let file = disk.open(&path, OpenMode::Truncate)?;
            file.write_all_at(&mut [io::IoSlice::new(content.as_bytes())], 0)?;
            file.sync_data()?;
            disk.sync_dir(&self.path)
        };
        write().map_err(|error| StorageError::io("write", &path, error))
    }

    /// Whether there is a directory of that name.
    pub(super) fn has(&self, directory: &str) -> bool {
        self.known.lock().contains(directory)
    }

    /// The names of the partition directories that were there at the start.
    pub(super) fn names(&self) -> Vec<String> {
        self.known.lock().iter().cloned().collect()
    }

    /// How many partitions are here.
    pub(super) fn partition_count(&self) -> usize {
        self.placed.load(Ordering::Relaxed)
    }

    pub(super) fn add_partition(&self) {
        self.placed.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn forget(&self, directory: &str) {
        self.known.lock().remove(directory);
    }
}

impl<F: LogFormat> Shared<F> {
    /// Recovery point and log start of a partition, as they were read.
    pub(crate) fn checkpointed(&self, dir_index: usize, key: &(String, i32)) -> (Option<i64>, Option<i64>) {
        let checkpoints = self.dirs[dir_index].checkpoints.lock();
        (checkpoints.recovery_points.get(key).copied(), checkpoints.log_starts.get(key).copied())
    }

    /// Below which offset a partition is compacted.
    pub(crate) fn cleaned_upto(&self, dir_index: usize, key: &(String, i32)) -> Option<i64> {
        self.dirs[dir_index].checkpoints.lock().cleaned.get(key).copied()
    }

    /// Notes a recovery point durably. One that is noted already may not be: they are written without a sync otherwise.
    pub(crate) fn note_recovery_point(
        &self,
        dir_index: usize,
        key: (String, i32),
        point: i64,
    ) -> Result<(), StorageError> {
        let dir = &self.dirs[dir_index];
        let mut checkpoints = dir.checkpoints.lock();
        checkpoints.recovery_points.insert(key, point);
        Checkpoint::RecoveryPoint.write(&*self.disk, &dir.path, &checkpoints.recovery_points, true)
    }

    /// Notes below which offset a partition is compacted. Durably: a topic that is not compacted any more has gaps there that
    /// are in order.
    pub(crate) fn note_cleaned(
        &self,
        dir_index: usize,
        key: (String, i32),
        upto: i64,
    ) -> Result<(), StorageError> {
        let dir = &self.dirs[dir_index];
        let mut checkpoints = dir.checkpoints.lock();
        if checkpoints.cleaned.insert(key, upto) == Some(upto) {
            return Ok(());
        }
        Checkpoint::Cleaner.write(&*self.disk, &dir.path, &checkpoints.cleaned, true)
    }

    /// Forgets partitions, durably: their names may be given to others.
    pub(crate) fn forget_checkpoints(
        &self,
        dir_index: usize,
        keys: &[(String, i32)],
    ) -> Result<(), StorageError> {
        let dir = &self.dirs[dir_index];
        let mut checkpoints = dir.checkpoints.lock();
        let Checkpoints { recovery_points, high_watermarks, log_starts, cleaned } = &mut *checkpoints;
        let files = [
            (Checkpoint::Cleaner, cleaned),
            (Checkpoint::RecoveryPoint, recovery_points),
            (Checkpoint::LogStart, log_starts),
            (Checkpoint::Replication, high_watermarks),
        ];
        for (checkpoint, offsets) in files {
            let mut had = false;
            for key in keys {
                had |= offsets.remove(key).is_some();
            }
            if had {
                checkpoint.write(&*self.disk, &dir.path, offsets, true)?;
            }
        }
        Ok(())
    }

    /// Writes the checkpoints that have changed. Recovery points and high watermarks are written without a sync: an old
    /// one is as safe, and a damaged one counts as absent.
    pub(crate) fn write_checkpoints(&self) -> Result<(), StorageError> {
        let partitions = self.partitions();
        for (index, dir) in self.dirs.iter().enumerate() {
            let mut checkpoints = dir.checkpoints.lock();
            let (mut points_changed, mut highs_changed) = (false, false);
            for partition in partitions.iter().filter(|partition| partition.dir_index == index) {
                if partition.is_removed() {
                    continue;
                }
                if let Some(point) = partition.recovery_point() {
                    points_changed |=
                        checkpoints.recovery_points.insert(partition.key(), point) != Some(point);
                }
                if let Some((high, _)) = partition.bounds() {
                    highs_changed |= checkpoints.high_watermarks.insert(partition.key(), high) != Some(high);
                }
            }
            if points_changed {
                Checkpoint::RecoveryPoint.write(
                    &*self.disk,
                    &dir.path,
                    &checkpoints.recovery_points,
                    false,
                )?;
            }
            if highs_changed {
                Checkpoint::Replication.write(&*self.disk, &dir.path, &checkpoints.high_watermarks, false)?;
            }
            drop(checkpoints);
            self.write_log_starts(index)?;
        }
        Ok(())
    }

    /// Writes where logs start if that has changed, durably: a log must not go back to a start whose records are gone.
    pub(crate) fn write_log_starts(&self, dir_index: usize) -> Result<(), StorageError> {
        let dir = &self.dirs[dir_index];
        let partitions = self.partitions();
        let mut checkpoints = dir.checkpoints.lock();
        let mut changed = false;
        for partition in partitions.iter().filter(|partition| partition.dir_index == dir_index) {
            if partition.is_removed() {
                continue;
            }
            if let Some((_, start)) = partition.bounds() {
                changed |= match start {
                    0 => checkpoints.log_starts.remove(&partition.key()).is_some(),
                    start => checkpoints.log_starts.insert(partition.key(), start) != Some(start),
                };
            }
        }
        if changed {
            Checkpoint::LogStart.write(&*self.disk, &dir.path, &checkpoints.log_starts, true)?;
        }
        Ok(())
    }

    /// A name that Kafka takes for a directory that is out of use: `<directory>.<32 hex digits>-<suffix>`.
    pub(crate) fn side_name(&self, dir: &Path, suffix: &str) -> Result<PathBuf, StorageError> {
        let name = dir.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        for attempt in 0u64.. {
            let unique = format!("{:016x}{attempt:016x}", self.clock.now_ms());
            // A file name has 255 bytes at most.
            let kept: String = name.chars().take(255 - 34 - suffix.len()).collect();
            let side = dir.with_file_name(format!("{kept}.{unique}-{suffix}"));
            if !self.disk.exists(&side).map_err(|error| StorageError::io("find", &side, error))? {
                return Ok(side);
            }
        }
        Ok(dir.to_owned())
    }
}

/// Topic and partition of a directory name; `None` when it is not a partition's.
pub(super) fn partition_of(directory: &str) -> Option<(&str, i32)> {
    let (topic, partition) = directory.rsplit_once('-')?;
    let digits = !partition.is_empty() && partition.bytes().all(|byte| byte.is_ascii_digit());
    if topic.is_empty() || topic == METADATA_TOPIC || !digits {
        return None;
    }
    Some((topic, partition.parse().ok()?))
}

/// The metadata log lives beside the partitions, and is not one of ours.
const METADATA_TOPIC: &str = "__cluster_metadata";

const CLEAN_SHUTDOWN: &str = ".kafka_cleanshutdown";

//! Opening a partition's log when it is first needed, and bringing it back when it failed.

use std::sync::Arc;

use bytes::Bytes;
use headwater_codec::{LeaderEpoch, Offset};
use uuid::Uuid;

use super::{Partition, Repair, State};
use crate::{
    LogConfig, LogFormat, StorageError,
    log::{Log, LogOptions, Recovered},
    uuid_from_text, uuid_to_text,
};

/// What a partition is opened with.
#[derive(Clone, Debug)]
pub(crate) struct Opening {
    pub(crate) config: Arc<LogConfig>,
    pub(crate) leader_epoch: LeaderEpoch,
    /// Whether the store had been closed in order.
    pub(crate) clean: bool,
    /// Whether the directory is there.
    pub(crate) exists: bool,
}

impl<F: LogFormat> Partition<F> {
    /// The log, opened or restarted when that is due.
    pub(super) fn open_log<'s>(&self, state: &'s mut State<F>) -> Result<&'s mut Log<F>, StorageError> {
        if !Self::is_open(state) {
            self.try_open(state)?;
        }
        match state {
            State::Open(log) => Ok(log),
            State::Closed(closed) => Err(self.closed_error(*closed)),
            State::Offline { error, .. } => Err(self.offline(error)),
            State::Unopened(_) => Err(StorageError::Closed),
        }
    }

    fn offline(&self, error: &Arc<StorageError>) -> StorageError {
        StorageError::Offline { log: self.name.clone(), source: Arc::clone(error) }
    }

    fn try_open(&self, state: &mut State<F>) -> Result<(), StorageError> {
        let now_ms = self.now_ms();
        if matches!(state, State::Offline { retry_ms, .. } if *retry_ms > now_ms) {
            return Ok(());
        }
        let how = match std::mem::replace(state, State::Closed(super::Closed::Store)) {
            State::Unopened(opening) => Repair::Open(opening),
            State::Offline { how, .. } => how,
            other => {
                *state = other;
                return Ok(());
            }
        };
        let opened = match how {
            Repair::Open(opening) => {
                self.open(&opening, now_ms).map_err(|error| (error, Repair::Open(opening)))
            }
            Repair::Restart(mut log) => match log.restart_at_synced(now_ms) {
                Ok(()) => Ok(log),
                Err(error) => Err((error, Repair::Restart(log))),
            },
        };
        match opened {
            Ok(log) => {
                let _commit = self.commit.lock();
                let synced = log.synced();
                self.publish(&log, Some(if self.group_commit() { synced } else { log.view().end() }));
                self.recovery_point.fetch_max(synced.offset, std::sync::atomic::Ordering::AcqRel);
                *state = State::Open(log);
                Ok(())
            }
            Err((error, how)) => {
                tracing::error!(log = %self.name, %error, "the partition is offline");
                let error = Arc::new(error);
                let retry_ms = now_ms.saturating_add(RETRY_MS);
                *state = State::Offline { error: Arc::clone(&error), retry_ms, how };
                Err(self.offline(&error))
            }
        }
    }

    fn open(&self, opening: &Opening, now_ms: i64) -> Result<Log<F>, StorageError> {
        if opening.exists && !self.is_ours()? {
            self.set_aside()?;
        }
        let (recovery_point, log_start) = self.store.checkpointed(self.dir_index, &self.key());
        let options = LogOptions {
            name: self.name.clone(),
            config: Arc::clone(&opening.config),
            log_start: log_start.and_then(Offset::new),
            recovery_point: recovery_point.and_then(Offset::new),
            cleaned_upto: self.store.cleaned_upto(self.dir_index, &self.key()).and_then(Offset::new),
            clean: opening.clean,
            first_files: vec![(PARTITION_METADATA.into(), Bytes::from(partition_metadata(self.id.topic_id)))],
        };
        let (mut log, recovered) = Log::open(&self.store.disk, &self.dir, options, now_ms)?;
        if recovered != Recovered::default() {
            tracing::info!(
                log = %self.name, entries = recovered.entries_checked, bytes_cut = recovered.bytes_cut,
                log_end = %log.log_end(), "recovered the log"
            );
        }
        if let Err(error) = log.seal() {
            tracing::warn!(log = %self.name, %error, "rebuilt indexes are not written");
        }
        Ok(log)
    }

    /// Whether the directory belongs to this topic, and not to another that had its name.
    fn is_ours(&self) -> Result<bool, StorageError> {
        let path = self.dir.join(PARTITION_METADATA);
        match self.store.disk.read(&path) {
            Ok(bytes) => Ok(topic_id_of(&bytes) == Some(self.id.topic_id)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                // The file is durable before the first record is acknowledged: nothing here was.
                Ok(!self
                    .store
                    .disk
                    .exists(&self.dir)
                    .map_err(|error| StorageError::io("find", &self.dir, error))?)
            }
            Err(error) => Err(StorageError::io("read", path, error)),
        }
    }

    /// Moves a directory away that belongs to another topic, as Kafka does it. Nothing is deleted.
    fn set_aside(&self) -> Result<(), StorageError> {
        self.store.forget_checkpoints(self.dir_index, &[self.key()])?;
        let aside = self.store.side_name(&self.dir, "stray")?;
        tracing::warn!(from = %self.dir.display(), to = %aside.display(), "a directory of another topic is set aside");
        let disk = &self.store.disk;
        disk.rename(&self.dir, &aside).map_err(|error| StorageError::io("rename", &self.dir, error))?;
        let parent = &self.store.dirs[self.dir_index].path;
        disk.sync_dir(parent).map_err(|error| StorageError::io("sync the directory", parent, error))
    }

    /// Opens the log now. Blocks.
    pub(crate) fn open_now(&self) -> Result<(), StorageError> {
        self.with_log(|_| Ok(()))
    }

    /// Tries to bring an offline partition back when it is time.
    pub(crate) fn retry(&self) {
        let mut state = self.state.lock();
        if matches!(&*state, State::Offline { .. }) && self.open_log(&mut state).is_ok() {
            tracing::info!(log = %self.name, "the partition serves again");
        }
    }
}

/// The content of `partition.metadata`.
fn partition_metadata(topic_id: Uuid) -> String {
    format!("version: 0\ntopic_id: {}", uuid_to_text(topic_id))
}

/// The topic id in a `partition.metadata`.
pub(crate) fn topic_id_of(bytes: &[u8]) -> Option<Uuid> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut lines = text.lines();
    (lines.next()?.trim() == "version: 0").then_some(())?;
    uuid_from_text(lines.next()?.strip_prefix("topic_id:")?.trim())
}

const PARTITION_METADATA: &str = "partition.metadata";

/// How long an offline partition waits before it is tried again.
pub(super) const RETRY_MS: i64 = 10_000;

//! What is done to a partition besides appends and reads: settings, retention, closing, removing.

use std::sync::{Arc, atomic::Ordering};

use headwater_codec::{LeaderEpoch, Offset};

use super::{Closed, Partition, State};
use crate::{ActiveProducer, LogConfig, LogFormat, Pending, StorageError, log::Log, segment::Segment};

impl<F: LogFormat> Partition<F> {
    /// Takes over settings and epoch.
    pub(crate) fn configure(&self, config: &Arc<LogConfig>, leader_epoch: LeaderEpoch) {
        let before = self.leader_epoch.fetch_max(leader_epoch.get(), Ordering::AcqRel);
        let mut state = self.state.lock();
        self.config.store(Arc::clone(config));
        match &mut *state {
            State::Unopened(opening) => opening.config = Arc::clone(config),
            State::Open(log) => {
                log.set_config(Arc::clone(config));
                if before < leader_epoch.get() {
                    let _commit = self.commit.lock();
                    self.publish(log, None);
                }
            }
            State::Offline { .. } | State::Closed(_) => {}
        }
        if self.snapshot.load().is_none() {
            self.watermarks.send_modify(|watermarks| watermarks.leader_epoch = self.leader_epoch());
        }
    }

    /// Raises the log's start; whole segments below it are deleted.
    pub(crate) fn delete_records(&self, before: Option<Offset>) -> Pending<Result<Offset, StorageError>> {
        self.on_pool(move |partition| {
            let start = partition.with_log(|log| {
                let high = partition.high_watermark();
                log.raise_start(before.unwrap_or(high), high)?;
                partition.republish(log);
                Ok(log.log_start())
            })?;
            partition.delete_dead_segments()?;
            Ok(start)
        })
    }

    fn high_watermark(&self) -> Offset {
        self.bounds().map_or(Offset::ZERO, |(high, _)| Offset::ZERO.plus(high))
    }

    pub(super) fn republish(&self, log: &Log<F>) {
        let _commit = self.commit.lock();
        self.publish(log, None);
    }

    /// Deletes segments below the log's start. Where the log starts is durable before they go: after a power cut some of
    /// them may be back, and not the ones between.
    fn delete_dead_segments(&self) -> Result<(), StorageError> {
        if !self.with_log(|log| Ok(log.has_dead_segments()))? {
            return Ok(());
        }
        self.store.write_log_starts(self.dir_index)?;
        let _swapping = self.swapping.lock();
        let gone: Vec<Arc<Segment>> = self.with_log(|log| {
            let gone = log.detach_below_start(self.now_ms())?;
            let mut commit = self.commit.lock();
            self.publish(log, None);
            self.sync_if_needed(log, &mut commit);
            Ok(gone)
        })?;
        for segment in gone {
            segment.remove_files()?;
        }
        Ok(())
    }

    /// Deletes what the topic's retention no longer keeps, rolls what is old, lets go of files
    /// that nobody uses. A partition that was never opened is left alone unless it has a directory.
    pub(crate) fn housekeep(&self) -> Result<(), StorageError> {
        let now_ms = self.now_ms();
        if matches!(&*self.state.lock(), State::Unopened(opening) if !opening.exists) {
            return Ok(());
        }
        let raised = self.with_log(|log| {
            let high = self.high_watermark();
            let start = log.retained_start(high, now_ms)?;
            let raised = start > log.log_start();
            if raised {
                tracing::info!(log = %self.name, log_start = %start, "retention raises the log's start");
                log.raise_start(start, high)?;
                self.republish(log);
            }
            if log.roll_if_old(now_ms)? {
                let mut commit = self.commit.lock();
                self.publish(log, None);
                self.sync_if_needed(log, &mut commit);
            }
            for segment in log.view().segments.iter() {
                segment.let_go(now_ms.saturating_sub(IDLE_FILE_MS));
            }
            Ok(raised)
        })?;
        if raised { self.delete_dead_segments() } else { Ok(()) }
    }

    /// Forgets producers that last wrote before `before_ms`. A log that is not open remembers none.
    pub(crate) fn expire_producers(&self, before_ms: i64) {
        if let State::Open(log) = &mut *self.state.lock() {
            log.expire_producers(before_ms);
        }
    }

    /// Brings index files up to date if something was appended, so that a restart has less to go through.
    pub(crate) fn write_indexes(&self) -> Result<(), StorageError> {
        if !self.touched.swap(false, Ordering::Relaxed) {
            return Ok(());
        }
        let Some(snapshot) = self.snapshot.load_full() else { return Ok(()) };
        if let Some(active) = snapshot.log.segments.last().filter(|active| active.indexes_are_dirty()) {
            active.write_indexes(false)?;
        }
        self.write_due_snapshot()
    }

    /// Writes a producer snapshot if one is due. The log is held meanwhile: were it cut back between, the snapshot would
    /// tell of what is gone.
    fn write_due_snapshot(&self) -> Result<(), StorageError> {
        let state = &mut *self.state.lock();
        let State::Open(log) = state else { return Ok(()) };
        let Some((name, content)) = log.take_due_snapshot() else { return Ok(()) };
        let path = self.dir.join(name);
        let disk = &self.store.disk;
        disk.replace(&path, &content, false).map_err(|error| StorageError::io("write", &path, error))?;
        for name in log.stray_snapshots()? {
            let path = self.dir.join(name);
            disk.remove(&path).map_err(|error| StorageError::io("remove", &path, error))?;
        }
        Ok(())
    }

    /// The producers that are remembered.
    pub(crate) fn active_producers(&self) -> Result<Vec<ActiveProducer>, StorageError> {
        self.with_log(|log| Ok(log.active_producers()))
    }

    /// Bytes of the log, and whether it serves.
    pub(crate) fn usage(&self) -> (u64, bool) {
        if matches!(&*self.state.lock(), State::Unopened(opening) if !opening.exists) {
            return (0, true);
        }
        match self.with_log(|log| Ok(log.size_bytes())) {
            Ok(bytes) => (bytes, true),
            Err(_) => (0, false),
        }
    }

    /// Takes nothing more, makes everything durable, and lets go of the log. Whether it is known to be sound; one that was
    /// offline is not, and has told why when it went.
    pub(crate) fn close(&self) -> Result<bool, StorageError> {
        self.close_queue(Closed::Store);
        let mut state = self.state.lock();
        let result = match std::mem::replace(&mut *state, State::Closed(Closed::Store)) {
            State::Open(mut log) => {
                let closed = log.close(self.now_ms());
                if closed.is_ok() {
                    self.committed(&log, log.synced());
                } else {
                    self.publish_closed(&log);
                }
                closed.map(|()| true)
            }
            State::Offline { .. } => Ok(false),
            State::Unopened(_) | State::Closed(_) => Ok(true),
        };
        drop(state);
        self.abandon(&result.clone().err().unwrap_or(StorageError::Closed));
        result
    }

    fn publish_closed(&self, log: &Log<F>) {
        let _commit = self.commit.lock();
        self.publish(log, Some(log.synced()));
    }

    /// Takes nothing more; what waits is refused.
    pub(crate) fn remove(&self) {
        self.close_queue(Closed::Removed);
        *self.state.lock() = State::Closed(Closed::Removed);
        // The directory's name may be given again, and must not meet what is left of a cleaning.
        self.await_cleaner();
        self.abandon(&StorageError::UnknownPartition { partition: self.id });
    }

    /// Whether the topic was removed.
    pub(crate) fn is_removed(&self) -> bool {
        self.is_closed(Closed::Removed)
    }
}

/// How long an unused file of a closed segment stays open.
const IDLE_FILE_MS: i64 = 60_000;

//! Reads: inline when everything they need is in memory, on the I/O pool otherwise.

use std::sync::Arc;

use headwater_codec::LeaderEpoch;
use tokio::sync::{oneshot, watch};

use super::{Partition, Snapshot};
use crate::{
    EpochEnd, Isolation, LogFormat, LogPlace, Pending, ReadOutcome, ReadRequest, StorageError,
    TimestampOffset, TimestampTarget, Watermarks, log::Range, scan::Wait, segment::ScanFailure,
};

impl<F: LogFormat> Partition<F> {
    /// Reads whole batches.
    pub(crate) fn read(&self, request: ReadRequest) -> Pending<Result<ReadOutcome, StorageError>> {
        if let Some(snapshot) = &*self.snapshot.load() {
            match self.read_snapshot(snapshot, request, Wait::Never) {
                Ok(outcome) => return Pending::ready(Ok(outcome)),
                Err(ScanFailure::Storage(error)) if !is_gone(&error) => return Pending::ready(Err(error)),
                Err(_) => {}
            }
        }
        self.on_pool(move |partition| {
            partition.open_now()?;
            let mut outcome = Err(StorageError::Closed);
            // A segment may be deleted between the snapshot and its first use; a newer snapshot is without it.
            for _ in 0..2 {
                let Some(snapshot) = partition.snapshot.load_full() else { return Err(StorageError::Closed) };
                outcome = partition
                    .read_snapshot(&snapshot, request, Wait::ForDisk)
                    .map_err(ScanFailure::into_error);
                match &outcome {
                    Err(error) if is_gone(error) => {}
                    _ => return outcome,
                }
            }
            outcome
        })
    }

    fn read_snapshot(
        &self,
        snapshot: &Snapshot,
        request: ReadRequest,
        wait: Wait,
    ) -> Result<ReadOutcome, ScanFailure> {
        let range = Range {
            from: request.from.get(),
            bytes_max: request.bytes_max,
            at_least_one: request.at_least_one_batch,
            upto: upto::<F>(snapshot, request.isolation, wait)?,
        };
        let slices = snapshot.log.read::<F>(range, wait)?;
        if !slices.is_empty() {
            snapshot.log.touch(range.from, self.now_ms());
        }
        Ok(ReadOutcome { slices, watermarks: self.watermarks_of(snapshot), aborted: Vec::new() })
    }

    /// The offsets, to wait on. Opens the log if it was not.
    pub(crate) fn watermarks(&self) -> Result<watch::Receiver<Watermarks>, StorageError> {
        if self.snapshot.load().is_none() {
            self.open_now()?;
        }
        Ok(self.watermarks.subscribe())
    }

    /// Finds a record by time.
    pub(crate) fn find_timestamp(
        &self,
        target: TimestampTarget,
        isolation: Isolation,
    ) -> Pending<Result<Option<TimestampOffset>, StorageError>> {
        self.on_pool(move |partition| {
            partition.open_now()?;
            let Some(snapshot) = partition.snapshot.load_full() else { return Err(StorageError::Closed) };
            let upto = upto::<F>(&snapshot, isolation, Wait::ForDisk).map_err(ScanFailure::into_error)?;
            snapshot.log.find_timestamp::<F>(target, upto)
        })
    }

    /// The end of the largest epoch at or below `epoch`.
    pub(crate) fn epoch_end(&self, epoch: LeaderEpoch) -> Result<Option<EpochEnd>, StorageError> {
        let current = self.leader_epoch();
        self.with_log(|log| Ok(log.epoch_end(epoch, current)))
    }

    /// Does something that blocks on the I/O pool.
    pub(super) fn on_pool<T: Send + 'static>(
        &self,
        act: impl FnOnce(&Arc<Self>) -> Result<T, StorageError> + Send + 'static,
    ) -> Pending<Result<T, StorageError>> {
        let Some(partition) = self.shared() else { return Pending::ready(Err(StorageError::Closed)) };
        let (reply, answer) = oneshot::channel();
        let store = Arc::clone(&self.store);
        store.io.submit(move || {
            let _ = reply.send(act(&partition));
        });
        Pending::waiting(async move { answer.await.unwrap_or(Err(StorageError::Closed)) })
    }
}

/// How far a reader sees.
fn upto<F: LogFormat>(
    snapshot: &Snapshot,
    isolation: Isolation,
    wait: Wait,
) -> Result<LogPlace, ScanFailure> {
    match isolation {
        Isolation::LogEnd => Ok(snapshot.log.end()),
        Isolation::ReadUncommitted => Ok(snapshot.high),
        Isolation::ReadCommitted => match snapshot.unstable {
            Some(offset) if offset < snapshot.high.offset => snapshot.log.place_of::<F>(offset, wait),
            _ => Ok(snapshot.high),
        },
    }
}

/// Whether a file was not there.
fn is_gone(error: &StorageError) -> bool {
    matches!(error, StorageError::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound)
}

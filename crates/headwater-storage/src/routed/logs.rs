//! Records of both engines: what is asked of a partition goes where its topic is.

use std::sync::Arc;

use headwater_codec::{LeaderEpoch, Offset, TopicIdPartition};
use headwater_records::ValidatedBatch;
use tokio::sync::watch;
use uuid::Uuid;

use super::NativeEngine;
use crate::{
    ActiveProducer, AppendDurability, Appended, Capabilities, CleanerStats, EpochEnd, Fence, Isolation,
    LocalLogStore, LogDirUsage, LogStore, Pending, ReadOutcome, ReadRequest, RecordFormat, StorageError,
    SyncStats, TimestampOffset, TimestampTarget, TopicLog, Watermarks,
};

/// A [`LogStore`] over both engines.
#[derive(Debug)]
pub struct RoutedLogStore {
    kafka: LocalLogStore,
    native: Arc<NativeEngine>,
}

impl RoutedLogStore {
    /// Puts the engines together.
    pub const fn new(kafka: LocalLogStore, native: Arc<NativeEngine>) -> Self {
        Self { kafka, native }
    }

    /// Sets directories aside that belong to no topic; to be called when every topic was put. With `native` those of
    /// native topics as well. Gives how many there were. Blocks.
    ///
    /// # Errors
    /// [`StorageError::Io`].
    pub fn set_strays_aside(&self, native: bool) -> Result<usize, StorageError> {
        let count = self.kafka.set_strays_aside()?;
        match self.native.opened().filter(|_| native) {
            Some(stores) => Ok(count + stores.logs.set_strays_aside()?),
            None => Ok(count),
        }
    }

    /// How often and how long both engines synced so far.
    pub fn sync_stats(&self) -> SyncStats {
        let mut stats = self.kafka.sync_stats();
        if let Some(stores) = self.native.opened() {
            let native = stores.logs.sync_stats();
            stats.count += native.count;
            stats.time += native.time;
        }
        stats
    }

    /// What compaction did so far in both engines; of the time that the last one took, the longer.
    pub fn cleaner_stats(&self) -> CleanerStats {
        let mut stats = self.kafka.cleaner_stats();
        if let Some(stores) = self.native.opened() {
            let native = stores.logs.cleaner_stats();
            stats.runs += native.runs;
            stats.failures += native.failures;
            stats.bytes_read += native.bytes_read;
            stats.bytes_written += native.bytes_written;
            stats.last_time = stats.last_time.max(native.last_time);
        }
        stats
    }

    /// The engine that has the topic.
    fn engine_of(&self, topic_id: Uuid) -> &dyn LogStore {
        match self.native.opened() {
            Some(stores) if stores.logs.has_topic(topic_id) => &stores.logs,
            _ => &self.kafka,
        }
    }
}

impl LogStore for RoutedLogStore {
    fn capabilities(&self) -> Capabilities {
        self.kafka.capabilities()
    }

    fn put_topic(&self, topic: TopicLog) -> Pending<Result<(), StorageError>> {
        match (topic.config.record_format, self.native.opened()) {
            (RecordFormat::Kafka, _) => self.kafka.put_topic(topic),
            (RecordFormat::Native, Some(stores)) => stores.logs.put_topic(topic),
            // The topic's metadata is in an engine that is open.
            (RecordFormat::Native, None) => Pending::ready(Err(StorageError::Closed)),
        }
    }

    fn remove_topic(&self, topic_id: Uuid) -> Pending<Result<(), StorageError>> {
        self.engine_of(topic_id).remove_topic(topic_id)
    }

    fn append(
        &self,
        partition: TopicIdPartition,
        batch: ValidatedBatch,
        durability: AppendDurability,
        fence: Fence,
    ) -> Pending<Result<Appended, StorageError>> {
        self.engine_of(partition.topic_id).append(partition, batch, durability, fence)
    }

    fn read(
        &self,
        partition: TopicIdPartition,
        request: ReadRequest,
    ) -> Pending<Result<ReadOutcome, StorageError>> {
        self.engine_of(partition.topic_id).read(partition, request)
    }

    fn watermarks(&self, partition: TopicIdPartition) -> Result<watch::Receiver<Watermarks>, StorageError> {
        self.engine_of(partition.topic_id).watermarks(partition)
    }

    fn find_timestamp(
        &self,
        partition: TopicIdPartition,
        target: TimestampTarget,
        isolation: Isolation,
    ) -> Pending<Result<Option<TimestampOffset>, StorageError>> {
        self.engine_of(partition.topic_id).find_timestamp(partition, target, isolation)
    }

    fn epoch_end(
        &self,
        partition: TopicIdPartition,
        leader_epoch: LeaderEpoch,
    ) -> Result<Option<EpochEnd>, StorageError> {
        self.engine_of(partition.topic_id).epoch_end(partition, leader_epoch)
    }

    fn delete_records(
        &self,
        partition: TopicIdPartition,
        before: Option<Offset>,
    ) -> Pending<Result<Offset, StorageError>> {
        self.engine_of(partition.topic_id).delete_records(partition, before)
    }

    fn active_producers(&self, partition: TopicIdPartition) -> Result<Vec<ActiveProducer>, StorageError> {
        self.engine_of(partition.topic_id).active_producers(partition)
    }

    fn log_dirs(&self) -> Pending<Vec<LogDirUsage>> {
        let kafka = self.kafka.log_dirs();
        let Some(stores) = self.native.opened() else { return kafka };
        let native = stores.logs.log_dirs();
        Pending::waiting(async move {
            let mut dirs = kafka.await;
            dirs.extend(native.await);
            dirs
        })
    }

    fn close(&self) -> Pending<Result<(), StorageError>> {
        self.native.stay_closed();
        let kafka = self.kafka.close();
        let native = self.native.opened().map(|stores| stores.logs.close());
        Pending::waiting(async move {
            let kafka = kafka.await;
            let native = match native {
                Some(native) => native.await,
                None => Ok(()),
            };
            kafka.and(native)
        })
    }
}

//! Records in Iggy, and those of topics that are not Iggy's in the local store.

use std::sync::Arc;

use headwater_codec::{LeaderEpoch, Offset, TopicIdPartition};
use headwater_records::ValidatedBatch;
use headwater_storage::{
    ActiveProducer, AppendDurability, Appended, Capabilities, EpochEnd, Fence, Isolation, LogDirUsage,
    LogStore, Pending, ReadOutcome, ReadRequest, StorageError, TimestampOffset, TimestampTarget, TopicLog,
    UnpackLimits, Watermarks,
};
use tokio::sync::{oneshot, watch};
use uuid::Uuid;

use super::{
    STORE, Shared,
    directory::ServedTopic,
    find,
    partition::{Job, Partition},
    read, sender,
};

/// A [`LogStore`] over Iggy.
pub struct IggyLogStore {
    shared: Arc<Shared>,
}

/// A partition with its topic.
type Found = (Arc<ServedTopic>, Arc<Partition>);

impl IggyLogStore {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    /// The topic if it is Iggy's.
    fn topic(&self, id: Uuid) -> Option<Arc<ServedTopic>> {
        self.shared.directory.topic(id)
    }

    fn partition(&self, id: TopicIdPartition) -> Option<Result<Found, StorageError>> {
        let topic = self.topic(id.topic_id)?;
        Some(topic.partition(id).map(|partition| (topic, partition)))
    }
}

impl std::fmt::Debug for IggyLogStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "IggyLogStore({:?})", self.shared.options.server)
    }
}

impl LogStore for IggyLogStore {
    fn capabilities(&self) -> Capabilities {
        let batch_bytes_max = self.shared.options.limits.bytes_max;
        Capabilities {
            delete_records: false,
            idempotence: false,
            transactions: false,
            topic_configs: false,
            create_partitions: true,
            unpack: Some(UnpackLimits {
                batch_bytes_max,
                request_bytes_max: batch_bytes_max.saturating_mul(REQUEST_BATCHES),
            }),
        }
    }

    fn put_topic(&self, topic: TopicLog) -> Pending<Result<(), StorageError>> {
        // Iggy's are there before anybody learns of them.
        if self.topic(topic.topic_id).is_some() {
            return Pending::ready(Ok(()));
        }
        if self.shared.local_metadata.image().topic_by_id(topic.topic_id).is_none() {
            return Pending::ready(Ok(()));
        }
        self.shared.local_logs.put_topic(topic)
    }

    fn remove_topic(&self, topic_id: Uuid) -> Pending<Result<(), StorageError>> {
        if self.topic(topic_id).is_some() {
            self.shared.directory.remove(topic_id);
            return Pending::ready(Ok(()));
        }
        self.shared.local_logs.remove_topic(topic_id)
    }

    fn append(
        &self,
        partition: TopicIdPartition,
        batch: ValidatedBatch,
        durability: AppendDurability,
        fence: Fence,
    ) -> Pending<Result<Appended, StorageError>> {
        let (topic, partition) = match self.partition(partition) {
            None => return self.shared.local_logs.append(partition, batch, durability, fence),
            Some(Err(error)) => return Pending::ready(Err(error)),
            Some(Ok(found)) => found,
        };
        let (answer, answered) = oneshot::channel();
        let (shared, sent_to) = (self.shared.clone(), partition.clone());
        partition.enqueue(Job { batch, answer }, |queue| {
            drop(tokio::spawn(sender::run(shared, topic, sent_to, queue)));
        });
        Pending::waiting(async move { answered.await.unwrap_or(Err(StorageError::Closed)) })
    }

    fn read(
        &self,
        partition: TopicIdPartition,
        request: ReadRequest,
    ) -> Pending<Result<ReadOutcome, StorageError>> {
        match self.partition(partition) {
            None => self.shared.local_logs.read(partition, request),
            Some(Err(error)) => Pending::ready(Err(error)),
            Some(Ok((topic, partition))) => {
                let shared = self.shared.clone();
                Pending::waiting(async move { read::read(&shared, &topic, &partition, request).await })
            }
        }
    }

    fn watermarks(&self, partition: TopicIdPartition) -> Result<watch::Receiver<Watermarks>, StorageError> {
        match self.partition(partition) {
            None => self.shared.local_logs.watermarks(partition),
            Some(found) => found.map(|(_, partition)| partition.subscribe()),
        }
    }

    fn find_timestamp(
        &self,
        partition: TopicIdPartition,
        target: TimestampTarget,
        isolation: Isolation,
    ) -> Pending<Result<Option<TimestampOffset>, StorageError>> {
        match self.partition(partition) {
            None => self.shared.local_logs.find_timestamp(partition, target, isolation),
            Some(Err(error)) => Pending::ready(Err(error)),
            Some(Ok((topic, partition))) => {
                let shared = self.shared.clone();
                Pending::waiting(async move { find::find(&shared, &topic, &partition, target).await })
            }
        }
    }

    fn epoch_end(
        &self,
        partition: TopicIdPartition,
        leader_epoch: LeaderEpoch,
    ) -> Result<Option<EpochEnd>, StorageError> {
        match self.partition(partition) {
            None => self.shared.local_logs.epoch_end(partition, leader_epoch),
            Some(found) => found.map(|(_, partition)| {
                let end = EpochEnd { leader_epoch: LeaderEpoch::new(0), end_offset: partition.now().log_end };
                (leader_epoch.get() >= 0).then_some(end)
            }),
        }
    }

    fn delete_records(
        &self,
        partition: TopicIdPartition,
        before: Option<Offset>,
    ) -> Pending<Result<Offset, StorageError>> {
        match self.partition(partition) {
            None => self.shared.local_logs.delete_records(partition, before),
            Some(_) => {
                let what = "remove records below an offset";
                Pending::ready(Err(StorageError::Unsupported { store: STORE, what }))
            }
        }
    }

    fn active_producers(&self, partition: TopicIdPartition) -> Result<Vec<ActiveProducer>, StorageError> {
        match self.partition(partition) {
            None => self.shared.local_logs.active_producers(partition),
            Some(found) => found.map(|_| Vec::new()),
        }
    }

    fn log_dirs(&self) -> Pending<Vec<LogDirUsage>> {
        self.shared.local_logs.log_dirs()
    }

    fn close(&self) -> Pending<Result<(), StorageError>> {
        for topic in self.shared.directory.all() {
            topic.close();
        }
        self.shared.stop();
        self.shared.local_logs.close()
    }
}

/// How many batches of the largest size one request may unpack to.
const REQUEST_BATCHES: usize = 8;

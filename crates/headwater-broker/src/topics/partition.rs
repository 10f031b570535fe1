//! One partition: the facade over the log store that handlers use.

use std::sync::Arc;

use headwater_codec::{ErrorCode, LeaderEpoch, Offset, PartitionIndex, TopicIdPartition};
use headwater_records::ValidatedBatch;
use headwater_storage::{
    AppendDurability, Appended, EpochEnd, Fence, Isolation, Pending, ReadOutcome, ReadRequest, StorageError,
    TimestampOffset, TimestampTarget, Watermarks,
};
use tokio::sync::watch;

use super::topic::Topic;

/// One partition, led by this node. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Partition {
    topic: Arc<Topic>,
    index: PartitionIndex,
    leader_epoch: LeaderEpoch,
}

impl Partition {
    pub(super) fn new(topic: Arc<Topic>, index: PartitionIndex, leader_epoch: LeaderEpoch) -> Self {
        Self { topic, index, leader_epoch }
    }

    /// The topic that it belongs to.
    pub(crate) fn topic(&self) -> &Arc<Topic> {
        &self.topic
    }

    /// Its index in the topic.
    pub(crate) fn index(&self) -> PartitionIndex {
        self.index
    }

    /// Topic id and index.
    pub(crate) fn id(&self) -> TopicIdPartition {
        TopicIdPartition::new(self.topic.id(), self.index)
    }

    /// The current leader epoch.
    pub(crate) fn leader_epoch(&self) -> LeaderEpoch {
        self.leader_epoch
    }

    /// Compares the epoch that a client knows with the current one; -1 is not compared (KIP-320).
    ///
    /// # Errors
    /// `FENCED_LEADER_EPOCH` when the client is behind, `UNKNOWN_LEADER_EPOCH` when it is ahead.
    pub(crate) fn check_leader_epoch(&self, known_to_client: i32) -> Result<(), ErrorCode> {
        match known_to_client {
            -1 => Ok(()),
            epoch if epoch < self.leader_epoch.get() => Err(ErrorCode::FencedLeaderEpoch),
            epoch if epoch > self.leader_epoch.get() => Err(ErrorCode::UnknownLeaderEpoch),
            _ => Ok(()),
        }
    }

    /// Appends one batch. It has its place in the partition's order when this returns.
    pub(crate) fn append(
        &self,
        batch: ValidatedBatch,
        durability: AppendDurability,
    ) -> Pending<Result<Appended, StorageError>> {
        self.topic.logs().append(self.id(), batch, durability, Fence::default())
    }

    /// Reads whole batches.
    pub(crate) fn read(&self, request: ReadRequest) -> Pending<Result<ReadOutcome, StorageError>> {
        self.topic.logs().read(self.id(), request)
    }

    /// The partition's offsets now.
    ///
    /// # Errors
    /// When the log cannot be opened.
    pub(crate) fn watermarks(&self) -> Result<Watermarks, StorageError> {
        self.topic.watermarks(self.index).map(|receiver| *receiver.borrow())
    }

    /// The partition's offsets, to wait on.
    ///
    /// # Errors
    /// When the log cannot be opened.
    pub(crate) fn watch(&self) -> Result<watch::Receiver<Watermarks>, StorageError> {
        self.topic.watermarks(self.index).cloned()
    }

    /// Finds a record by time among those that a reader may see.
    pub(crate) fn find_timestamp(
        &self,
        target: TimestampTarget,
        isolation: Isolation,
    ) -> Pending<Result<Option<TimestampOffset>, StorageError>> {
        self.topic.logs().find_timestamp(self.id(), target, isolation)
    }

    /// The end of the largest epoch at or below that one.
    ///
    /// # Errors
    /// When the log cannot be opened.
    pub(crate) fn epoch_end(&self, leader_epoch: LeaderEpoch) -> Result<Option<EpochEnd>, StorageError> {
        self.topic.logs().epoch_end(self.id(), leader_epoch)
    }

    /// Raises the log start; `None` means to the high watermark. Gives the log start that holds then.
    pub(crate) fn delete_records(&self, before: Option<Offset>) -> Pending<Result<Offset, StorageError>> {
        self.topic.logs().delete_records(self.id(), before)
    }
}

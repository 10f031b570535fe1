//! One topic.

use std::sync::{Arc, OnceLock};

use headwater_codec::{LeaderEpoch, PartitionIndex, TopicIdPartition, TopicName, Uuid};
use headwater_storage::{LogConfig, LogStore, StorageError, Watermarks};
use tokio::sync::watch;

use super::{is_internal, partition::Partition};

/// One topic as it is served; immutable. A change of the topic makes a new one.
pub(crate) struct Topic {
    known: Arc<headwater_storage::Topic>,
    log_config: Arc<LogConfig>,
    logs: Arc<dyn LogStore>,
    internal: bool,
    /// The watermarks of each partition, looked up once.
    watermarks: Vec<OnceLock<watch::Receiver<Watermarks>>>,
}

impl Topic {
    pub(super) fn new(
        known: Arc<headwater_storage::Topic>,
        log_config: Arc<LogConfig>,
        logs: Arc<dyn LogStore>,
    ) -> Self {
        let internal = is_internal(&known.name);
        let watermarks = known.partitions.iter().map(|_| OnceLock::new()).collect();
        Self { known, log_config, logs, internal, watermarks }
    }

    /// The topic's id.
    pub(crate) fn id(&self) -> Uuid {
        self.known.id
    }

    /// The topic's name.
    pub(crate) fn name(&self) -> &TopicName {
        &self.known.name
    }

    /// The topic as the metadata knows it: partitions, epochs, configs that were set.
    pub(crate) fn known(&self) -> &Arc<headwater_storage::Topic> {
        &self.known
    }

    /// The settings that hold for its logs, inherited ones included.
    pub(crate) fn log_config(&self) -> &Arc<LogConfig> {
        &self.log_config
    }

    /// Whether it belongs to the broker itself.
    pub(crate) fn is_internal(&self) -> bool {
        self.internal
    }

    /// How many partitions it has.
    pub(crate) fn partition_count(&self) -> i32 {
        self.known.partition_count()
    }

    /// The partition with that index.
    pub(crate) fn partition(self: &Arc<Self>, index: PartitionIndex) -> Option<Partition> {
        self.known.partition(index).map(|known| Partition::new(self.clone(), index, known.leader_epoch))
    }

    /// Every partition, in order.
    pub(crate) fn partitions(self: &Arc<Self>) -> impl Iterator<Item = Partition> {
        (0..self.partition_count()).filter_map(|index| self.partition(PartitionIndex::new(index)))
    }

    pub(super) fn logs(&self) -> &Arc<dyn LogStore> {
        &self.logs
    }

    /// The partition's watermarks, to look at and to wait on.
    pub(super) fn watermarks(
        &self,
        index: PartitionIndex,
    ) -> Result<&watch::Receiver<Watermarks>, StorageError> {
        let partition = TopicIdPartition::new(self.id(), index);
        let cell = usize::try_from(index.get()).ok().and_then(|index| self.watermarks.get(index));
        let cell = cell.ok_or(StorageError::UnknownPartition { partition })?;
        if let Some(receiver) = cell.get() {
            return Ok(receiver);
        }
        let receiver = self.logs.watermarks(partition)?;
        Ok(cell.get_or_init(|| receiver))
    }

    /// The leader epoch of a partition, [`LeaderEpoch::NONE`] when there is no such partition.
    pub(crate) fn leader_epoch(&self, index: PartitionIndex) -> LeaderEpoch {
        self.known.partition(index).map_or(LeaderEpoch::NONE, |partition| partition.leader_epoch)
    }
}

//! A topic as the metadata knows it.

use std::{collections::BTreeMap, sync::Arc};

use headwater_codec::{
    BrokerId, LeaderEpoch, PartitionIndex, TopicName,
    records::{PartitionChangeRecord, PartitionRecord},
};
use uuid::Uuid;

/// "In no directory yet" in a partition's records: the broker assigns it (KIP-858).
pub(crate) const UNASSIGNED_DIRECTORY: Uuid = Uuid::from_u128(1);
/// "No leader" in a partition's records.
const NO_LEADER: i32 = -1;
/// "The leader stays" in a change of a partition.
const LEADER_UNCHANGED: i32 = -2;
/// "The recovery state stays" in a change of a partition.
const RECOVERY_UNCHANGED: i8 = -1;

/// A topic; immutable.
#[derive(Clone, Debug, PartialEq)]
pub struct Topic {
    /// The topic's id, unique for ever.
    pub id: Uuid,
    /// The topic's name.
    pub name: TopicName,
    /// The topic's partitions, by index.
    pub partitions: Vec<PartitionImage>,
    /// The configs that were set for it, by Kafka's names.
    pub configs: Arc<BTreeMap<String, String>>,
}

impl Topic {
    /// How many partitions it has.
    pub fn partition_count(&self) -> i32 {
        i32::try_from(self.partitions.len()).unwrap_or(i32::MAX)
    }

    /// The partition with that index.
    pub fn partition(&self, index: PartitionIndex) -> Option<&PartitionImage> {
        self.partitions.get(usize::try_from(index.get()).ok()?)
    }
}

/// A partition; immutable.
#[derive(Clone, Debug, PartialEq)]
pub struct PartitionImage {
    /// How many times the leader has changed; raised at each start, never lower than before.
    pub leader_epoch: LeaderEpoch,
    /// How many times anything about the partition has changed.
    pub partition_epoch: i32,
    /// The leader, this node while it serves; `None` from a clean stop to the next start.
    pub leader: Option<BrokerId>,
    /// The directory it lies in, or one of the reserved ids 0 to 99 (KIP-858) when it was not assigned to one yet.
    pub directory: Uuid,
    /// What a Kafka wrote about it, when there is more to it than one replica on this node in sync.
    unusual: Option<Box<PartitionRecord>>,
}

impl PartitionImage {
    /// A partition that another store keeps and `leader` serves; its leader epoch stays 0.
    pub fn kept_elsewhere(leader: BrokerId) -> Self {
        Self::new(leader, 0, UNASSIGNED_DIRECTORY)
    }

    /// The partition of a new topic, led by `node`.
    pub(crate) fn new(leader: BrokerId, leader_epoch: i32, directory: Uuid) -> Self {
        Self {
            leader_epoch: LeaderEpoch::new(leader_epoch),
            partition_epoch: 0,
            leader: Some(leader),
            directory,
            unusual: None,
        }
    }

    /// Reads a partition that lies on `node`.
    pub(crate) fn from_record(record: PartitionRecord, node: BrokerId) -> Self {
        let place = record.replicas.iter().position(|replica| *replica == node);
        let directory = place.and_then(|place| record.directories.get(place)).copied().unwrap_or_default();
        let mut image = Self {
            leader_epoch: LeaderEpoch::new(record.leader_epoch),
            partition_epoch: record.partition_epoch,
            leader: (record.leader.get() != NO_LEADER).then_some(record.leader),
            directory,
            unusual: None,
        };
        // Directories are absent in records of older levels; nothing else may be different.
        let usual = PartitionRecord {
            directories: record.directories.clone(),
            ..image.to_record(record.topic_id, record.partition_id, node)
        };
        if record != usual || record.directories.len() > 1 {
            image.unusual = Some(Box::new(record));
        }
        image
    }

    /// The record that says all there is about this partition, as the newest record version has it.
    pub(crate) fn to_record(&self, topic_id: Uuid, index: i32, node: BrokerId) -> PartitionRecord {
        match &self.unusual {
            Some(record) => PartitionRecord::clone(record),
            None => PartitionRecord {
                partition_id: index,
                topic_id,
                replicas: vec![node],
                isr: vec![node],
                leader: self.leader.unwrap_or(BrokerId::NONE),
                leader_epoch: self.leader_epoch.get(),
                partition_epoch: self.partition_epoch,
                directories: vec![self.directory],
                ..PartitionRecord::default()
            },
        }
    }

    /// Applies a change. A record that names a leader raises the leader epoch, every record the partition epoch.
    pub(crate) fn change(&self, change: &PartitionChangeRecord, node: BrokerId) -> Self {
        let mut record = self.to_record(change.topic_id, change.partition_id, node);
        if let Some(isr) = &change.isr {
            record.isr.clone_from(isr);
        }
        if let Some(replicas) = &change.replicas {
            record.replicas.clone_from(replicas);
        }
        if let Some(replicas) = &change.removing_replicas {
            record.removing_replicas.clone_from(replicas);
        }
        if let Some(replicas) = &change.adding_replicas {
            record.adding_replicas.clone_from(replicas);
        }
        if let Some(directories) = &change.directories {
            record.directories.clone_from(directories);
        }
        if change.eligible_leader_replicas.is_some() {
            record.eligible_leader_replicas.clone_from(&change.eligible_leader_replicas);
        }
        if change.last_known_elr.is_some() {
            record.last_known_elr.clone_from(&change.last_known_elr);
        }
        if change.leader_recovery_state != RECOVERY_UNCHANGED {
            record.leader_recovery_state = change.leader_recovery_state;
        }
        if change.leader.get() != LEADER_UNCHANGED {
            record.leader = change.leader;
            record.leader_epoch = record.leader_epoch.wrapping_add(1);
        }
        record.partition_epoch = record.partition_epoch.wrapping_add(1);
        Self::from_record(record, node)
    }

    /// Forgets which replicas out of sync may lead (KIP-966).
    pub(crate) fn clear_eligible_leaders(&mut self, node: BrokerId) {
        if let Some(record) = self.unusual.take() {
            let cleared = PartitionRecord { eligible_leader_replicas: None, last_known_elr: None, ..*record };
            *self = Self::from_record(cleared, node);
        }
    }

    /// Whether `node` holds a replica.
    pub(crate) fn lies_on(&self, node: BrokerId) -> bool {
        self.unusual.as_ref().is_none_or(|record| record.replicas.contains(&node))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODE: BrokerId = BrokerId::new(1);
    const TOPIC: Uuid = Uuid::from_u128(77);

    fn change() -> PartitionChangeRecord {
        PartitionChangeRecord { topic_id: TOPIC, partition_id: 3, ..PartitionChangeRecord::default() }
    }

    #[test]
    fn change_of_the_leader_raises_both_epochs() {
        let partition = PartitionImage::new(NODE, 4, Uuid::from_u128(9));
        let down = partition.change(&PartitionChangeRecord { leader: BrokerId::NONE, ..change() }, NODE);
        assert_eq!((down.leader, down.leader_epoch.get(), down.partition_epoch), (None, 5, 1));
        let up = down.change(&PartitionChangeRecord { leader: NODE, ..change() }, NODE);
        assert_eq!((up.leader, up.leader_epoch.get(), up.partition_epoch), (Some(NODE), 6, 2));
        assert_eq!(up.unusual, None);
    }

    #[test]
    fn change_without_a_leader_keeps_the_leader_epoch() {
        let partition = PartitionImage::new(NODE, 4, Uuid::default());
        let moved = PartitionChangeRecord { directories: Some(vec![Uuid::from_u128(8)]), ..change() };
        let moved = partition.change(&moved, NODE);
        assert_eq!((moved.leader_epoch.get(), moved.partition_epoch), (4, 1));
        assert_eq!(moved.directory, Uuid::from_u128(8));
    }

    #[test]
    fn unusual_partitions_keep_every_field() {
        let record = PartitionRecord {
            partition_id: 3,
            topic_id: TOPIC,
            replicas: vec![BrokerId::new(2), NODE],
            isr: vec![NODE],
            leader: NODE,
            leader_epoch: 5,
            partition_epoch: 6,
            directories: vec![Uuid::from_u128(1), Uuid::from_u128(2)],
            eligible_leader_replicas: Some(vec![BrokerId::new(2)]),
            ..PartitionRecord::default()
        };
        let image = PartitionImage::from_record(record.clone(), NODE);
        assert_eq!(image.directory, Uuid::from_u128(2));
        assert_eq!(image.to_record(TOPIC, 3, NODE), record);
    }
}

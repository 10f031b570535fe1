//! PartitionChangeRecord (metadata record 5, versions 0-2): KIP-631, KIP-858, KIP-966.

use crate::{BrokerId, Message, UnknownTags, Uuid};

/// Some of a partition's state has changed. What is at its default has not; a leader that is set raises
/// the partition's leader epoch, and any change its partition epoch.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, type_id = 5, versions = "0..=2", flexible = "0..")]
pub struct PartitionChangeRecord {
    /// Index of the partition, from 0.
    #[message(default = -1)]
    pub partition_id: i32,
    /// The topic's id (KIP-516); all zero means none.
    pub topic_id: Uuid,
    /// Node ids of the replicas in sync; null for no change.
    #[message(nullable = "0..", tag = 0, tagged = "0..", default = null)]
    pub isr: Option<Vec<BrokerId>>,
    /// Node id of the leader, -1 for none; -2 for no change.
    #[message(tag = 1, tagged = "0..", default = -2)]
    pub leader: BrokerId,
    /// Node ids of all replicas, the preferred leader first; null for no change.
    #[message(nullable = "0..", tag = 2, tagged = "0..", default = null)]
    pub replicas: Option<Vec<BrokerId>>,
    /// Node ids of replicas on their way out; null for no change.
    #[message(nullable = "0..", tag = 3, tagged = "0..", default = null)]
    pub removing_replicas: Option<Vec<BrokerId>>,
    /// Node ids of replicas on their way in; null for no change.
    #[message(nullable = "0..", tag = 4, tagged = "0..", default = null)]
    pub adding_replicas: Option<Vec<BrokerId>>,
    /// 1 after an unclean election until the leader has recovered, else 0; -1 for no change.
    #[message(tag = 5, tagged = "0..", default = -1)]
    pub leader_recovery_state: i8,
    /// Ids of the directories that hold the replicas, in the order of the replicas; null for no change
    /// (KIP-858).
    #[message(versions = "1..", nullable = "1..", tag = 8, tagged = "1..", default = null)]
    pub directories: Option<Vec<Uuid>>,
    /// Node ids of replicas that fell out of sync but hold all committed records; null for no change
    /// (KIP-966).
    #[message(versions = "2..", nullable = "2..", tag = 6, tagged = "2..", default = null)]
    pub eligible_leader_replicas: Option<Vec<BrokerId>>,
    /// Node ids that were last eligible to lead; null for no change (KIP-966).
    #[message(versions = "2..", nullable = "2..", tag = 7, tagged = "2..", default = null)]
    pub last_known_elr: Option<Vec<BrokerId>>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

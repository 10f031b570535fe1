//! PartitionRecord (metadata record 3, versions 0-2): KIP-631, KIP-858, KIP-966.

use crate::{BrokerId, Message, UnknownTags, Uuid};

/// A partition and its whole state.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, type_id = 3, versions = "0..=2", flexible = "0..")]
pub struct PartitionRecord {
    /// Index of the partition, from 0.
    #[message(default = -1)]
    pub partition_id: i32,
    /// The topic's id (KIP-516); all zero means none.
    pub topic_id: Uuid,
    /// Node ids of all replicas, the preferred leader first.
    pub replicas: Vec<BrokerId>,
    /// Node ids of the replicas in sync.
    pub isr: Vec<BrokerId>,
    /// Node ids of replicas on their way out.
    pub removing_replicas: Vec<BrokerId>,
    /// Node ids of replicas on their way in.
    pub adding_replicas: Vec<BrokerId>,
    /// Node id of the leader; -1 when there is none.
    #[message(default = -1)]
    pub leader: BrokerId,
    /// 1 after an unclean election until the leader has recovered, else 0.
    #[message(tag = 0, tagged = "0..")]
    pub leader_recovery_state: i8,
    /// How many times the leader has changed.
    #[message(default = -1)]
    pub leader_epoch: i32,
    /// How many times the partition has changed at all.
    #[message(default = -1)]
    pub partition_epoch: i32,
    /// Ids of the directories that hold the replicas, in the order of `replicas` (KIP-858).
    #[message(versions = "1..")]
    pub directories: Vec<Uuid>,
    /// Node ids of replicas that fell out of sync but hold all committed records; null for none
    /// (KIP-966).
    #[message(versions = "2..", nullable = "2..", tag = 1, tagged = "2..", default = null)]
    pub eligible_leader_replicas: Option<Vec<BrokerId>>,
    /// Node ids that were last eligible to lead; null for none (KIP-966).
    #[message(versions = "2..", nullable = "2..", tag = 2, tagged = "2..", default = null)]
    pub last_known_elr: Option<Vec<BrokerId>>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

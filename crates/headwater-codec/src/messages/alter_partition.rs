//! AlterPartition (key 56, versions 2-3): a partition leader proposes another set of replicas in sync. From
//! brokers to the controller. KIP-497, KIP-704, KIP-841, KIP-903.

use crate::{BrokerId, ErrorCode, Message, UnknownTags, Uuid};

/// Replicas in sync as the leader would have them.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = AlterPartition, request, versions = "2..=3", flexible = "0..")]
pub struct AlterPartitionRequest {
    /// Node id of the leader that asks.
    pub broker_id: BrokerId,
    /// The epoch of the leader's broker.
    #[message(default = -1)]
    pub broker_epoch: i64,
    /// Partitions, by topic.
    pub topics: Vec<RequestTopicData>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Partitions of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(name = "TopicData")]
pub struct RequestTopicData {
    /// The topic's id (KIP-516); all zero means none.
    #[message(versions = "2..", ignorable)]
    pub topic_id: Uuid,
    /// The partitions.
    pub partitions: Vec<RequestPartitionData>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A partition and its replicas in sync.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(name = "PartitionData")]
pub struct RequestPartitionData {
    /// Index of the partition, from 0.
    pub partition_index: i32,
    /// The leader's epoch.
    pub leader_epoch: i32,
    /// Node ids of the replicas that should be in sync, up to version 2.
    #[message(versions = "0..=2")]
    pub new_isr: Vec<BrokerId>,
    /// The replicas that should be in sync, with their brokers' epochs (KIP-903).
    #[message(versions = "3..")]
    pub new_isr_with_epochs: Vec<BrokerState>,
    /// 1 after an unclean election until the leader has recovered, else 0 (KIP-704).
    #[message(versions = "1..")]
    pub leader_recovery_state: i8,
    /// How many times the partition has changed at all.
    pub partition_epoch: i32,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A replica in sync and the epoch of its broker.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(versions = "3..")]
pub struct BrokerState {
    /// Node id of the leader that asks.
    #[message(versions = "3..")]
    pub broker_id: BrokerId,
    /// The epoch of the leader's broker.
    #[message(versions = "3..", default = -1)]
    pub broker_epoch: i64,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The partitions as the controller has them.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = AlterPartition, response, versions = "2..=3", flexible = "0..")]
pub struct AlterPartitionResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// What went wrong with the whole request; `None` when nothing did.
    pub error_code: ErrorCode,
    /// Partitions, by topic.
    pub topics: Vec<ResponseTopicData>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Partitions of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(name = "TopicData")]
pub struct ResponseTopicData {
    /// The topic's id (KIP-516); all zero means none.
    #[message(versions = "2..", ignorable)]
    pub topic_id: Uuid,
    /// The partitions.
    pub partitions: Vec<ResponsePartitionData>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A partition as the controller has it.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(name = "PartitionData")]
pub struct ResponsePartitionData {
    /// Index of the partition, from 0.
    pub partition_index: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// Node id of the leader; -1 when there is none.
    pub leader_id: BrokerId,
    /// The leader's epoch.
    pub leader_epoch: i32,
    /// Node ids of the replicas in sync.
    pub isr: Vec<BrokerId>,
    /// 1 after an unclean election until the leader has recovered, else 0 (KIP-704).
    #[message(versions = "1..", ignorable)]
    pub leader_recovery_state: i8,
    /// How many times the partition has changed at all.
    pub partition_epoch: i32,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

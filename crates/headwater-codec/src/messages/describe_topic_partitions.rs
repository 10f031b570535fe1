//! DescribeTopicPartitions (key 75, version 0): topics with their partitions, page by page. KIP-966.

use crate::{BrokerId, ErrorCode, Message, TopicName, UnknownTags, Uuid};

/// Asks for topics, from a cursor on.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = DescribeTopicPartitions, request, versions = "0..=0", flexible = "0..")]
pub struct DescribeTopicPartitionsRequest {
    /// Topics to describe; empty means all.
    pub topics: Vec<TopicRequest>,
    /// Partitions to answer at most.
    #[message(default = 2000)]
    pub response_partition_limit: i32,
    /// Where to begin; null for the first page.
    #[message(nullable = "0..", default = null)]
    pub cursor: Option<Cursor>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A topic to describe.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct TopicRequest {
    /// The topic's name.
    pub name: TopicName,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The partition at which a page begins.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct Cursor {
    /// The topic's name.
    pub topic_name: TopicName,
    /// Index of the partition, from 0.
    pub partition_index: i32,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// One page, in the order of topic names.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = DescribeTopicPartitions, response, versions = "0..=0", flexible = "0..")]
pub struct DescribeTopicPartitionsResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    #[message(ignorable)]
    pub throttle_time_ms: i32,
    /// The topics, in the order of their names.
    pub topics: Vec<DescribeTopicPartitionsResponseTopic>,
    /// Where the next page begins; null on the last one.
    #[message(nullable = "0..", default = null)]
    pub next_cursor: Option<Cursor>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A topic, or why it cannot be described.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct DescribeTopicPartitionsResponseTopic {
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// The topic's name.
    #[message(nullable = "0..", map_key)]
    pub name: Option<TopicName>,
    /// The topic's id (KIP-516); all zero means none.
    #[message(ignorable)]
    pub topic_id: Uuid,
    /// Whether the topic is one of the broker's own.
    #[message(ignorable)]
    pub is_internal: bool,
    /// Partitions of the topic that belong to this page.
    pub partitions: Vec<DescribeTopicPartitionsResponsePartition>,
    /// Operations that the caller may do, as bits by operation code; `i32::MIN` when not asked for
    /// (KIP-430).
    #[message(default = -2147483648)]
    pub topic_authorized_operations: i32,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A partition: who leads it and who holds it.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct DescribeTopicPartitionsResponsePartition {
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// Index of the partition, from 0.
    pub partition_index: i32,
    /// Node id of the leader; -1 when there is none.
    pub leader_id: BrokerId,
    /// The leader epoch; -1 when not known.
    #[message(default = -1, ignorable)]
    pub leader_epoch: i32,
    /// Node ids of all replicas.
    pub replica_nodes: Vec<BrokerId>,
    /// Node ids of the replicas in sync.
    pub isr_nodes: Vec<BrokerId>,
    /// Node ids of replicas that fell out of sync but hold all committed records (KIP-966).
    #[message(nullable = "0..", default = null)]
    pub eligible_leader_replicas: Option<Vec<BrokerId>>,
    /// Node ids that were last eligible to lead (KIP-966).
    #[message(nullable = "0..", default = null)]
    pub last_known_elr: Option<Vec<BrokerId>>,
    /// Node ids of the replicas that cannot be reached.
    #[message(ignorable)]
    pub offline_replicas: Vec<BrokerId>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

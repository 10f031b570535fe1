//! GetReplicaLogInfo (key 93, version 0): the end and the epochs of logs, for the controller's choice of an
//! unclean leader. In the making: no release of Kafka has it, and Kafka 4.4 gave its key to another API, so
//! these two stand apart as plain bodies. KIP-966.

use crate::{BrokerId, ErrorCode, Message, Str, UnknownTags, Uuid};

/// Logs to ask about.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "0..=0", flexible = "0..")]
pub struct GetReplicaLogInfoRequest {
    /// The broker's node id.
    pub broker_id: BrokerId,
    /// Logs to ask about, by topic.
    pub topic_partitions: Vec<TopicPartitions>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Partitions of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct TopicPartitions {
    /// The topic's id (KIP-516); all zero means none.
    pub topic_id: Uuid,
    /// Indexes of the partitions.
    pub partitions: Vec<i32>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The logs.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "0..=0", flexible = "0..")]
pub struct GetReplicaLogInfoResponse {
    /// The broker's epoch: the offset of its registration in the metadata log.
    pub broker_epoch: i64,
    /// The logs, by topic.
    pub topic_partition_log_info_list: Vec<TopicPartitionLogInfo>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Logs of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct TopicPartitionLogInfo {
    /// The topic's id (KIP-516); all zero means none.
    pub topic_id: Uuid,
    /// The logs, by partition.
    pub partition_log_info: Vec<PartitionLogInfo>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A log, or why it cannot be described.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct PartitionLogInfo {
    /// Index of the partition, from 0.
    pub partition: i32,
    /// Leader epoch of the last record in the log.
    pub last_written_leader_epoch: i32,
    /// The leader epoch that the broker knows.
    pub current_leader_epoch: i32,
    /// First offset after the log.
    pub log_end_offset: i64,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(nullable = "0..", default = null)]
    pub error_message: Option<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

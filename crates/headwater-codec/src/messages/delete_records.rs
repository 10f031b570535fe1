//! DeleteRecords (key 21, versions 0-2): raises the log start offset of partitions. KIP-107.

use crate::{ErrorCode, Message, TopicName, UnknownTags};

/// Partitions whose first records go.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = DeleteRecords, request, versions = "0..=2", flexible = "2..")]
pub struct DeleteRecordsRequest {
    /// Partitions, by topic.
    pub topics: Vec<DeleteRecordsTopic>,
    /// Milliseconds to wait for it to be done.
    pub timeout_ms: i32,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Partitions of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct DeleteRecordsTopic {
    /// The topic's name.
    pub name: TopicName,
    /// Partitions whose first records go.
    pub partitions: Vec<DeleteRecordsPartition>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A partition, and its first offset to stay.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct DeleteRecordsPartition {
    /// Index of the partition, from 0.
    pub partition_index: i32,
    /// Records below this offset go; -1 means all up to the high watermark.
    pub offset: i64,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of each partition.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = DeleteRecords, response, versions = "0..=2", flexible = "2..")]
pub struct DeleteRecordsResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// What became of the partitions, by topic.
    pub topics: Vec<DeleteRecordsTopicResult>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of the partitions of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct DeleteRecordsTopicResult {
    /// The topic's name.
    #[message(map_key)]
    pub name: TopicName,
    /// What became of each partition.
    pub partitions: Vec<DeleteRecordsPartitionResult>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of one partition.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct DeleteRecordsPartitionResult {
    /// Index of the partition, from 0.
    #[message(map_key)]
    pub partition_index: i32,
    /// The log start offset now; -1 on an error.
    pub low_watermark: i64,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

//! OffsetDelete (key 47, version 0): forgets committed offsets of a group. KIP-496.

use crate::{ErrorCode, GroupId, Message, TopicName};

/// Partitions whose offsets the group forgets.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = OffsetDelete, request, versions = "0..=0", flexible = "none")]
pub struct OffsetDeleteRequest {
    /// The group's id.
    pub group_id: GroupId,
    /// Partitions whose offsets to forget, by topic.
    pub topics: Vec<OffsetDeleteRequestTopic>,
}

/// Partitions of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct OffsetDeleteRequestTopic {
    /// The topic's name.
    #[message(map_key)]
    pub name: TopicName,
    /// Partitions whose offsets to forget.
    pub partitions: Vec<OffsetDeleteRequestPartition>,
}

/// A partition.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct OffsetDeleteRequestPartition {
    /// Index of the partition, from 0.
    pub partition_index: i32,
}

/// What became of each offset.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = OffsetDelete, response, versions = "0..=0", flexible = "none")]
pub struct OffsetDeleteResponse {
    /// What went wrong with the whole request.
    pub error_code: ErrorCode,
    /// Milliseconds for which the client is throttled; 0 when it is not.
    #[message(ignorable)]
    pub throttle_time_ms: i32,
    /// What became of the offsets, by topic.
    pub topics: Vec<OffsetDeleteResponseTopic>,
}

/// What became of the offsets in one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct OffsetDeleteResponseTopic {
    /// The topic's name.
    #[message(map_key)]
    pub name: TopicName,
    /// What became of the offsets, by partition.
    pub partitions: Vec<OffsetDeleteResponsePartition>,
}

/// What became of the offset in one partition.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct OffsetDeleteResponsePartition {
    /// Index of the partition, from 0.
    #[message(map_key)]
    pub partition_index: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
}

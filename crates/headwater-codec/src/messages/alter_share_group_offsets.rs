//! AlterShareGroupOffsets (key 91, version 0): moves a share group to other offsets. KIP-932.

use crate::{ErrorCode, GroupId, Message, Str, TopicName, UnknownTags, Uuid};

/// Where the group should stand.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = AlterShareGroupOffsets, request, versions = "0..=0", flexible = "0..")]
pub struct AlterShareGroupOffsetsRequest {
    /// The group's id.
    pub group_id: GroupId,
    /// Where the group should stand, by topic.
    pub topics: Vec<AlterShareGroupOffsetsRequestTopic>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Partitions of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct AlterShareGroupOffsetsRequestTopic {
    /// The topic's name.
    #[message(map_key)]
    pub topic_name: TopicName,
    /// Where the group should stand, by partition.
    pub partitions: Vec<AlterShareGroupOffsetsRequestPartition>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A partition, and where the group should stand in it.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct AlterShareGroupOffsetsRequestPartition {
    /// Index of the partition, from 0.
    pub partition_index: i32,
    /// First offset that the group should deliver.
    pub start_offset: i64,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of each partition.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = AlterShareGroupOffsets, response, versions = "0..=0", flexible = "0..")]
pub struct AlterShareGroupOffsetsResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// What went wrong with the whole request; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(nullable = "0..", default = null)]
    pub error_message: Option<Str>,
    /// What became of the partitions, by topic.
    pub responses: Vec<AlterShareGroupOffsetsResponseTopic>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of the partitions of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct AlterShareGroupOffsetsResponseTopic {
    /// The topic's name.
    #[message(map_key)]
    pub topic_name: TopicName,
    /// The topic's id (KIP-516); all zero means none.
    pub topic_id: Uuid,
    /// What became of each partition.
    pub partitions: Vec<AlterShareGroupOffsetsResponsePartition>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of one partition.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct AlterShareGroupOffsetsResponsePartition {
    /// Index of the partition, from 0.
    pub partition_index: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(nullable = "0..", default = null)]
    pub error_message: Option<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

//! DescribeShareGroupOffsets (key 90, versions 0-1): where share groups stand in their partitions. KIP-932,
//! KIP-1226.

use crate::{ErrorCode, GroupId, Message, Str, TopicName, UnknownTags, Uuid};

/// Asks about groups.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = DescribeShareGroupOffsets, request, versions = "0..=1", flexible = "0..")]
pub struct DescribeShareGroupOffsetsRequest {
    /// The groups.
    pub groups: Vec<DescribeShareGroupOffsetsRequestGroup>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A group, and which of its partitions.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct DescribeShareGroupOffsetsRequestGroup {
    /// The group's id.
    pub group_id: GroupId,
    /// Partitions to ask about, by topic; null means all.
    #[message(nullable = "0..")]
    pub topics: Option<Vec<DescribeShareGroupOffsetsRequestTopic>>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Partitions of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct DescribeShareGroupOffsetsRequestTopic {
    /// The topic's name.
    pub topic_name: TopicName,
    /// Indexes of the partitions.
    pub partitions: Vec<i32>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Where the groups stand.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = DescribeShareGroupOffsets, response, versions = "0..=1", flexible = "0..")]
pub struct DescribeShareGroupOffsetsResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// The groups, in the order of the request.
    pub groups: Vec<DescribeShareGroupOffsetsResponseGroup>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Where one group stands, or why it cannot be told.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct DescribeShareGroupOffsetsResponseGroup {
    /// The group's id.
    pub group_id: GroupId,
    /// Where the group stands, by topic.
    pub topics: Vec<DescribeShareGroupOffsetsResponseTopic>,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(nullable = "0..", default = null)]
    pub error_message: Option<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Where it stands in one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct DescribeShareGroupOffsetsResponseTopic {
    /// The topic's name.
    pub topic_name: TopicName,
    /// The topic's id (KIP-516); all zero means none.
    pub topic_id: Uuid,
    /// Where the group stands, by partition.
    pub partitions: Vec<DescribeShareGroupOffsetsResponsePartition>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Where it stands in one partition.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct DescribeShareGroupOffsetsResponsePartition {
    /// Index of the partition, from 0.
    pub partition_index: i32,
    /// First offset that the group may still deliver; -1 when not known.
    pub start_offset: i64,
    /// The leader epoch of the partition.
    pub leader_epoch: i32,
    /// How many records are still to be delivered; -1 when not known (KIP-1226).
    #[message(versions = "1..", default = -1, ignorable)]
    pub lag: i64,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(nullable = "0..", default = null)]
    pub error_message: Option<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

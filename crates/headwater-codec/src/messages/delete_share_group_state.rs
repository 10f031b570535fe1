//! DeleteShareGroupState (key 86, version 0): forgets the state of a share group's partitions. From a group
//! coordinator to a share coordinator. KIP-932.

use crate::{ErrorCode, GroupId, Message, Str, UnknownTags, Uuid};

/// Partitions whose state to forget.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = DeleteShareGroupState, request, versions = "0..=0", flexible = "0..")]
pub struct DeleteShareGroupStateRequest {
    /// The group's id.
    pub group_id: GroupId,
    /// The partitions, by topic.
    pub topics: Vec<DeleteStateData>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Partitions of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct DeleteStateData {
    /// The topic's id (KIP-516); all zero means none.
    pub topic_id: Uuid,
    /// The partitions.
    pub partitions: Vec<PartitionData>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A partition.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct PartitionData {
    /// Index of the partition, from 0.
    pub partition: i32,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of each partition.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = DeleteShareGroupState, response, versions = "0..=0", flexible = "0..")]
pub struct DeleteShareGroupStateResponse {
    /// The answers, by topic.
    pub results: Vec<DeleteStateResult>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of the partitions of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct DeleteStateResult {
    /// The topic's id (KIP-516); all zero means none.
    pub topic_id: Uuid,
    /// The answers, by partition.
    pub partitions: Vec<PartitionResult>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of one partition.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct PartitionResult {
    /// Index of the partition, from 0.
    pub partition: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(nullable = "0..", default = null)]
    pub error_message: Option<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

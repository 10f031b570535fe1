//! InitializeShareGroupState (key 83, version 0): begins the state of a share group's partitions. From a
//! group coordinator to a share coordinator. KIP-932.

use crate::{ErrorCode, GroupId, Message, Str, UnknownTags, Uuid};

/// Partitions whose state begins.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = InitializeShareGroupState, request, versions = "0..=0", flexible = "0..")]
pub struct InitializeShareGroupStateRequest {
    /// The group's id.
    pub group_id: GroupId,
    /// The partitions, by topic.
    pub topics: Vec<InitializeStateData>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Partitions of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct InitializeStateData {
    /// The topic's id (KIP-516); all zero means none.
    pub topic_id: Uuid,
    /// The partitions.
    pub partitions: Vec<PartitionData>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A partition, and where the group begins in it.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct PartitionData {
    /// Index of the partition, from 0.
    pub partition: i32,
    /// Grows each time the state begins anew.
    pub state_epoch: i32,
    /// First offset that the group may still deliver; -1 when not known.
    pub start_offset: i64,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of each partition.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = InitializeShareGroupState, response, versions = "0..=0", flexible = "0..")]
pub struct InitializeShareGroupStateResponse {
    /// The answers, by topic.
    pub results: Vec<InitializeStateResult>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of the partitions of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct InitializeStateResult {
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

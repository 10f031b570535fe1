//! ReadShareGroupState (key 84, version 0): the state of a share group's partitions. From a partition leader
//! to a share coordinator. KIP-932.

use crate::{ErrorCode, GroupId, Message, Str, UnknownTags, Uuid};

/// Partitions to ask about.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = ReadShareGroupState, request, versions = "0..=0", flexible = "0..")]
pub struct ReadShareGroupStateRequest {
    /// The group's id.
    pub group_id: GroupId,
    /// The partitions, by topic.
    pub topics: Vec<ReadStateData>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Partitions of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct ReadStateData {
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
    /// The epoch of the partition's leader that asks; lower ones are fenced.
    pub leader_epoch: i32,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The state of each partition.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = ReadShareGroupState, response, versions = "0..=0", flexible = "0..")]
pub struct ReadShareGroupStateResponse {
    /// The answers, by topic.
    pub results: Vec<ReadStateResult>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The state of the partitions of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct ReadStateResult {
    /// The topic's id (KIP-516); all zero means none.
    pub topic_id: Uuid,
    /// The answers, by partition.
    pub partitions: Vec<PartitionResult>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The state of one partition, or why it cannot be told.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct PartitionResult {
    /// Index of the partition, from 0.
    pub partition: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(nullable = "0..", default = null)]
    pub error_message: Option<Str>,
    /// Grows each time the state begins anew.
    pub state_epoch: i32,
    /// First offset that the group may still deliver; -1 when not known.
    pub start_offset: i64,
    /// Records from there on that are in a state of their own.
    pub state_batches: Vec<StateBatch>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Records in one state that follow one another.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct StateBatch {
    /// Offset of the first record.
    pub first_offset: i64,
    /// Offset of the last record.
    pub last_offset: i64,
    /// 0 available, 2 acknowledged, 4 archived.
    pub delivery_state: i8,
    /// How many times the records were delivered.
    pub delivery_count: i16,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

//! ReadShareGroupStateSummary (key 87, versions 0-1): where a share group stands in its partitions, without
//! the single records. From a group coordinator to a share coordinator. KIP-932, KIP-1226.

use crate::{ErrorCode, GroupId, Message, Str, UnknownTags, Uuid};

/// Partitions to ask about.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = ReadShareGroupStateSummary, request, versions = "0..=1", flexible = "0..")]
pub struct ReadShareGroupStateSummaryRequest {
    /// The group's id.
    pub group_id: GroupId,
    /// The partitions, by topic.
    pub topics: Vec<ReadStateSummaryData>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Partitions of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct ReadStateSummaryData {
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

/// Where the group stands in each partition.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = ReadShareGroupStateSummary, response, versions = "0..=1", flexible = "0..")]
pub struct ReadShareGroupStateSummaryResponse {
    /// The answers, by topic.
    pub results: Vec<ReadStateSummaryResult>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Where the group stands in the partitions of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct ReadStateSummaryResult {
    /// The topic's id (KIP-516); all zero means none.
    pub topic_id: Uuid,
    /// The answers, by partition.
    pub partitions: Vec<PartitionResult>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Where the group stands in one partition, or why it cannot be told.
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
    /// The epoch of the partition's leader that asks; lower ones are fenced.
    pub leader_epoch: i32,
    /// First offset that the group may still deliver; -1 when not known.
    pub start_offset: i64,
    /// How many records from there on need no more delivery; -1 when not known (KIP-1226).
    #[message(versions = "1..", default = -1, ignorable)]
    pub delivery_complete_count: i32,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

//! ListPartitionReassignments (key 46, version 0): the moves of partitions that are under way. KIP-455.

use crate::{BrokerId, ErrorCode, Message, Str, TopicName, UnknownTags};

/// Asks for the moves of some or all partitions.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = ListPartitionReassignments, request, versions = "0..=0", flexible = "0..")]
pub struct ListPartitionReassignmentsRequest {
    /// Milliseconds to wait for it to be done.
    #[message(default = 60000)]
    pub timeout_ms: i32,
    /// Partitions to ask about, by topic; null means all.
    #[message(nullable = "0..", default = null)]
    pub topics: Option<Vec<ListPartitionReassignmentsTopics>>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Partitions of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct ListPartitionReassignmentsTopics {
    /// The topic's name.
    pub name: TopicName,
    /// Indexes of the partitions.
    pub partition_indexes: Vec<i32>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The moves that are under way.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = ListPartitionReassignments, response, versions = "0..=0", flexible = "0..")]
pub struct ListPartitionReassignmentsResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(nullable = "0..")]
    pub error_message: Option<Str>,
    /// The moves, by topic.
    pub topics: Vec<OngoingTopicReassignment>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The moves in one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct OngoingTopicReassignment {
    /// The topic's name.
    pub name: TopicName,
    /// The moves, by partition.
    pub partitions: Vec<OngoingPartitionReassignment>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The move of one partition.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct OngoingPartitionReassignment {
    /// Index of the partition, from 0.
    pub partition_index: i32,
    /// Node ids of all replicas, coming and going ones too.
    pub replicas: Vec<BrokerId>,
    /// Node ids of replicas on their way in.
    pub adding_replicas: Vec<BrokerId>,
    /// Node ids of replicas on their way out.
    pub removing_replicas: Vec<BrokerId>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

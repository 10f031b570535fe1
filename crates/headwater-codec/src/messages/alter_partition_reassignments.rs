//! AlterPartitionReassignments (key 45, versions 0-1): begins, changes or cancels the moves of partitions to
//! other brokers. KIP-455, KIP-860.

use crate::{BrokerId, ErrorCode, Message, Str, TopicName, UnknownTags};

/// Where partitions should be.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = AlterPartitionReassignments, request, versions = "0..=1", flexible = "0..")]
pub struct AlterPartitionReassignmentsRequest {
    /// Milliseconds to wait for it to be done.
    #[message(default = 60000)]
    pub timeout_ms: i32,
    /// Whether the number of replicas may change (KIP-860).
    #[message(versions = "1..", default = true)]
    pub allow_replication_factor_change: bool,
    /// Moves, by topic.
    pub topics: Vec<ReassignableTopic>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Partitions of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct ReassignableTopic {
    /// The topic's name.
    pub name: TopicName,
    /// Moves, by partition.
    pub partitions: Vec<ReassignablePartition>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A partition and where it should be.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct ReassignablePartition {
    /// Index of the partition, from 0.
    pub partition_index: i32,
    /// Node ids of the replicas that the partition should have, the preferred leader first; null cancels
    /// a move.
    #[message(nullable = "0..", default = null)]
    pub replicas: Option<Vec<BrokerId>>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of each move.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = AlterPartitionReassignments, response, versions = "0..=1", flexible = "0..")]
pub struct AlterPartitionReassignmentsResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// Whether the number of replicas may change (KIP-860).
    #[message(versions = "1..", default = true, ignorable)]
    pub allow_replication_factor_change: bool,
    /// What went wrong with the whole request; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(nullable = "0..")]
    pub error_message: Option<Str>,
    /// What became of the moves, by topic.
    pub responses: Vec<ReassignableTopicResponse>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of the moves in one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct ReassignableTopicResponse {
    /// The topic's name.
    pub name: TopicName,
    /// What became of the moves, by partition.
    pub partitions: Vec<ReassignablePartitionResponse>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of the move of one partition.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct ReassignablePartitionResponse {
    /// Index of the partition, from 0.
    pub partition_index: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(nullable = "0..")]
    pub error_message: Option<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

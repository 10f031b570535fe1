//! ElectLeaders (key 43, versions 0-2): elects partition leaders: preferred ones, or unclean ones where no
//! replica in sync is left. KIP-183, KIP-460.

use crate::{ErrorCode, Message, Str, TopicName, UnknownTags};

/// Partitions that should get a leader.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = ElectLeaders, request, versions = "0..=2", flexible = "2..")]
pub struct ElectLeadersRequest {
    /// 0 elects the preferred leader, 1 any replica that is left, in sync or not (KIP-460).
    #[message(versions = "1..")]
    pub election_type: i8,
    /// Partitions to elect leaders for; null means all.
    #[message(nullable = "0..")]
    pub topic_partitions: Option<Vec<TopicPartitions>>,
    /// Milliseconds to wait for it to be done.
    #[message(default = 60000)]
    pub timeout_ms: i32,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Partitions of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct TopicPartitions {
    /// The topic's name.
    #[message(map_key)]
    pub topic: TopicName,
    /// Indexes of the partitions.
    pub partitions: Vec<i32>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of each election.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = ElectLeaders, response, versions = "0..=2", flexible = "2..")]
pub struct ElectLeadersResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// What went wrong with the whole request; `None` when nothing did.
    #[message(versions = "1..")]
    pub error_code: ErrorCode,
    /// What became of the elections, by topic.
    pub replica_election_results: Vec<ReplicaElectionResult>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of the elections in one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct ReplicaElectionResult {
    /// The topic's name.
    pub topic: TopicName,
    /// What became of the elections, by partition.
    pub partition_result: Vec<PartitionResult>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of the election in one partition.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct PartitionResult {
    /// Index of the partition, from 0.
    pub partition_id: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(nullable = "0..")]
    pub error_message: Option<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

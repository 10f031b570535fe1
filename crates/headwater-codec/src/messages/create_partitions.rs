//! CreatePartitions (key 37, versions 0-3): adds partitions to topics. KIP-195, KIP-599.

use crate::{BrokerId, ErrorCode, Message, Str, TopicName, UnknownTags};

/// Topics to extend.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = CreatePartitions, request, versions = "0..=3", flexible = "2..")]
pub struct CreatePartitionsRequest {
    /// Topics to extend.
    pub topics: Vec<CreatePartitionsTopic>,
    /// Milliseconds to wait for it to be done.
    pub timeout_ms: i32,
    /// Whether to check only, and change nothing.
    pub validate_only: bool,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A topic, and how many partitions it should have.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct CreatePartitionsTopic {
    /// The topic's name.
    #[message(map_key)]
    pub name: TopicName,
    /// How many partitions it should have in the end.
    pub count: i32,
    /// The new partitions, placed by hand; null to let the broker place them.
    #[message(nullable = "0..")]
    pub assignments: Option<Vec<CreatePartitionsAssignment>>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A new partition placed by hand.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct CreatePartitionsAssignment {
    /// Node ids of the replicas, the preferred leader first.
    pub broker_ids: Vec<BrokerId>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of each topic.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = CreatePartitions, response, versions = "0..=3", flexible = "2..")]
pub struct CreatePartitionsResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// What became of each topic.
    pub results: Vec<CreatePartitionsTopicResult>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct CreatePartitionsTopicResult {
    /// The topic's name.
    pub name: TopicName,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(nullable = "0..", default = null)]
    pub error_message: Option<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

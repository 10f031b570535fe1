//! CreateTopics (key 19, versions 2-7): creates topics. KIP-4, KIP-464, KIP-516, KIP-525.

use crate::{BrokerId, ErrorCode, Message, Str, TopicName, UnknownTags, Uuid};

/// Topics to create.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = CreateTopics, request, versions = "2..=7", flexible = "5..")]
pub struct CreateTopicsRequest {
    /// Topics to create.
    pub topics: Vec<CreatableTopic>,
    /// Milliseconds to wait for it to be done.
    #[message(default = 60000)]
    pub timeout_ms: i32,
    /// Whether to check only, and change nothing.
    #[message(versions = "1..")]
    pub validate_only: bool,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A topic to create, with partitions counted or placed by hand.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct CreatableTopic {
    /// The topic's name.
    #[message(map_key)]
    pub name: TopicName,
    /// How many partitions; -1 for the broker's default, or when they are placed by hand.
    pub num_partitions: i32,
    /// How many replicas of each; -1 for the broker's default, or when they are placed by hand.
    pub replication_factor: i16,
    /// Partitions placed by hand; empty to let the broker place them.
    pub assignments: Vec<CreatableReplicaAssignment>,
    /// Configs that differ from the defaults.
    pub configs: Vec<CreatableTopicConfig>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A partition placed by hand.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct CreatableReplicaAssignment {
    /// Index of the partition, from 0.
    #[message(map_key)]
    pub partition_index: i32,
    /// Node ids of the replicas, the preferred leader first.
    pub broker_ids: Vec<BrokerId>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A config that the topic starts with.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct CreatableTopicConfig {
    /// The config's name.
    #[message(map_key)]
    pub name: Str,
    /// The config's value.
    #[message(nullable = "0..")]
    pub value: Option<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of each topic.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = CreateTopics, response, versions = "2..=7", flexible = "5..")]
pub struct CreateTopicsResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    #[message(versions = "2..", ignorable)]
    pub throttle_time_ms: i32,
    /// What became of each topic.
    pub topics: Vec<CreatableTopicResult>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of one topic, and what it is like (KIP-525).
#[derive(Clone, Debug, PartialEq, Message)]
pub struct CreatableTopicResult {
    /// The topic's name.
    #[message(map_key)]
    pub name: TopicName,
    /// The topic's id (KIP-516); all zero means none.
    #[message(versions = "7..", ignorable)]
    pub topic_id: Uuid,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(versions = "1..", nullable = "0..", ignorable)]
    pub error_message: Option<Str>,
    /// Why the configs are not told, such as a missing right; `None` when they are.
    #[message(versions = "5..", tag = 0, tagged = "5..", ignorable)]
    pub topic_config_error_code: ErrorCode,
    /// How many partitions it has; -1 on an error.
    #[message(versions = "5..", default = -1, ignorable)]
    pub num_partitions: i32,
    /// How many replicas each has; -1 on an error.
    #[message(versions = "5..", default = -1, ignorable)]
    pub replication_factor: i16,
    /// The topic's configs; null when they are not told.
    #[message(versions = "5..", nullable = "5..", ignorable)]
    pub configs: Option<Vec<CreatableTopicConfigs>>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A config of the new topic.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(versions = "5..")]
pub struct CreatableTopicConfigs {
    /// The config's name.
    #[message(versions = "5..")]
    pub name: Str,
    /// The config's value; null when it is secret.
    #[message(versions = "5..", nullable = "5..")]
    pub value: Option<Str>,
    /// Whether it cannot be changed while the broker runs.
    #[message(versions = "5..")]
    pub read_only: bool,
    /// Where the value comes from: 1 topic, 2 this broker's dynamic config, 3 the brokers' dynamic
    /// default, 4 static broker config, 5 default, 6 a broker's logger; -1 not told.
    #[message(versions = "5..", default = -1, ignorable)]
    pub config_source: i8,
    /// Whether its value is secret, and so null here.
    #[message(versions = "5..")]
    pub is_sensitive: bool,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

//! AlterReplicaLogDirs (key 34, versions 1-2): moves replicas between the log directories of one broker.
//! KIP-113.

use crate::{ErrorCode, Message, Str, TopicName, UnknownTags};

/// Where replicas should be.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = AlterReplicaLogDirs, request, versions = "1..=2", flexible = "2..")]
pub struct AlterReplicaLogDirsRequest {
    /// Log directories, with the replicas that should be in them.
    pub dirs: Vec<AlterReplicaLogDir>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A log directory and the replicas that should be in it.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct AlterReplicaLogDir {
    /// Absolute path of the directory.
    #[message(map_key)]
    pub path: Str,
    /// The replicas, by topic.
    pub topics: Vec<AlterReplicaLogDirTopic>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Partitions of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct AlterReplicaLogDirTopic {
    /// The topic's name.
    #[message(map_key)]
    pub name: TopicName,
    /// Indexes of the partitions.
    pub partitions: Vec<i32>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of each replica.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = AlterReplicaLogDirs, response, versions = "1..=2", flexible = "2..")]
pub struct AlterReplicaLogDirsResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// What became of the replicas, by topic.
    pub results: Vec<AlterReplicaLogDirTopicResult>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of the replicas of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct AlterReplicaLogDirTopicResult {
    /// The topic's name.
    pub topic_name: TopicName,
    /// What became of each replica.
    pub partitions: Vec<AlterReplicaLogDirPartitionResult>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of one replica.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct AlterReplicaLogDirPartitionResult {
    /// Index of the partition, from 0.
    pub partition_index: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

//! AssignReplicasToDirs (key 73, version 0): a broker tells in which log directories replicas are. From
//! brokers to the controller. KIP-858.

use crate::{BrokerId, ErrorCode, Message, UnknownTags, Uuid};

/// Log directories and the replicas in them.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = AssignReplicasToDirs, request, versions = "0..=0", flexible = "0..")]
pub struct AssignReplicasToDirsRequest {
    /// The broker's node id.
    pub broker_id: BrokerId,
    /// The broker's epoch: the offset of its registration in the metadata log.
    #[message(default = -1)]
    pub broker_epoch: i64,
    /// The log directories.
    pub directories: Vec<RequestDirectoryData>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A log directory and the replicas in it.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(name = "DirectoryData")]
pub struct RequestDirectoryData {
    /// The directory's id.
    pub id: Uuid,
    /// The replicas, by topic.
    pub topics: Vec<RequestTopicData>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Replicas of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(name = "TopicData")]
pub struct RequestTopicData {
    /// The topic's id (KIP-516); all zero means none.
    pub topic_id: Uuid,
    /// The replicas, by partition.
    pub partitions: Vec<RequestPartitionData>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A replica.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(name = "PartitionData")]
pub struct RequestPartitionData {
    /// Index of the partition, from 0.
    pub partition_index: i32,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of each replica.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = AssignReplicasToDirs, response, versions = "0..=0", flexible = "0..")]
pub struct AssignReplicasToDirsResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// What went wrong with the whole request; `None` when nothing did.
    pub error_code: ErrorCode,
    /// The log directories.
    pub directories: Vec<ResponseDirectoryData>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of the replicas in one log directory.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(name = "DirectoryData")]
pub struct ResponseDirectoryData {
    /// The directory's id.
    pub id: Uuid,
    /// The replicas, by topic.
    pub topics: Vec<ResponseTopicData>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of the replicas of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(name = "TopicData")]
pub struct ResponseTopicData {
    /// The topic's id (KIP-516); all zero means none.
    pub topic_id: Uuid,
    /// The replicas, by partition.
    pub partitions: Vec<ResponsePartitionData>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of one replica.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(name = "PartitionData")]
pub struct ResponsePartitionData {
    /// Index of the partition, from 0.
    pub partition_index: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

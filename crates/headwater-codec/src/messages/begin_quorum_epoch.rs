//! BeginQuorumEpoch (key 53, versions 0-1): a new leader of a quorum tells the other voters. Between
//! controllers. KIP-595, KIP-853.

use crate::{BrokerId, ErrorCode, Message, Str, TopicName, UnknownTags, Uuid};

/// A leader and its epoch.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = BeginQuorumEpoch, request, versions = "0..=1", flexible = "1..")]
pub struct BeginQuorumEpochRequest {
    /// The cluster that the node means to talk to; null for no check.
    #[message(nullable = "0..", default = null)]
    pub cluster_id: Option<Str>,
    /// Node id of the voter that the request is for; -1 for no check (KIP-853).
    #[message(versions = "1..", default = -1, ignorable)]
    pub voter_id: BrokerId,
    /// The partitions, by topic.
    pub topics: Vec<RequestTopicData>,
    /// Listeners of the leader (KIP-853).
    #[message(versions = "1..", ignorable)]
    pub leader_endpoints: Vec<LeaderEndpoint>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Leaders in one topic; the metadata log is the only one.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(name = "TopicData")]
pub struct RequestTopicData {
    /// The topic's name.
    pub topic_name: TopicName,
    /// The partitions.
    pub partitions: Vec<RequestPartitionData>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The leader and its epoch.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(name = "PartitionData")]
pub struct RequestPartitionData {
    /// Index of the partition, from 0.
    pub partition_index: i32,
    /// Directory id of the voter that the request is for; all zero for no check (KIP-853).
    #[message(versions = "1..", ignorable)]
    pub voter_directory_id: Uuid,
    /// Node id of the leader; -1 when not known.
    pub leader_id: BrokerId,
    /// The leader's epoch; -1 when not known.
    pub leader_epoch: i32,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A listener of the leader.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(versions = "1..")]
pub struct LeaderEndpoint {
    /// The listener's name.
    #[message(versions = "1..", map_key)]
    pub name: Str,
    /// Host name or address to connect to.
    #[message(versions = "1..")]
    pub host: Str,
    /// Port to connect to.
    #[message(versions = "1..")]
    pub port: u16,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Whether the voter follows.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = BeginQuorumEpoch, response, versions = "0..=1", flexible = "1..")]
pub struct BeginQuorumEpochResponse {
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// The partitions, by topic.
    pub topics: Vec<ResponseTopicData>,
    /// Where to reach the leaders named above (KIP-853).
    #[message(versions = "1..", tag = 0, tagged = "1..")]
    pub node_endpoints: Vec<NodeEndpoint>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Answers for one topic.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(name = "TopicData")]
pub struct ResponseTopicData {
    /// The topic's name.
    pub topic_name: TopicName,
    /// The partitions.
    pub partitions: Vec<ResponsePartitionData>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The leader as far as the voter knows.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(name = "PartitionData")]
pub struct ResponsePartitionData {
    /// Index of the partition, from 0.
    pub partition_index: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// Node id of the leader; -1 when not known.
    pub leader_id: BrokerId,
    /// The leader's epoch; -1 when not known.
    pub leader_epoch: i32,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Where to reach a leader named in the response (KIP-853).
#[derive(Clone, Debug, PartialEq, Message)]
#[message(versions = "1..")]
pub struct NodeEndpoint {
    /// The node's id.
    #[message(versions = "1..", map_key)]
    pub node_id: BrokerId,
    /// Host name or address to connect to.
    #[message(versions = "1..")]
    pub host: Str,
    /// Port to connect to.
    #[message(versions = "1..")]
    pub port: u16,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

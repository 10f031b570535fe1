//! EndQuorumEpoch (key 54, versions 0-1): a leader of a quorum steps down and names successors. Between
//! controllers. KIP-595, KIP-853.

use crate::{BrokerId, ErrorCode, Message, Str, TopicName, UnknownTags, Uuid};

/// The leader that steps down.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = EndQuorumEpoch, request, versions = "0..=1", flexible = "1..")]
pub struct EndQuorumEpochRequest {
    /// The cluster that the node means to talk to; null for no check.
    #[message(nullable = "0..", default = null)]
    pub cluster_id: Option<Str>,
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

/// The leader that steps down, and who should come next.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(name = "PartitionData")]
pub struct RequestPartitionData {
    /// Index of the partition, from 0.
    pub partition_index: i32,
    /// Node id of the leader; -1 when not known.
    pub leader_id: BrokerId,
    /// The leader's epoch; -1 when not known.
    pub leader_epoch: i32,
    /// Node ids of voters that could come next, the best first; version 0.
    #[message(versions = "0..=0", ignorable)]
    pub preferred_successors: Vec<BrokerId>,
    /// Voters that could come next, the best first (KIP-853).
    #[message(versions = "1..", ignorable)]
    pub preferred_candidates: Vec<ReplicaInfo>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A voter that could be the next leader.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(versions = "1..")]
pub struct ReplicaInfo {
    /// The voter's node id.
    #[message(versions = "1..")]
    pub candidate_id: BrokerId,
    /// Id of the voter's metadata directory.
    #[message(versions = "1..")]
    pub candidate_directory_id: Uuid,
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

/// Whether the voter has heard.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = EndQuorumEpoch, response, versions = "0..=1", flexible = "1..")]
pub struct EndQuorumEpochResponse {
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

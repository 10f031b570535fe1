//! Vote (key 52, versions 0-2): a quorum's candidate asks for votes; from version 2 it may ask first whether
//! it would get them. Between controllers. KIP-595, KIP-853, KIP-996.

use crate::{BrokerId, ErrorCode, Message, Str, TopicName, UnknownTags, Uuid};

/// A candidate asks for votes.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = Vote, request, versions = "0..=2", flexible = "0..")]
pub struct VoteRequest {
    /// The cluster that the node means to talk to; null for no check.
    #[message(nullable = "0..", default = null)]
    pub cluster_id: Option<Str>,
    /// Node id of the voter that the request is for; -1 for no check (KIP-853).
    #[message(versions = "1..", default = -1, ignorable)]
    pub voter_id: BrokerId,
    /// The partitions, by topic.
    pub topics: Vec<RequestTopicData>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Votes for one topic; the metadata log is the only one.
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

/// The candidate, and how long its log is.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(name = "PartitionData")]
pub struct RequestPartitionData {
    /// Index of the partition, from 0.
    pub partition_index: i32,
    /// The candidate's epoch.
    pub replica_epoch: i32,
    /// The candidate's node id.
    pub replica_id: BrokerId,
    /// Id of the candidate's metadata directory (KIP-853).
    #[message(versions = "1..", ignorable)]
    pub replica_directory_id: Uuid,
    /// Directory id of the voter that the request is for; all zero for no check (KIP-853).
    #[message(versions = "1..", ignorable)]
    pub voter_directory_id: Uuid,
    /// Leader epoch of the last record in the candidate's log.
    pub last_offset_epoch: i32,
    /// Offset after the last record in the candidate's log.
    pub last_offset: i64,
    /// Whether the candidate only asks if it would get the vote (KIP-996).
    #[message(versions = "2..")]
    pub pre_vote: bool,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Whether the candidate has the vote.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = Vote, response, versions = "0..=2", flexible = "0..")]
pub struct VoteResponse {
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

/// Votes for one topic.
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

/// The vote, and the leader as far as the voter knows.
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
    /// Whether the candidate has the vote.
    pub vote_granted: bool,
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

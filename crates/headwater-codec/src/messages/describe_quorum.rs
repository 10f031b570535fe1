//! DescribeQuorum (key 55, versions 0-2): the leader, voters and observers of a quorum, and how far behind
//! each is. KIP-595, KIP-836, KIP-853.

use crate::{BrokerId, ErrorCode, Message, Str, TopicName, UnknownTags, Uuid};

/// Asks about quorums.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = DescribeQuorum, request, versions = "0..=2", flexible = "0..")]
pub struct DescribeQuorumRequest {
    /// The partitions, by topic.
    pub topics: Vec<RequestTopicData>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Partitions of one topic; the metadata log is the only one.
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

/// A partition.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(name = "PartitionData")]
pub struct RequestPartitionData {
    /// Index of the partition, from 0.
    pub partition_index: i32,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The quorums.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = DescribeQuorum, response, versions = "0..=2", flexible = "0..")]
pub struct DescribeQuorumResponse {
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(versions = "2..", nullable = "2..", ignorable)]
    pub error_message: Option<Str>,
    /// The partitions, by topic.
    pub topics: Vec<ResponseTopicData>,
    /// Where to reach the nodes named above (KIP-853).
    #[message(versions = "2..")]
    pub nodes: Vec<Node>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Quorums of one topic.
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

/// A quorum, or why it cannot be described.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(name = "PartitionData")]
pub struct ResponsePartitionData {
    /// Index of the partition, from 0.
    pub partition_index: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(versions = "2..", nullable = "2..", ignorable)]
    pub error_message: Option<Str>,
    /// Node id of the leader; -1 when not known.
    pub leader_id: BrokerId,
    /// The leader's epoch; -1 when not known.
    pub leader_epoch: i32,
    /// The high watermark: offsets below it are committed.
    pub high_watermark: i64,
    /// The voters.
    pub current_voters: Vec<ReplicaState>,
    /// Nodes that follow the log and do not vote.
    pub observers: Vec<ReplicaState>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A voter or observer, and how far it is.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct ReplicaState {
    /// The node's id.
    pub replica_id: BrokerId,
    /// Id of the node's metadata directory (KIP-853); all zero when not known.
    #[message(versions = "2..")]
    pub replica_directory_id: Uuid,
    /// First offset after the node's log; -1 when not known.
    pub log_end_offset: i64,
    /// When the leader last heard of it, in milliseconds since 1970; -1 when not known (KIP-836).
    #[message(versions = "1..", default = -1, ignorable)]
    pub last_fetch_timestamp: i64,
    /// When it last had all that the leader had, in milliseconds since 1970; -1 when not known (KIP-836).
    #[message(versions = "1..", default = -1, ignorable)]
    pub last_caught_up_timestamp: i64,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Where to reach a node named above.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(versions = "2..")]
pub struct Node {
    /// The node's id.
    #[message(versions = "2..", map_key)]
    pub node_id: BrokerId,
    /// Listeners of the node.
    #[message(versions = "2..")]
    pub listeners: Vec<Listener>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A listener.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(versions = "2..")]
pub struct Listener {
    /// The listener's name.
    #[message(versions = "2..", map_key)]
    pub name: Str,
    /// Host name or address to connect to.
    #[message(versions = "2..")]
    pub host: Str,
    /// Port to connect to.
    #[message(versions = "2..")]
    pub port: u16,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

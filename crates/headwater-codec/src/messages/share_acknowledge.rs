//! ShareAcknowledge (key 79, versions 1-2): acknowledges records of a share group without reading on. Version
//! 0 was a preview and is gone. KIP-932, KIP-1222.

use crate::{BrokerId, ErrorCode, GroupId, Message, Str, UnknownTags, Uuid};

/// What to acknowledge.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = ShareAcknowledge, request, versions = "1..=2", flexible = "0..")]
pub struct ShareAcknowledgeRequest {
    /// The group's id; null only by mistake.
    #[message(nullable = "0..", default = null)]
    pub group_id: Option<GroupId>,
    /// The member's id; null only by mistake.
    #[message(nullable = "0..")]
    pub member_id: Option<Str>,
    /// Number of the request within its share session: 0 opens one, -1 closes it.
    pub share_session_epoch: i32,
    /// Whether an acknowledgement renews the lock on its records (KIP-1222).
    #[message(versions = "2..")]
    pub is_renew_ack: bool,
    /// What to acknowledge, by topic.
    pub topics: Vec<AcknowledgeTopic>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Partitions of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct AcknowledgeTopic {
    /// The topic's id (KIP-516); all zero means none.
    #[message(map_key)]
    pub topic_id: Uuid,
    /// What to acknowledge, by partition.
    pub partitions: Vec<AcknowledgePartition>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What to acknowledge in one partition.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct AcknowledgePartition {
    /// Index of the partition, from 0.
    #[message(map_key)]
    pub partition_index: i32,
    /// What to acknowledge.
    pub acknowledgement_batches: Vec<AcknowledgementBatch>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Records to acknowledge that follow one another.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct AcknowledgementBatch {
    /// Offset of the first record.
    pub first_offset: i64,
    /// Offset of the last record.
    pub last_offset: i64,
    /// One for each record, or a single one for all: 0 gap, 1 accept, 2 release, 3 reject, 4 renew.
    pub acknowledge_types: Vec<i8>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of the acknowledgements.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = ShareAcknowledge, response, versions = "1..=2", flexible = "0..")]
pub struct ShareAcknowledgeResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// What went wrong with the whole request; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(nullable = "0..", default = null)]
    pub error_message: Option<Str>,
    /// Milliseconds for which acquired records are locked.
    #[message(versions = "2..", ignorable)]
    pub acquisition_lock_timeout_ms: i32,
    /// What became of the acknowledgements, by topic.
    pub responses: Vec<ShareAcknowledgeTopicResponse>,
    /// Where to reach the leaders named above.
    pub node_endpoints: Vec<NodeEndpoint>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of the acknowledgements in one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct ShareAcknowledgeTopicResponse {
    /// The topic's id (KIP-516); all zero means none.
    #[message(map_key)]
    pub topic_id: Uuid,
    /// What became of the acknowledgements, by partition.
    pub partitions: Vec<PartitionData>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of the acknowledgements in one partition.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct PartitionData {
    /// Index of the partition, from 0.
    pub partition_index: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(nullable = "0..", default = null)]
    pub error_message: Option<Str>,
    /// The leader to ask instead, when the broker is not.
    pub current_leader: LeaderIdAndEpoch,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The leader that the client should have asked.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct LeaderIdAndEpoch {
    /// Node id of the leader; -1 when there is none.
    pub leader_id: BrokerId,
    /// The leader epoch; -1 when not known.
    pub leader_epoch: i32,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Where to reach a leader named in the response.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct NodeEndpoint {
    /// The node's id.
    #[message(map_key)]
    pub node_id: BrokerId,
    /// Host name or address to connect to.
    pub host: Str,
    /// Port to connect to.
    pub port: i32,
    /// The node's rack; null when it has none.
    #[message(nullable = "0..", default = null)]
    pub rack: Option<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

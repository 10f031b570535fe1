//! ShareFetch (key 78, versions 1-2): reads records for a share group and acknowledges earlier ones. Version
//! 0 was a preview and is gone. KIP-932, KIP-1206, KIP-1222.

use crate::{BrokerId, ErrorCode, GroupId, Message, Records, Str, UnknownTags, Uuid};

/// What to acknowledge, and what to read.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = ShareFetch, request, versions = "1..=2", flexible = "0..")]
pub struct ShareFetchRequest {
    /// The group's id; null only by mistake.
    #[message(nullable = "0..", default = null)]
    pub group_id: Option<GroupId>,
    /// The member's id; null only by mistake.
    #[message(nullable = "0..")]
    pub member_id: Option<Str>,
    /// Number of the request within its share session: 0 opens one, -1 closes it.
    pub share_session_epoch: i32,
    /// Milliseconds to wait for `min_bytes` to be there.
    pub max_wait_ms: i32,
    /// Bytes to wait for.
    pub min_bytes: i32,
    /// Bytes to answer at most.
    #[message(default = 2147483647)]
    pub max_bytes: i32,
    /// Records to acquire at most.
    #[message(versions = "1..")]
    pub max_records: i32,
    /// Records in one batch of acquired ones, as far as possible.
    #[message(versions = "1..")]
    pub batch_size: i32,
    /// 0 whole batches even if they exceed `max_records`, 1 never more than `max_records` (KIP-1206).
    #[message(versions = "2..", ignorable)]
    pub share_acquire_mode: i8,
    /// Whether an acknowledgement renews the lock on its records (KIP-1222).
    #[message(versions = "2..")]
    pub is_renew_ack: bool,
    /// Partitions, by topic; in a session, those that are new or have acknowledgements.
    pub topics: Vec<FetchTopic>,
    /// Partitions that leave the session.
    pub forgotten_topics_data: Vec<ForgottenTopic>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Partitions of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct FetchTopic {
    /// The topic's id (KIP-516); all zero means none.
    #[message(map_key)]
    pub topic_id: Uuid,
    /// The partitions.
    pub partitions: Vec<FetchPartition>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A partition to read, and what to acknowledge in it.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct FetchPartition {
    /// Index of the partition, from 0.
    #[message(map_key)]
    pub partition_index: i32,
    /// Bytes to answer at most from this partition, in version 0.
    #[message(versions = "0..=0")]
    pub partition_max_bytes: i32,
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

/// Partitions of one topic that leave the share session.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct ForgottenTopic {
    /// The topic's id (KIP-516); all zero means none.
    pub topic_id: Uuid,
    /// The partitions.
    pub partitions: Vec<i32>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Records, and what became of the acknowledgements.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = ShareFetch, response, versions = "1..=2", flexible = "0..")]
pub struct ShareFetchResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// What went wrong with the whole request; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(nullable = "0..", default = null)]
    pub error_message: Option<Str>,
    /// Milliseconds for which acquired records are locked.
    #[message(versions = "1..")]
    pub acquisition_lock_timeout_ms: i32,
    /// Records, by topic.
    pub responses: Vec<ShareFetchableTopicResponse>,
    /// Where to reach the leaders named above.
    pub node_endpoints: Vec<NodeEndpoint>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Records of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct ShareFetchableTopicResponse {
    /// The topic's id (KIP-516); all zero means none.
    #[message(map_key)]
    pub topic_id: Uuid,
    /// Records, by partition.
    pub partitions: Vec<PartitionData>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Records of one partition, and which of them were acquired.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct PartitionData {
    /// Index of the partition, from 0.
    pub partition_index: i32,
    /// What went wrong with reading; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong with reading, in words; null when there is nothing to say.
    #[message(nullable = "0..", default = null)]
    pub error_message: Option<Str>,
    /// What went wrong with acknowledging; `None` when nothing did.
    pub acknowledge_error_code: ErrorCode,
    /// What went wrong with acknowledging, in words; null when there is nothing to say.
    #[message(nullable = "0..", default = null)]
    pub acknowledge_error_message: Option<Str>,
    /// The leader to ask instead, when the broker is not.
    pub current_leader: LeaderIdAndEpoch,
    /// The batches. Only some of their records may have been acquired.
    #[message(nullable = "0..=0")]
    pub records: Option<Records>,
    /// Which records the member has acquired.
    pub acquired_records: Vec<AcquiredRecords>,
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

/// Records that the member has acquired and that follow one another.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct AcquiredRecords {
    /// Offset of the first record.
    pub first_offset: i64,
    /// Offset of the last record.
    pub last_offset: i64,
    /// How many times the records were delivered, this time included.
    pub delivery_count: i16,
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

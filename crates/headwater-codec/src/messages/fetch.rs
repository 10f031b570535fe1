//! Fetch (key 1, versions 4-18): reads record batches from partitions, waiting for them if need be. KIP-74,
//! KIP-98, KIP-227, KIP-320, KIP-392, KIP-516, KIP-595, KIP-903, KIP-951, KIP-1166.

use crate::{BrokerId, ErrorCode, Message, ProducerId, Records, Str, TopicName, UnknownTags, Uuid};

/// Asks for batches of some partitions, or goes on with a fetch session (KIP-227).
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = Fetch, request, versions = "4..=18", flexible = "12..")]
pub struct FetchRequest {
    /// The cluster that the reader means to talk to; null for no check. Only quorums use it.
    #[message(versions = "12..", nullable = "12..", tag = 0, tagged = "12..", default = null, ignorable)]
    pub cluster_id: Option<Str>,
    /// The follower that asks; -1 for a client.
    #[message(versions = "0..=14", default = -1)]
    pub replica_id: BrokerId,
    /// The follower that fetches, from version 15 (KIP-903).
    #[message(versions = "15..", tag = 1, tagged = "15..")]
    pub replica_state: ReplicaState,
    /// Milliseconds to wait for `min_bytes` to be there.
    pub max_wait_ms: i32,
    /// Bytes to wait for.
    pub min_bytes: i32,
    /// Bytes to answer at most, but at least one batch (KIP-74).
    #[message(versions = "3..", default = 2147483647, ignorable)]
    pub max_bytes: i32,
    /// 0 to read everything (read uncommitted), 1 to read only what is committed (KIP-98).
    #[message(versions = "4..", ignorable)]
    pub isolation_level: i8,
    /// The fetch session to go on with; 0 for none (KIP-227).
    #[message(versions = "7..", ignorable)]
    pub session_id: i32,
    /// Number of the request within its session: 0 opens one, -1 closes or does without (KIP-227).
    #[message(versions = "7..", default = -1, ignorable)]
    pub session_epoch: i32,
    /// Partitions to read; in a session, those that are new or have changed.
    pub topics: Vec<FetchTopic>,
    /// Partitions that leave the session (KIP-227).
    #[message(versions = "7..")]
    pub forgotten_topics_data: Vec<ForgottenTopic>,
    /// The reader's rack, to be sent to a near replica; empty for none (KIP-392).
    #[message(versions = "11..", ignorable)]
    pub rack_id: Str,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The follower that fetches (KIP-903).
#[derive(Clone, Debug, PartialEq, Message)]
#[message(versions = "15..")]
pub struct ReplicaState {
    /// The follower that asks; -1 for a client.
    #[message(versions = "15..", default = -1)]
    pub replica_id: BrokerId,
    /// The follower's broker epoch; -1 when not known.
    #[message(versions = "15..", default = -1)]
    pub replica_epoch: i64,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Partitions of one topic to read.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct FetchTopic {
    /// The topic's name.
    #[message(versions = "0..=12", ignorable)]
    pub topic: TopicName,
    /// The topic's id (KIP-516); all zero means none.
    #[message(versions = "13..", ignorable)]
    pub topic_id: Uuid,
    /// Partitions to read.
    pub partitions: Vec<FetchPartition>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A partition to read, and from where.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct FetchPartition {
    /// Index of the partition, from 0.
    pub partition: i32,
    /// The leader epoch that the client knows, to be checked against the leader's; -1 for no check
    /// (KIP-320).
    #[message(versions = "9..", default = -1, ignorable)]
    pub current_leader_epoch: i32,
    /// Offset to read from.
    pub fetch_offset: i64,
    /// Leader epoch of the reader's last record, to find out where the logs part; -1 for no check
    /// (KIP-595).
    #[message(versions = "12..", default = -1)]
    pub last_fetched_epoch: i32,
    /// First offset of the follower's log; -1 for a client.
    #[message(versions = "5..", default = -1, ignorable)]
    pub log_start_offset: i64,
    /// Bytes to answer at most from this partition, but at least one batch.
    pub partition_max_bytes: i32,
    /// Id of the directory in which the follower keeps the log (KIP-853).
    #[message(versions = "17..", tag = 0, tagged = "17..", ignorable)]
    pub replica_directory_id: Uuid,
    /// The high watermark that the follower knows; `i64::MAX` when not told (KIP-1166).
    #[message(versions = "18..", tag = 1, tagged = "18..", default = 9223372036854775807, ignorable)]
    pub high_watermark: i64,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Partitions of one topic that leave the fetch session.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(versions = "7..")]
pub struct ForgottenTopic {
    /// The topic's name.
    #[message(versions = "7..=12", ignorable)]
    pub topic: TopicName,
    /// The topic's id (KIP-516); all zero means none.
    #[message(versions = "13..", ignorable)]
    pub topic_id: Uuid,
    /// Indexes of the partitions that leave.
    #[message(versions = "7..")]
    pub partitions: Vec<i32>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Batches of the partitions asked for; in a session, only of those that have news.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = Fetch, response, versions = "4..=18", flexible = "12..")]
pub struct FetchResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    #[message(versions = "1..", ignorable)]
    pub throttle_time_ms: i32,
    /// What went wrong with the whole request, such as an unknown session.
    #[message(versions = "7..", ignorable)]
    pub error_code: ErrorCode,
    /// The session; 0 when there is none.
    #[message(versions = "7..")]
    pub session_id: i32,
    /// Batches, by topic.
    pub responses: Vec<FetchableTopicResponse>,
    /// Where to reach the leaders named above (KIP-951).
    #[message(versions = "16..", tag = 0, tagged = "16..")]
    pub node_endpoints: Vec<NodeEndpoint>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Batches of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct FetchableTopicResponse {
    /// The topic's name.
    #[message(versions = "0..=12", ignorable)]
    pub topic: TopicName,
    /// The topic's id (KIP-516); all zero means none.
    #[message(versions = "13..", ignorable)]
    pub topic_id: Uuid,
    /// Batches, by partition.
    pub partitions: Vec<PartitionData>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Batches of one partition, and how far its log goes.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct PartitionData {
    /// Index of the partition, from 0.
    pub partition_index: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// The high watermark: offsets below it can be read.
    pub high_watermark: i64,
    /// The last stable offset: below it every transaction is decided; -1 when not told.
    #[message(versions = "4..", default = -1, ignorable)]
    pub last_stable_offset: i64,
    /// First offset of the log; -1 when not known.
    #[message(versions = "5..", default = -1, ignorable)]
    pub log_start_offset: i64,
    /// Where the logs part, when the reader's last epoch does not agree with the leader's (KIP-595).
    #[message(versions = "12..", tag = 0, tagged = "12..")]
    pub diverging_epoch: EpochEndOffset,
    /// The leader to read from instead, when the broker is not (KIP-951).
    #[message(versions = "12..", tag = 1, tagged = "12..")]
    pub current_leader: LeaderIdAndEpoch,
    /// The snapshot to fetch first; -1 in both fields for none (KIP-630).
    #[message(versions = "12..", tag = 2, tagged = "12..")]
    pub snapshot_id: SnapshotId,
    /// Aborted transactions that reach into the batches, by first offset; null when everything is read.
    #[message(versions = "4..", nullable = "4..", ignorable)]
    pub aborted_transactions: Option<Vec<AbortedTransaction>>,
    /// Node id of a nearer replica to read from; -1 for this one (KIP-392).
    #[message(versions = "11..", default = -1)]
    pub preferred_read_replica: BrokerId,
    /// The batches. The first may begin before the offset asked for, the last may be cut short.
    #[message(nullable = "0..")]
    pub records: Option<Records>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Up to where the leader's log agrees with the reader's (KIP-595).
#[derive(Clone, Debug, PartialEq, Message)]
#[message(versions = "12..")]
pub struct EpochEndOffset {
    /// The epoch up to which the logs agree; -1 for none.
    #[message(versions = "12..", default = -1)]
    pub epoch: i32,
    /// First offset after that epoch; -1 for none.
    #[message(versions = "12..", default = -1)]
    pub end_offset: i64,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The leader that the client should have asked (KIP-951).
#[derive(Clone, Debug, PartialEq, Message)]
#[message(versions = "12..")]
pub struct LeaderIdAndEpoch {
    /// Node id of the leader; -1 when there is none.
    #[message(versions = "12..", default = -1)]
    pub leader_id: BrokerId,
    /// The leader epoch; -1 when not known.
    #[message(versions = "12..", default = -1)]
    pub leader_epoch: i32,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A snapshot to fetch in place of a log that no longer goes so far back (KIP-630).
#[derive(Clone, Debug, PartialEq, Message)]
#[message(versions = "12..")]
pub struct SnapshotId {
    /// First offset that the snapshot does not hold; -1 for none.
    #[message(default = -1)]
    pub end_offset: i64,
    /// Leader epoch of the last record in the snapshot; -1 for none.
    #[message(default = -1)]
    pub epoch: i32,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A transaction among the batches that was aborted: a reader of committed records skips it.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(versions = "4..")]
pub struct AbortedTransaction {
    /// The producer's id.
    #[message(versions = "4..")]
    pub producer_id: ProducerId,
    /// Offset of the first record of the transaction.
    #[message(versions = "4..")]
    pub first_offset: i64,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Where to reach a leader named in the response (KIP-951).
#[derive(Clone, Debug, PartialEq, Message)]
#[message(versions = "16..")]
pub struct NodeEndpoint {
    /// The node's id.
    #[message(versions = "16..", map_key)]
    pub node_id: BrokerId,
    /// Host name or address to connect to.
    #[message(versions = "16..")]
    pub host: Str,
    /// Port to connect to.
    #[message(versions = "16..")]
    pub port: i32,
    /// The node's rack; null when it has none.
    #[message(versions = "16..", nullable = "16..", default = null)]
    pub rack: Option<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

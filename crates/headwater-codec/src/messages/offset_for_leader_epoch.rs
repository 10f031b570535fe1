//! OffsetForLeaderEpoch (key 23, versions 2-4): where a leader epoch ends, so that a reader can tell whether
//! its log was cut. KIP-101, KIP-279, KIP-320.

use crate::{BrokerId, ErrorCode, Message, TopicName, UnknownTags};

/// Asks where leader epochs end.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = OffsetForLeaderEpoch, request, versions = "2..=4", flexible = "4..")]
pub struct OffsetForLeaderEpochRequest {
    /// The follower that asks; -1 for a client, -2 for one that does not say.
    #[message(versions = "3..", default = -2, ignorable)]
    pub replica_id: BrokerId,
    /// Partitions to ask about, by topic.
    pub topics: Vec<OffsetForLeaderTopic>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Partitions of one topic to ask about.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct OffsetForLeaderTopic {
    /// The topic's name.
    #[message(map_key)]
    pub topic: TopicName,
    /// Partitions to ask about.
    pub partitions: Vec<OffsetForLeaderPartition>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A partition, and the leader epoch asked about.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct OffsetForLeaderPartition {
    /// Index of the partition, from 0.
    pub partition: i32,
    /// The leader epoch that the client knows, to be checked against the leader's; -1 for no check
    /// (KIP-320).
    #[message(versions = "2..", default = -1, ignorable)]
    pub current_leader_epoch: i32,
    /// The leader epoch asked about.
    pub leader_epoch: i32,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Where the leader epochs end.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = OffsetForLeaderEpoch, response, versions = "2..=4", flexible = "4..")]
pub struct OffsetForLeaderEpochResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    #[message(versions = "2..", ignorable)]
    pub throttle_time_ms: i32,
    /// The answers, by topic.
    pub topics: Vec<OffsetForLeaderTopicResult>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The answers for one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct OffsetForLeaderTopicResult {
    /// The topic's name.
    #[message(map_key)]
    pub topic: TopicName,
    /// The answers, by partition.
    pub partitions: Vec<EpochEndOffset>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Where a leader epoch ends in one partition.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct EpochEndOffset {
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// Index of the partition, from 0.
    pub partition: i32,
    /// The largest epoch up to the one asked about that the log has; -1 for none.
    #[message(versions = "1..", default = -1, ignorable)]
    pub leader_epoch: i32,
    /// First offset after that epoch; -1 for none.
    #[message(default = -1)]
    pub end_offset: i64,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

//! ListOffsets (key 2, versions 1-11): finds offsets by timestamp, or the ends of a log. KIP-79, KIP-320,
//! KIP-405, KIP-734, KIP-1005, KIP-1023.

use crate::{BrokerId, ErrorCode, Message, TopicName, UnknownTags};

/// Asks for offsets by timestamp.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = ListOffsets, request, versions = "1..=11", flexible = "6..")]
pub struct ListOffsetsRequest {
    /// The follower that asks; -1 for a client.
    pub replica_id: BrokerId,
    /// 0 to read everything (read uncommitted), 1 to read only what is committed (KIP-98).
    #[message(versions = "2..")]
    pub isolation_level: i8,
    /// Partitions to look into, by topic.
    pub topics: Vec<ListOffsetsTopic>,
    /// Milliseconds to wait for an answer from tiered storage.
    #[message(versions = "10..", ignorable)]
    pub timeout_ms: i32,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Partitions of one topic to look into.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct ListOffsetsTopic {
    /// The topic's name.
    pub name: TopicName,
    /// Partitions to look into.
    pub partitions: Vec<ListOffsetsPartition>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A partition, and the timestamp to look for.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct ListOffsetsPartition {
    /// Index of the partition, from 0.
    pub partition_index: i32,
    /// The leader epoch that the client knows, to be checked against the leader's; -1 for no check
    /// (KIP-320).
    #[message(versions = "4..", default = -1, ignorable)]
    pub current_leader_epoch: i32,
    /// Milliseconds since 1970: finds the first record that is not older. Or -1 end of the log, -2 its
    /// start, -3 the largest timestamp, -4 start of the local log, -5 end of what is tiered, -6 the first
    /// offset to be uploaded.
    pub timestamp: i64,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The offsets found.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = ListOffsets, response, versions = "1..=11", flexible = "6..")]
pub struct ListOffsetsResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    #[message(versions = "2..", ignorable)]
    pub throttle_time_ms: i32,
    /// The offsets found, by topic.
    pub topics: Vec<ListOffsetsTopicResponse>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The offsets found in one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct ListOffsetsTopicResponse {
    /// The topic's name.
    pub name: TopicName,
    /// The offsets found, by partition.
    pub partitions: Vec<ListOffsetsPartitionResponse>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The offset found in one partition.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct ListOffsetsPartitionResponse {
    /// Index of the partition, from 0.
    pub partition_index: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// Timestamp of the record found, in milliseconds since 1970; -1 when it is not asked for or not
    /// found.
    #[message(versions = "1..", default = -1)]
    pub timestamp: i64,
    /// The offset found; -1 when there is none.
    #[message(versions = "1..", default = -1)]
    pub offset: i64,
    /// Leader epoch of the record found; -1 when not known.
    #[message(versions = "4..", default = -1)]
    pub leader_epoch: i32,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

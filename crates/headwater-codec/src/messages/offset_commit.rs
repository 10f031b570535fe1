//! OffsetCommit (key 8, versions 2-10): stores how far a group has read. KIP-211, KIP-320, KIP-345, KIP-516,
//! KIP-848.

use crate::{ErrorCode, GroupId, Message, Str, TopicName, UnknownTags, Uuid};

/// Offsets to store for a group.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = OffsetCommit, request, versions = "2..=10", flexible = "8..")]
pub struct OffsetCommitRequest {
    /// The group's id.
    pub group_id: GroupId,
    /// The generation of a classic group, or the member's epoch (KIP-848); -1 from outside the group.
    #[message(versions = "1..", default = -1, ignorable)]
    pub generation_id_or_member_epoch: i32,
    /// The member's id; empty from outside the group.
    #[message(versions = "1..", ignorable)]
    pub member_id: Str,
    /// A static member's own, stable name; null for a dynamic member (KIP-345).
    #[message(versions = "7..", nullable = "7..", default = null)]
    pub group_instance_id: Option<Str>,
    /// Milliseconds to keep the offsets; -1 for as long as the broker keeps them (KIP-211).
    #[message(versions = "2..=4", default = -1, ignorable)]
    pub retention_time_ms: i64,
    /// Offsets, by topic.
    pub topics: Vec<OffsetCommitRequestTopic>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Offsets in one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct OffsetCommitRequestTopic {
    /// The topic's name.
    #[message(versions = "0..=9", ignorable)]
    pub name: TopicName,
    /// The topic's id (KIP-516); all zero means none.
    #[message(versions = "10..", ignorable)]
    pub topic_id: Uuid,
    /// Offsets, by partition.
    pub partitions: Vec<OffsetCommitRequestPartition>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The offset in one partition.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct OffsetCommitRequestPartition {
    /// Index of the partition, from 0.
    pub partition_index: i32,
    /// The offset to read next.
    pub committed_offset: i64,
    /// Leader epoch of the last record read; -1 when not known (KIP-320).
    #[message(versions = "6..", default = -1, ignorable)]
    pub committed_leader_epoch: i32,
    /// The client's own note; may be null.
    #[message(nullable = "0..")]
    pub committed_metadata: Option<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of each offset.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = OffsetCommit, response, versions = "2..=10", flexible = "8..")]
pub struct OffsetCommitResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    #[message(versions = "3..", ignorable)]
    pub throttle_time_ms: i32,
    /// What became of the offsets, by topic.
    pub topics: Vec<OffsetCommitResponseTopic>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of the offsets in one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct OffsetCommitResponseTopic {
    /// The topic's name.
    #[message(versions = "0..=9", ignorable)]
    pub name: TopicName,
    /// The topic's id (KIP-516); all zero means none.
    #[message(versions = "10..", ignorable)]
    pub topic_id: Uuid,
    /// What became of the offsets, by partition.
    pub partitions: Vec<OffsetCommitResponsePartition>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of the offset in one partition.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct OffsetCommitResponsePartition {
    /// Index of the partition, from 0.
    pub partition_index: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

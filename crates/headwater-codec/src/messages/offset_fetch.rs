//! OffsetFetch (key 9, versions 1-10): how far groups have read. KIP-88, KIP-320, KIP-447, KIP-516, KIP-709,
//! KIP-848.

use crate::{ErrorCode, GroupId, Message, Str, TopicName, UnknownTags, Uuid};

/// Asks for the offsets of one group, or (from version 8) of several.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = OffsetFetch, request, versions = "1..=10", flexible = "6..")]
pub struct OffsetFetchRequest {
    /// The group's id.
    #[message(versions = "0..=7")]
    pub group_id: GroupId,
    /// Partitions to ask about, by topic; null means all that the group has offsets for.
    #[message(versions = "0..=7", nullable = "2..=7")]
    pub topics: Option<Vec<OffsetFetchRequestTopic>>,
    /// Groups to ask about (KIP-709).
    #[message(versions = "8..")]
    pub groups: Vec<OffsetFetchRequestGroup>,
    /// Whether to answer an error while a transaction holds offsets that are not decided (KIP-447).
    #[message(versions = "7..")]
    pub require_stable: bool,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Partitions of one topic, up to version 7.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(versions = "0..=7")]
pub struct OffsetFetchRequestTopic {
    /// The topic's name.
    #[message(versions = "0..=7")]
    pub name: TopicName,
    /// Indexes of the partitions to ask about.
    #[message(versions = "0..=7")]
    pub partition_indexes: Vec<i32>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A group to ask about.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(versions = "8..")]
pub struct OffsetFetchRequestGroup {
    /// The group's id.
    #[message(versions = "8..")]
    pub group_id: GroupId,
    /// The member that asks (KIP-848); null from outside the group.
    #[message(versions = "9..", nullable = "9..", default = null, ignorable)]
    pub member_id: Option<Str>,
    /// The member's epoch (KIP-848); -1 for no check.
    #[message(versions = "9..", default = -1, ignorable)]
    pub member_epoch: i32,
    /// Partitions to ask about, by topic; null means all that the group has offsets for.
    #[message(versions = "8..", nullable = "8..")]
    pub topics: Option<Vec<OffsetFetchRequestTopics>>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Partitions of one topic, from version 8.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(versions = "8..")]
pub struct OffsetFetchRequestTopics {
    /// The topic's name.
    #[message(versions = "8..=9", ignorable)]
    pub name: TopicName,
    /// The topic's id (KIP-516); all zero means none.
    #[message(versions = "10..", ignorable)]
    pub topic_id: Uuid,
    /// Indexes of the partitions to ask about.
    #[message(versions = "8..")]
    pub partition_indexes: Vec<i32>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The offsets of one group, or (from version 8) of several.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = OffsetFetch, response, versions = "1..=10", flexible = "6..")]
pub struct OffsetFetchResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    #[message(versions = "3..", ignorable)]
    pub throttle_time_ms: i32,
    /// Offsets, by topic.
    #[message(versions = "0..=7")]
    pub topics: Vec<OffsetFetchResponseTopic>,
    /// What went wrong; `None` when nothing did.
    #[message(versions = "2..=7", ignorable)]
    pub error_code: ErrorCode,
    /// The groups asked about (KIP-709).
    #[message(versions = "8..")]
    pub groups: Vec<OffsetFetchResponseGroup>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Offsets in one topic, up to version 7.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(versions = "0..=7")]
pub struct OffsetFetchResponseTopic {
    /// The topic's name.
    #[message(versions = "0..=7")]
    pub name: TopicName,
    /// Offsets, by partition.
    #[message(versions = "0..=7")]
    pub partitions: Vec<OffsetFetchResponsePartition>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The offset in one partition, up to version 7.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(versions = "0..=7")]
pub struct OffsetFetchResponsePartition {
    /// Index of the partition, from 0.
    #[message(versions = "0..=7")]
    pub partition_index: i32,
    /// The offset to read next; -1 when none is committed.
    #[message(versions = "0..=7")]
    pub committed_offset: i64,
    /// Leader epoch of the last record read; -1 when not known (KIP-320).
    #[message(versions = "5..=7", default = -1, ignorable)]
    pub committed_leader_epoch: i32,
    /// The client's note; empty when none is committed.
    #[message(versions = "0..=7", nullable = "0..=7")]
    pub metadata: Option<Str>,
    /// What went wrong; `None` when nothing did.
    #[message(versions = "0..=7")]
    pub error_code: ErrorCode,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The offsets of one group.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(versions = "8..")]
pub struct OffsetFetchResponseGroup {
    /// The group's id.
    #[message(versions = "8..")]
    pub group_id: GroupId,
    /// Offsets, by topic.
    #[message(versions = "8..")]
    pub topics: Vec<OffsetFetchResponseTopics>,
    /// What went wrong; `None` when nothing did.
    #[message(versions = "8..")]
    pub error_code: ErrorCode,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Offsets in one topic, from version 8.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(versions = "8..")]
pub struct OffsetFetchResponseTopics {
    /// The topic's name.
    #[message(versions = "8..=9", ignorable)]
    pub name: TopicName,
    /// The topic's id (KIP-516); all zero means none.
    #[message(versions = "10..", ignorable)]
    pub topic_id: Uuid,
    /// Offsets, by partition.
    #[message(versions = "8..")]
    pub partitions: Vec<OffsetFetchResponsePartitions>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The offset in one partition, from version 8.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(versions = "8..")]
pub struct OffsetFetchResponsePartitions {
    /// Index of the partition, from 0.
    #[message(versions = "8..")]
    pub partition_index: i32,
    /// The offset to read next; -1 when none is committed.
    #[message(versions = "8..")]
    pub committed_offset: i64,
    /// Leader epoch of the last record read; -1 when not known (KIP-320).
    #[message(versions = "8..", default = -1, ignorable)]
    pub committed_leader_epoch: i32,
    /// The client's note; empty when none is committed.
    #[message(versions = "8..", nullable = "8..")]
    pub metadata: Option<Str>,
    /// What went wrong; `None` when nothing did.
    #[message(versions = "8..")]
    pub error_code: ErrorCode,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

//! TxnOffsetCommit (key 28, versions 0-6): stores offsets of a group as part of a transaction; they count
//! once it commits. Version 6 (topic ids) belongs to Kafka 4.4. KIP-98, KIP-447, KIP-890.

use crate::{
    ErrorCode, GroupId, Message, ProducerEpoch, ProducerId, Str, TopicName, TransactionalId, UnknownTags,
    Uuid,
};

/// Offsets to store for a group, within a transaction.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = TxnOffsetCommit, request, versions = "0..=6", stable = "..=5", flexible = "3..")]
pub struct TxnOffsetCommitRequest {
    /// The producer's transactional id.
    pub transactional_id: TransactionalId,
    /// The group's id.
    pub group_id: GroupId,
    /// The producer's id; -1 for none.
    pub producer_id: ProducerId,
    /// The producer's epoch; -1 for none.
    pub producer_epoch: ProducerEpoch,
    /// The generation of a classic group, or the member's epoch (KIP-848); -1 for no check (KIP-447).
    #[message(versions = "3..", default = -1)]
    pub generation_id_or_member_epoch: i32,
    /// The member's id; empty for no check (KIP-447).
    #[message(versions = "3..")]
    pub member_id: Str,
    /// A static member's own, stable name; null for a dynamic member (KIP-345).
    #[message(versions = "3..", nullable = "3..", default = null)]
    pub group_instance_id: Option<Str>,
    /// Offsets, by topic.
    pub topics: Vec<TxnOffsetCommitRequestTopic>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Offsets in one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct TxnOffsetCommitRequestTopic {
    /// The topic's name, up to version 5.
    #[message(versions = "0..=5")]
    pub name: TopicName,
    /// The topic's id, from version 6.
    #[message(versions = "6..")]
    pub topic_id: Uuid,
    /// Offsets, by partition.
    pub partitions: Vec<TxnOffsetCommitRequestPartition>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The offset in one partition.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct TxnOffsetCommitRequestPartition {
    /// Index of the partition, from 0.
    pub partition_index: i32,
    /// The offset to read next.
    pub committed_offset: i64,
    /// Leader epoch of the last record read; -1 when not known (KIP-320).
    #[message(versions = "2..", default = -1, ignorable)]
    pub committed_leader_epoch: i32,
    /// The client's own note; may be null.
    #[message(nullable = "0..")]
    pub committed_metadata: Option<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of each offset.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = TxnOffsetCommit, response, versions = "0..=6", stable = "..=5", flexible = "3..")]
pub struct TxnOffsetCommitResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// What became of the offsets, by topic.
    pub topics: Vec<TxnOffsetCommitResponseTopic>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of the offsets in one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct TxnOffsetCommitResponseTopic {
    /// The topic's name, up to version 5.
    #[message(versions = "0..=5")]
    pub name: TopicName,
    /// The topic's id, from version 6.
    #[message(versions = "6..")]
    pub topic_id: Uuid,
    /// What became of the offsets, by partition.
    pub partitions: Vec<TxnOffsetCommitResponsePartition>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of the offset in one partition.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct TxnOffsetCommitResponsePartition {
    /// Index of the partition, from 0.
    pub partition_index: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

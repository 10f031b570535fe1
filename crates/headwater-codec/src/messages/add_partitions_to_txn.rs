//! AddPartitionsToTxn (key 24, versions 0-5): adds partitions to a transaction. Producers send versions up to
//! 3 or, with transactions of KIP-890, let the broker do it: versions 4 and up go from broker to coordinator,
//! several transactions at once. KIP-98, KIP-890.

use crate::{ErrorCode, Message, ProducerEpoch, ProducerId, TopicName, TransactionalId, UnknownTags};

/// Partitions of one transaction, or (from version 4) of several.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = AddPartitionsToTxn, request, versions = "0..=5", flexible = "3..")]
pub struct AddPartitionsToTxnRequest {
    /// Transactions, from version 4 (KIP-890).
    #[message(versions = "4..")]
    pub transactions: Vec<AddPartitionsToTxnTransaction>,
    /// The producer's transactional id, up to version 3.
    #[message(versions = "0..=3")]
    pub v3_and_below_transactional_id: TransactionalId,
    /// The producer's id, up to version 3.
    #[message(versions = "0..=3")]
    pub v3_and_below_producer_id: ProducerId,
    /// The producer's epoch, up to version 3.
    #[message(versions = "0..=3")]
    pub v3_and_below_producer_epoch: ProducerEpoch,
    /// Partitions to add, by topic, up to version 3.
    #[message(versions = "0..=3")]
    pub v3_and_below_topics: Vec<AddPartitionsToTxnTopic>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A transaction and its new partitions.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(versions = "4..")]
pub struct AddPartitionsToTxnTransaction {
    /// The producer's transactional id.
    #[message(versions = "4..", map_key)]
    pub transactional_id: TransactionalId,
    /// The producer's id; -1 for none.
    #[message(versions = "4..")]
    pub producer_id: ProducerId,
    /// The producer's epoch; -1 for none.
    #[message(versions = "4..")]
    pub producer_epoch: ProducerEpoch,
    /// Whether to ask only if the partitions are part of it, and add nothing (KIP-890).
    #[message(versions = "4..")]
    pub verify_only: bool,
    /// Partitions to add, by topic.
    #[message(versions = "4..")]
    pub topics: Vec<AddPartitionsToTxnTopic>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Partitions of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct AddPartitionsToTxnTopic {
    /// The topic's name.
    #[message(map_key)]
    pub name: TopicName,
    /// Indexes of the partitions.
    pub partitions: Vec<i32>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of each partition.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = AddPartitionsToTxn, response, versions = "0..=5", flexible = "3..")]
pub struct AddPartitionsToTxnResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// What went wrong with the whole request; `None` when nothing did.
    #[message(versions = "4..", ignorable)]
    pub error_code: ErrorCode,
    /// What became of each transaction, from version 4.
    #[message(versions = "4..")]
    pub results_by_transaction: Vec<AddPartitionsToTxnResult>,
    /// What became of the partitions, by topic, up to version 3.
    #[message(versions = "0..=3")]
    pub results_by_topic_v3_and_below: Vec<AddPartitionsToTxnTopicResult>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of the partitions of one transaction.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(versions = "4..")]
pub struct AddPartitionsToTxnResult {
    /// The producer's transactional id.
    #[message(versions = "4..", map_key)]
    pub transactional_id: TransactionalId,
    /// What became of the partitions, by topic.
    #[message(versions = "4..")]
    pub topic_results: Vec<AddPartitionsToTxnTopicResult>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of the partitions of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct AddPartitionsToTxnTopicResult {
    /// The topic's name.
    #[message(map_key)]
    pub name: TopicName,
    /// What became of each partition.
    pub results_by_partition: Vec<AddPartitionsToTxnPartitionResult>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of one partition.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct AddPartitionsToTxnPartitionResult {
    /// Index of the partition, from 0.
    #[message(map_key)]
    pub partition_index: i32,
    /// What went wrong; `None` when nothing did.
    pub partition_error_code: ErrorCode,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

//! TransactionLogValue (`__transaction_state`, versions 0-1): KIP-98, KIP-890.

use crate::{Message, ProducerEpoch, ProducerId, TopicName, UnknownTags};

/// The state of a transactional producer and its transaction. Stands after its version; a null value in
/// its place forgets the producer.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "0..=1", flexible = "1..")]
pub struct TransactionLogValue {
    /// The producer's id; -1 for none.
    pub producer_id: ProducerId,
    /// The producer id before the last change; -1 for none (KIP-360, KIP-890).
    #[message(versions = "1..", tag = 0, tagged = "1..", default = -1)]
    pub previous_producer_id: ProducerId,
    /// The producer id that comes after the transaction; -1 for none (KIP-890).
    #[message(versions = "1..", tag = 1, tagged = "1..", default = -1)]
    pub next_producer_id: ProducerId,
    /// The producer's epoch; -1 for none.
    pub producer_epoch: ProducerEpoch,
    /// The epoch that goes with the next producer id; -1 for none (KIP-939).
    #[message(versions = "1..", tag = 3, tagged = "1..", default = -1, ignorable)]
    pub next_producer_epoch: ProducerEpoch,
    /// Milliseconds after which the coordinator aborts the transaction.
    pub transaction_timeout_ms: i32,
    /// 0 empty, 1 ongoing, 2 prepared to commit, 3 prepared to abort, 4 committed, 5 aborted, 6 dead, 7
    /// being fenced.
    pub transaction_status: i8,
    /// Partitions that are part of the transaction, by topic; null when it is none.
    #[message(nullable = "0..")]
    pub transaction_partitions: Option<Vec<PartitionsSchema>>,
    /// When the state last changed, in milliseconds since 1970.
    pub transaction_last_update_timestamp_ms: i64,
    /// When the transaction began, in milliseconds since 1970; -1 when none is open.
    pub transaction_start_timestamp_ms: i64,
    /// The level of `transaction.version` that the client goes by (KIP-890).
    #[message(versions = "1..", tag = 2, tagged = "1..")]
    pub client_transaction_version: i16,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Partitions of one topic that are part of the transaction.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct PartitionsSchema {
    /// The topic's name.
    pub topic: TopicName,
    /// Indexes of the partitions.
    pub partition_ids: Vec<i32>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

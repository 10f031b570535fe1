//! DescribeTransactions (key 65, version 0): the state of transactions by transactional id. KIP-664.

use crate::{ErrorCode, Message, ProducerEpoch, ProducerId, Str, TopicName, TransactionalId, UnknownTags};

/// Asks about transactions by transactional id.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = DescribeTransactions, request, versions = "0..=0", flexible = "0..")]
pub struct DescribeTransactionsRequest {
    /// Transactional ids to ask about.
    pub transactional_ids: Vec<TransactionalId>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The transactions.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = DescribeTransactions, response, versions = "0..=0", flexible = "0..")]
pub struct DescribeTransactionsResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// The transactions, in the order of the request.
    pub transaction_states: Vec<TransactionState>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A transaction, or why it cannot be described.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct TransactionState {
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// The producer's transactional id.
    pub transactional_id: TransactionalId,
    /// The transaction's state, such as `Empty`, `Ongoing`, `PrepareCommit` or `CompleteCommit`.
    pub transaction_state: Str,
    /// Milliseconds after which the coordinator aborts the transaction.
    pub transaction_timeout_ms: i32,
    /// When the transaction began, in milliseconds since 1970; -1 when none is open.
    pub transaction_start_time_ms: i64,
    /// The producer's id; -1 for none.
    pub producer_id: ProducerId,
    /// The producer's epoch; -1 for none.
    pub producer_epoch: ProducerEpoch,
    /// Partitions that are part of the transaction, by topic.
    pub topics: Vec<TopicData>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Partitions of one topic that are part of the transaction.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct TopicData {
    /// The topic's name.
    #[message(map_key)]
    pub topic: TopicName,
    /// Indexes of the partitions.
    pub partitions: Vec<i32>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

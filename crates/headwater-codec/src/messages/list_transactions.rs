//! ListTransactions (key 66, versions 0-2): the transactions that a broker coordinates. KIP-664, KIP-994,
//! KIP-1152.

use crate::{ErrorCode, Message, ProducerId, Str, TransactionalId, UnknownTags};

/// A filter.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = ListTransactions, request, versions = "0..=2", flexible = "0..")]
pub struct ListTransactionsRequest {
    /// States to list; empty means all.
    pub state_filters: Vec<Str>,
    /// Producer ids to list; empty means all.
    pub producer_id_filters: Vec<ProducerId>,
    /// Milliseconds that a transaction must have run at least; negative for all (KIP-994).
    #[message(versions = "1..", default = -1)]
    pub duration_filter: i64,
    /// A regular expression (RE2) that the transactional id must match; null for all (KIP-1152).
    #[message(versions = "2..", nullable = "2..", default = null)]
    pub transactional_id_pattern: Option<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The transactions that match.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = ListTransactions, response, versions = "0..=2", flexible = "0..")]
pub struct ListTransactionsResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// Names of states that the coordinator does not know.
    pub unknown_state_filters: Vec<Str>,
    /// The transactions.
    pub transaction_states: Vec<TransactionState>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A transaction.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct TransactionState {
    /// The producer's transactional id.
    pub transactional_id: TransactionalId,
    /// The producer's id; -1 for none.
    pub producer_id: ProducerId,
    /// The transaction's state, such as `Empty`, `Ongoing`, `PrepareCommit` or `CompleteCommit`.
    pub transaction_state: Str,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

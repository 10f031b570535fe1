//! EndTxn (key 26, versions 0-5): commits or aborts a transaction; from version 5 the answer bumps the epoch.
//! KIP-98, KIP-890.

use crate::{ErrorCode, Message, ProducerEpoch, ProducerId, TransactionalId, UnknownTags};

/// How the transaction ends.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = EndTxn, request, versions = "0..=5", flexible = "3..")]
pub struct EndTxnRequest {
    /// The producer's transactional id.
    pub transactional_id: TransactionalId,
    /// The producer's id; -1 for none.
    pub producer_id: ProducerId,
    /// The producer's epoch; -1 for none.
    pub producer_epoch: ProducerEpoch,
    /// Whether it commits; else it aborts.
    pub committed: bool,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Whether it did, and from version 5 the producer id and epoch for the next one.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = EndTxn, response, versions = "0..=5", flexible = "3..")]
pub struct EndTxnResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// The producer id to go on with; -1 on an error (KIP-890).
    #[message(versions = "5..", default = -1, ignorable)]
    pub producer_id: ProducerId,
    /// The epoch to go on with; -1 on an error (KIP-890).
    #[message(versions = "5..", default = -1, ignorable)]
    pub producer_epoch: ProducerEpoch,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

//! InitProducerId (key 22, versions 0-6): gives a producer its id and epoch, and fences its older self.
//! KIP-98, KIP-360, KIP-890; KIP-939 from version 6, which is not stable yet.

use crate::{ErrorCode, Message, ProducerEpoch, ProducerId, TransactionalId, UnknownTags};

/// Asks for a producer id, or bumps the epoch of a known one (KIP-98, KIP-360).
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = InitProducerId, request, versions = "0..=6", stable = "..=5", flexible = "2..")]
pub struct InitProducerIdRequest {
    /// The producer's transactional id; null for one that is only idempotent.
    #[message(nullable = "0..")]
    pub transactional_id: Option<TransactionalId>,
    /// Milliseconds after which the coordinator aborts a transaction that is still open.
    pub transaction_timeout_ms: i32,
    /// The producer id to go on with; -1 asks for a new one (KIP-360).
    #[message(versions = "3..", default = -1)]
    pub producer_id: ProducerId,
    /// The epoch that goes with it; -1 for none (KIP-360).
    #[message(versions = "3..", default = -1)]
    pub producer_epoch: ProducerEpoch,
    /// Whether the producer takes part in two-phase commits (KIP-939).
    #[message(versions = "6..")]
    pub enable2_pc: bool,
    /// Whether a prepared transaction stays open (KIP-939).
    #[message(versions = "6..")]
    pub keep_prepared_txn: bool,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The producer id and epoch to use.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = InitProducerId, response, versions = "0..=6", stable = "..=5", flexible = "2..")]
pub struct InitProducerIdResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    #[message(ignorable)]
    pub throttle_time_ms: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// The producer id to use; -1 on an error.
    #[message(default = -1)]
    pub producer_id: ProducerId,
    /// The epoch to use.
    pub producer_epoch: ProducerEpoch,
    /// Producer id of the transaction that stays open; -1 for none (KIP-939).
    #[message(versions = "6..", default = -1)]
    pub ongoing_txn_producer_id: ProducerId,
    /// Epoch of the transaction that stays open; -1 for none (KIP-939).
    #[message(versions = "6..", default = -1)]
    pub ongoing_txn_producer_epoch: ProducerEpoch,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

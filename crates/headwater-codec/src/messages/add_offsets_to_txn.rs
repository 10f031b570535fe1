//! AddOffsetsToTxn (key 25, versions 0-4): tells the transaction coordinator that a group's offsets will be
//! part of a transaction. KIP-98, KIP-447, KIP-890.

use crate::{ErrorCode, GroupId, Message, ProducerEpoch, ProducerId, TransactionalId, UnknownTags};

/// The group whose offsets will be part of the transaction.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = AddOffsetsToTxn, request, versions = "0..=4", flexible = "3..")]
pub struct AddOffsetsToTxnRequest {
    /// The producer's transactional id.
    pub transactional_id: TransactionalId,
    /// The producer's id; -1 for none.
    pub producer_id: ProducerId,
    /// The producer's epoch; -1 for none.
    pub producer_epoch: ProducerEpoch,
    /// The group's id.
    pub group_id: GroupId,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Whether they may.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = AddOffsetsToTxn, response, versions = "0..=4", flexible = "3..")]
pub struct AddOffsetsToTxnResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

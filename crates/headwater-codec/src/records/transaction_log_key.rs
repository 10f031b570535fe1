//! TransactionLogKey (`__transaction_state`, version 0): KIP-98, KIP-890.

use crate::{Message, TransactionalId};

/// Which transactional producer. Stands after its version.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "0..=0", flexible = "none")]
pub struct TransactionLogKey {
    /// The producer's transactional id.
    #[message(versions = "0..=0")]
    pub transactional_id: TransactionalId,
}

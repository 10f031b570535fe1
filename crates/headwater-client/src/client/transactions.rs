//! Transactions, for connections with a named producer.

use headwater_native::messages::{BeginTxn, EndTxn, TxnOffset, TxnOffsetCommit};

use super::Client;
use crate::ClientError;

impl Client {
    /// Begins a transaction.
    ///
    /// # Errors
    /// The server's refusal: [`INVALID_TXN_STATE`](crate::ErrorCode::INVALID_TXN_STATE) from one that has no
    /// transactions. What can go wrong with any call.
    pub async fn begin_transaction(&self) -> Result<(), ClientError> {
        self.done(&BeginTxn {}).await
    }

    /// Commits the transaction.
    ///
    /// # Errors
    /// As [`Client::begin_transaction`].
    pub async fn commit_transaction(&self) -> Result<(), ClientError> {
        self.done(&EndTxn { commit: true }).await
    }

    /// Aborts the transaction.
    ///
    /// # Errors
    /// As [`Client::begin_transaction`].
    pub async fn abort_transaction(&self) -> Result<(), ClientError> {
        self.done(&EndTxn { commit: false }).await
    }

    /// Commits a group's offsets when the transaction commits.
    ///
    /// # Errors
    /// As [`Client::begin_transaction`].
    pub async fn send_offsets_to_transaction(
        &self,
        group: &str,
        offsets: Vec<TxnOffset>,
    ) -> Result<(), ClientError> {
        self.done(&TxnOffsetCommit { group: group.into(), offsets }).await
    }
}

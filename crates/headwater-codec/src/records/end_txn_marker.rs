//! EndTxnMarker (control record, version 0): KIP-98.

use crate::Message;

/// Ends a transaction in one partition; the control record's key says whether by commit or abort. Stands
/// after its version.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "0..=0", flexible = "none")]
pub struct EndTxnMarker {
    /// Epoch of the transaction coordinator that decided.
    pub coordinator_epoch: i32,
}

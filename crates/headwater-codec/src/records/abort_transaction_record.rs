//! AbortTransactionRecord (metadata record 25, version 0): KIP-868.

use crate::{Message, Str, UnknownTags};

/// The records since the transaction began are void.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, type_id = 25, versions = "0..=0", flexible = "0..")]
pub struct AbortTransactionRecord {
    /// Why it was aborted; null when it does not say.
    #[message(nullable = "0..", tag = 0, tagged = "0..", default = null)]
    pub reason: Option<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

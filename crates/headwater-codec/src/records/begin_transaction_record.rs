//! BeginTransactionRecord (metadata record 23, version 0): KIP-868.

use crate::{Message, Str, UnknownTags};

/// The records that follow take effect together, at the end of the transaction.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, type_id = 23, versions = "0..=0", flexible = "0..")]
pub struct BeginTransactionRecord {
    /// What the transaction is for; null when it does not say.
    #[message(nullable = "0..", tag = 0, tagged = "0..", default = null)]
    pub name: Option<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

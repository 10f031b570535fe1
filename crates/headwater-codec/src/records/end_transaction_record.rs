//! EndTransactionRecord (metadata record 24, version 0): KIP-868.

use crate::{Message, UnknownTags};

/// The records since the transaction began take effect.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, type_id = 24, versions = "0..=0", flexible = "0..")]
pub struct EndTransactionRecord {
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

//! NoOpRecord (metadata record 20, version 0): KIP-835.

use crate::{Message, UnknownTags};

/// Nothing. Keeps the log, and with it the high watermark, moving.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, type_id = 20, versions = "0..=0", flexible = "0..")]
pub struct NoOpRecord {
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

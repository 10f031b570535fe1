//! RemoveDelegationTokenRecord (metadata record 26, version 0): KIP-48.

use crate::{Message, Str, UnknownTags};

/// A delegation token was removed.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, type_id = 26, versions = "0..=0", flexible = "0..")]
pub struct RemoveDelegationTokenRecord {
    /// The token's id.
    pub token_id: Str,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

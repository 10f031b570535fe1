//! RemoveUserScramCredentialRecord (metadata record 22, version 0): KIP-900.

use crate::{Message, Str, UnknownTags};

/// A user's SCRAM credential was removed.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, type_id = 22, versions = "0..=0", flexible = "0..")]
pub struct RemoveUserScramCredentialRecord {
    /// The user's name.
    pub name: Str,
    /// 1 SCRAM-SHA-256, 2 SCRAM-SHA-512.
    pub mechanism: i8,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

//! DelegationTokenRecord (metadata record 10, version 0): KIP-48.

use crate::{Message, Str, UnknownTags};

/// A delegation token was created or renewed.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, type_id = 10, versions = "0..=0", flexible = "0..")]
pub struct DelegationTokenRecord {
    /// Principal whose rights the token carries.
    pub owner: Str,
    /// Principal that asked for the token.
    pub requester: Str,
    /// Principals that may renew the token.
    pub renewers: Vec<Str>,
    /// When the token was issued, in milliseconds since 1970.
    pub issue_timestamp: i64,
    /// Until when the token can be renewed, in milliseconds since 1970.
    pub max_timestamp: i64,
    /// When the token expires, in milliseconds since 1970.
    pub expiration_timestamp: i64,
    /// The token's id.
    pub token_id: Str,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

//! UserScramCredentialRecord (metadata record 11, version 0): KIP-900.

use bytes::Bytes;

use crate::{Message, Str, UnknownTags};

/// A user's SCRAM credential was set.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, type_id = 11, versions = "0..=0", flexible = "0..")]
pub struct UserScramCredentialRecord {
    /// The user's name.
    pub name: Str,
    /// 1 SCRAM-SHA-256, 2 SCRAM-SHA-512.
    pub mechanism: i8,
    /// Random bytes that went into the keys.
    pub salt: Bytes,
    /// Hash of the client's key.
    pub stored_key: Bytes,
    /// The server's key.
    pub server_key: Bytes,
    /// How many times the password was hashed.
    pub iterations: i32,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

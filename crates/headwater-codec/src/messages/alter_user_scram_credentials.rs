//! AlterUserScramCredentials (key 51, version 0): sets and removes SCRAM credentials. KIP-554.

use bytes::Bytes;

use crate::{ErrorCode, Message, Str, UnknownTags};

/// Credentials to remove and to set.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = AlterUserScramCredentials, request, versions = "0..=0", flexible = "0..")]
pub struct AlterUserScramCredentialsRequest {
    /// Credentials to remove.
    pub deletions: Vec<ScramCredentialDeletion>,
    /// Credentials to set.
    pub upsertions: Vec<ScramCredentialUpsertion>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A credential to remove.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct ScramCredentialDeletion {
    /// The user's name.
    pub name: Str,
    /// 1 SCRAM-SHA-256, 2 SCRAM-SHA-512.
    pub mechanism: i8,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A credential to set.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct ScramCredentialUpsertion {
    /// The user's name.
    pub name: Str,
    /// 1 SCRAM-SHA-256, 2 SCRAM-SHA-512.
    pub mechanism: i8,
    /// How many times the password was hashed.
    pub iterations: i32,
    /// Random bytes that went into the password's hash.
    pub salt: Bytes,
    /// The password, salted and hashed.
    pub salted_password: Bytes,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of each user.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = AlterUserScramCredentials, response, versions = "0..=0", flexible = "0..")]
pub struct AlterUserScramCredentialsResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// What became of each user.
    pub results: Vec<AlterUserScramCredentialsResult>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of one user.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct AlterUserScramCredentialsResult {
    /// The user's name.
    pub user: Str,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(nullable = "0..")]
    pub error_message: Option<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

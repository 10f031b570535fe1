//! DescribeUserScramCredentials (key 50, version 0): which SCRAM credentials users have; never the secrets.
//! KIP-554.

use crate::{ErrorCode, Message, Str, UnknownTags};

/// Asks for the credentials of some or all users.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = DescribeUserScramCredentials, request, versions = "0..=0", flexible = "0..")]
pub struct DescribeUserScramCredentialsRequest {
    /// Users to ask about; null or empty means all.
    #[message(nullable = "0..")]
    pub users: Option<Vec<UserName>>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A user.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct UserName {
    /// The user's name.
    pub name: Str,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The credentials.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = DescribeUserScramCredentials, response, versions = "0..=0", flexible = "0..")]
pub struct DescribeUserScramCredentialsResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// What went wrong with the whole request; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(nullable = "0..")]
    pub error_message: Option<Str>,
    /// The credentials, by user.
    pub results: Vec<DescribeUserScramCredentialsResult>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The credentials of one user, or why they cannot be told.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct DescribeUserScramCredentialsResult {
    /// The user's name.
    pub user: Str,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(nullable = "0..")]
    pub error_message: Option<Str>,
    /// The user's credentials.
    pub credential_infos: Vec<CredentialInfo>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A credential, without its secret.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct CredentialInfo {
    /// 1 SCRAM-SHA-256, 2 SCRAM-SHA-512.
    pub mechanism: i8,
    /// How many times the password was hashed.
    pub iterations: i32,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

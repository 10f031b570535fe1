//! DescribeDelegationToken (key 41, versions 1-3): the delegation tokens that the caller may see. KIP-48,
//! KIP-373.

use bytes::Bytes;

use crate::{ErrorCode, Message, Str, UnknownTags};

/// Asks for the tokens of some or all owners.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = DescribeDelegationToken, request, versions = "1..=3", flexible = "2..")]
pub struct DescribeDelegationTokenRequest {
    /// Owners whose tokens to tell; null means all.
    #[message(nullable = "0..")]
    pub owners: Option<Vec<DescribeDelegationTokenOwner>>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// An owner of tokens.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct DescribeDelegationTokenOwner {
    /// Kind of principal, such as `User`.
    pub principal_type: Str,
    /// The principal's name.
    pub principal_name: Str,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The tokens.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = DescribeDelegationToken, response, versions = "1..=3", flexible = "2..")]
pub struct DescribeDelegationTokenResponse {
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// The tokens.
    pub tokens: Vec<DescribedDelegationToken>,
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A token.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct DescribedDelegationToken {
    /// Kind of the token's owner.
    pub principal_type: Str,
    /// Name of the token's owner.
    pub principal_name: Str,
    /// Kind of principal that asked for the token (KIP-373).
    #[message(versions = "3..")]
    pub token_requester_principal_type: Str,
    /// Name of the principal that asked for the token (KIP-373).
    #[message(versions = "3..")]
    pub token_requester_principal_name: Str,
    /// When the token was issued, in milliseconds since 1970.
    pub issue_timestamp: i64,
    /// When the token expires, in milliseconds since 1970.
    pub expiry_timestamp: i64,
    /// Until when the token can be renewed, in milliseconds since 1970.
    pub max_timestamp: i64,
    /// The token's id.
    pub token_id: Str,
    /// The token's secret.
    pub hmac: Bytes,
    /// Who may renew the token besides its owner.
    pub renewers: Vec<DescribedDelegationTokenRenewer>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Someone who may renew the token.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct DescribedDelegationTokenRenewer {
    /// Kind of principal, such as `User`.
    pub principal_type: Str,
    /// The principal's name.
    pub principal_name: Str,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

//! CreateDelegationToken (key 38, versions 1-3): issues a delegation token. KIP-48, KIP-373.

use bytes::Bytes;

use crate::{ErrorCode, Message, Str, UnknownTags};

/// Asks for a token.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = CreateDelegationToken, request, versions = "1..=3", flexible = "2..")]
pub struct CreateDelegationTokenRequest {
    /// Kind of principal that the token is for, such as `User`; null for the caller (KIP-373).
    #[message(versions = "3..", nullable = "3..")]
    pub owner_principal_type: Option<Str>,
    /// Name of the principal that the token is for; null for the caller (KIP-373).
    #[message(versions = "3..", nullable = "3..")]
    pub owner_principal_name: Option<Str>,
    /// Who may renew the token besides its owner.
    pub renewers: Vec<CreatableRenewers>,
    /// Milliseconds for which the token can be renewed; -1 for the broker's own limit.
    pub max_lifetime_ms: i64,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Someone who may renew the token.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct CreatableRenewers {
    /// Kind of principal, such as `User`.
    pub principal_type: Str,
    /// The principal's name.
    pub principal_name: Str,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The token.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = CreateDelegationToken, response, versions = "1..=3", flexible = "2..")]
pub struct CreateDelegationTokenResponse {
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
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
    pub issue_timestamp_ms: i64,
    /// When the token expires, in milliseconds since 1970.
    pub expiry_timestamp_ms: i64,
    /// Until when the token can be renewed, in milliseconds since 1970.
    pub max_timestamp_ms: i64,
    /// The token's id.
    pub token_id: Str,
    /// The token's secret.
    pub hmac: Bytes,
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

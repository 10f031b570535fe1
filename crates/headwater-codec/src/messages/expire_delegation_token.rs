//! ExpireDelegationToken (key 40, versions 1-2): sets when a delegation token expires; at once, if need be.
//! KIP-48.

use bytes::Bytes;

use crate::{ErrorCode, Message, UnknownTags};

/// The token to expire.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = ExpireDelegationToken, request, versions = "1..=2", flexible = "2..")]
pub struct ExpireDelegationTokenRequest {
    /// The token's secret.
    pub hmac: Bytes,
    /// Milliseconds after which the token expires; negative for at once.
    pub expiry_time_period_ms: i64,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// When it expires now.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = ExpireDelegationToken, response, versions = "1..=2", flexible = "2..")]
pub struct ExpireDelegationTokenResponse {
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// When the token expires, in milliseconds since 1970.
    pub expiry_timestamp_ms: i64,
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

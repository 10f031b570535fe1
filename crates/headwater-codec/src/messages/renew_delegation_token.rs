//! RenewDelegationToken (key 39, versions 1-2): puts off when a delegation token expires. KIP-48.

use bytes::Bytes;

use crate::{ErrorCode, Message, UnknownTags};

/// The token to renew.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = RenewDelegationToken, request, versions = "1..=2", flexible = "2..")]
pub struct RenewDelegationTokenRequest {
    /// The token's secret.
    pub hmac: Bytes,
    /// Milliseconds for which the token lives on; -1 for the broker's own period.
    pub renew_period_ms: i64,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// When it expires now.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = RenewDelegationToken, response, versions = "1..=2", flexible = "2..")]
pub struct RenewDelegationTokenResponse {
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// When the token expires, in milliseconds since 1970.
    pub expiry_timestamp_ms: i64,
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

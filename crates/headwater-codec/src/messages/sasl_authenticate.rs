//! SaslAuthenticate (key 36, versions 0-2): one step of a SASL exchange. KIP-152, KIP-368.

use bytes::Bytes;

use crate::{ErrorCode, Message, Str, UnknownTags};

/// What the client has to say in the exchange.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = SaslAuthenticate, request, versions = "0..=2", flexible = "2..")]
pub struct SaslAuthenticateRequest {
    /// Bytes of the mechanism, from the client.
    pub auth_bytes: Bytes,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What the broker has to say, or why it refuses.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = SaslAuthenticate, response, versions = "0..=2", flexible = "2..")]
pub struct SaslAuthenticateResponse {
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(nullable = "0..")]
    pub error_message: Option<Str>,
    /// Bytes of the mechanism, from the broker.
    pub auth_bytes: Bytes,
    /// Milliseconds after which the client must authenticate again; 0 for never (KIP-368).
    #[message(versions = "1..", ignorable)]
    pub session_lifetime_ms: i64,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

//! SaslHandshake (key 17, versions 0-1): which SASL mechanism a connection is going to use. Version 0 leaves
//! the exchange that follows unframed. KIP-12, KIP-43, KIP-152.

use crate::{ErrorCode, Message, Str};

/// The mechanism that the client means to use.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = SaslHandshake, request, versions = "0..=1", flexible = "none")]
pub struct SaslHandshakeRequest {
    /// Name of the mechanism, such as `SCRAM-SHA-256`.
    pub mechanism: Str,
}

/// Whether the broker takes it, and which ones it does.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = SaslHandshake, response, versions = "0..=1", flexible = "none")]
pub struct SaslHandshakeResponse {
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// Names of the mechanisms that the broker takes.
    pub mechanisms: Vec<Str>,
}

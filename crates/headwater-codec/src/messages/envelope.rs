//! Envelope (key 58, version 0): a request that a broker passes on to the controller in a client's name.
//! KIP-590.

use bytes::Bytes;

use crate::{ErrorCode, Message, UnknownTags};

/// A client's request as it came, and in whose name.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = Envelope, request, versions = "0..=0", flexible = "0..")]
pub struct EnvelopeRequest {
    /// The client's request: header and body.
    pub request_data: Bytes,
    /// Who the client is: a `DefaultPrincipalData` after its version, unless the broker has a builder of
    /// its own.
    #[message(nullable = "0..")]
    pub request_principal: Option<Bytes>,
    /// The address that the client connects from: 4 or 16 bytes.
    pub client_host_address: Bytes,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The controller's response to the client, or why it did not look.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = Envelope, response, versions = "0..=0", flexible = "0..")]
pub struct EnvelopeResponse {
    /// The controller's response to the client: header and body; null on an error.
    #[message(nullable = "0..", default = null)]
    pub response_data: Option<Bytes>,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

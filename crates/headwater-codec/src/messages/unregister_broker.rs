//! UnregisterBroker (key 64, version 0): forgets a broker that is gone for good. KIP-631.

use crate::{BrokerId, ErrorCode, Message, Str, UnknownTags};

/// The broker to forget.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = UnregisterBroker, request, versions = "0..=0", flexible = "0..")]
pub struct UnregisterBrokerRequest {
    /// The broker's node id.
    pub broker_id: BrokerId,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Whether it is forgotten.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = UnregisterBroker, response, versions = "0..=0", flexible = "0..")]
pub struct UnregisterBrokerResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(nullable = "0..")]
    pub error_message: Option<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

//! UnregisterController (key 94, version 0): forgets a controller that is gone for good. Of Kafka 4.4.

use crate::{BrokerId, ErrorCode, Message, Str, UnknownTags};

/// The controller to forget.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = UnregisterController, request, versions = "0..=0", stable = "none", flexible = "0..")]
pub struct UnregisterControllerRequest {
    /// The controller's node id.
    pub controller_id: BrokerId,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Whether it is forgotten.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = UnregisterController, response, versions = "0..=0", stable = "none", flexible = "0..")]
pub struct UnregisterControllerResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(nullable = "0..", default = null)]
    pub error_message: Option<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

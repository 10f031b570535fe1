//! ControllerRegistration (key 70, version 0): a controller that starts makes itself known to the active one.
//! KIP-919.

use crate::{BrokerId, ErrorCode, Message, Str, UnknownTags, Uuid};

/// The controller, where to reach it, and what it can do.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = ControllerRegistration, request, versions = "0..=0", flexible = "0..")]
pub struct ControllerRegistrationRequest {
    /// The controller's node id.
    pub controller_id: BrokerId,
    /// Given anew at each start of the process.
    pub incarnation_id: Uuid,
    /// Whether the controller could migrate from ZooKeeper; false since Kafka 4.
    pub zk_migration_ready: bool,
    /// Listeners of the node.
    pub listeners: Vec<Listener>,
    /// Features that the node supports.
    pub features: Vec<Feature>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A listener.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct Listener {
    /// The listener's name.
    #[message(map_key)]
    pub name: Str,
    /// Host name or address to connect to.
    pub host: Str,
    /// Port to connect to.
    pub port: u16,
    /// 0 plaintext, 1 SSL, 2 SASL over plaintext, 3 SASL over SSL.
    pub security_protocol: i16,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A feature, and the levels supported.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct Feature {
    /// The feature's name.
    #[message(map_key)]
    pub name: Str,
    /// Lowest level supported.
    pub min_supported_version: i16,
    /// Highest level supported.
    pub max_supported_version: i16,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Whether it is registered.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = ControllerRegistration, response, versions = "0..=0", flexible = "0..")]
pub struct ControllerRegistrationResponse {
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

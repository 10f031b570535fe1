//! RegisterControllerRecord (metadata record 27, version 0): KIP-919.

use crate::{Message, Str, UnknownTags, Uuid};

/// A controller has started. Replaces its earlier registration.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, type_id = 27, versions = "0..=0", flexible = "0..")]
pub struct RegisterControllerRecord {
    /// The controller's node id.
    pub controller_id: i32,
    /// Given anew at each start of the process.
    pub incarnation_id: Uuid,
    /// Whether the controller could migrate from ZooKeeper.
    pub zk_migration_ready: bool,
    /// The controller's listeners.
    pub end_points: Vec<ControllerEndpoint>,
    /// Features that the controller supports.
    pub features: Vec<ControllerFeature>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A listener of the controller.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct ControllerEndpoint {
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

/// A feature, and the levels that the controller supports.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct ControllerFeature {
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

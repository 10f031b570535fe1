//! IncrementalAlterConfigs (key 44, versions 0-1): sets, removes and extends single configs, and leaves the
//! others alone. KIP-339.

use crate::{ErrorCode, Message, Str, UnknownTags};

/// Changes to the configs of resources.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = IncrementalAlterConfigs, request, versions = "0..=1", flexible = "1..")]
pub struct IncrementalAlterConfigsRequest {
    /// Resources to change.
    pub resources: Vec<AlterConfigsResource>,
    /// Whether to check only, and change nothing.
    pub validate_only: bool,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Changes to the configs of one resource.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct AlterConfigsResource {
    /// Kind of resource: 2 topic, 4 broker, 8 broker logger, 16 client metrics, 32 group.
    #[message(map_key)]
    pub resource_type: i8,
    /// The resource's name: a topic, or a broker's id (empty for all brokers).
    #[message(map_key)]
    pub resource_name: Str,
    /// Changes, by config.
    pub configs: Vec<AlterableConfig>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A change to one config.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct AlterableConfig {
    /// The config's name.
    #[message(map_key)]
    pub name: Str,
    /// What to do: 0 set, 1 delete, 2 append to a list, 3 subtract from a list.
    #[message(map_key)]
    pub config_operation: i8,
    /// The value to set, append or subtract; null to delete.
    #[message(nullable = "0..")]
    pub value: Option<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of each resource.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = IncrementalAlterConfigs, response, versions = "0..=1", flexible = "1..")]
pub struct IncrementalAlterConfigsResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// What became of each resource.
    pub responses: Vec<AlterConfigsResourceResponse>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of one resource.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct AlterConfigsResourceResponse {
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(nullable = "0..")]
    pub error_message: Option<Str>,
    /// Kind of resource: 2 topic, 4 broker, 8 broker logger, 16 client metrics, 32 group.
    pub resource_type: i8,
    /// The resource's name: a topic, or a broker's id (empty for all brokers).
    pub resource_name: Str,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

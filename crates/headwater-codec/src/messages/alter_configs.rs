//! AlterConfigs (key 33, versions 0-2): replaces all configs of a resource; superseded by
//! IncrementalAlterConfigs. KIP-133.

use crate::{ErrorCode, Message, Str, UnknownTags};

/// New configs of resources.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = AlterConfigs, request, versions = "0..=2", flexible = "2..")]
pub struct AlterConfigsRequest {
    /// Resources to change.
    pub resources: Vec<AlterConfigsResource>,
    /// Whether to check only, and change nothing.
    pub validate_only: bool,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// All configs that one resource should have; what is not named goes back to its default.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct AlterConfigsResource {
    /// Kind of resource: 2 topic, 4 broker, 8 broker logger, 16 client metrics, 32 group.
    #[message(map_key)]
    pub resource_type: i8,
    /// The resource's name: a topic, or a broker's id (empty for all brokers).
    #[message(map_key)]
    pub resource_name: Str,
    /// All configs that the resource should have.
    pub configs: Vec<AlterableConfig>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A config.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct AlterableConfig {
    /// The config's name.
    #[message(map_key)]
    pub name: Str,
    /// The value to set; null for the default.
    #[message(nullable = "0..")]
    pub value: Option<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of each resource.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = AlterConfigs, response, versions = "0..=2", flexible = "2..")]
pub struct AlterConfigsResponse {
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

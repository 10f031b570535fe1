//! ListConfigResources (key 74, versions 0-1): the resources that configs are set for; in version 0 only
//! subscriptions to client metrics. KIP-714, KIP-1142.

use crate::{ErrorCode, Message, Str, UnknownTags};

/// Asks for resources of some or all kinds.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = ListConfigResources, request, versions = "0..=1", flexible = "0..")]
pub struct ListConfigResourcesRequest {
    /// Kinds of resources to list: 2 topic, 4 broker, 8 broker logger, 16 client metrics, 32 group; empty
    /// means all that have configs (KIP-1142).
    #[message(versions = "1..")]
    pub resource_types: Vec<i8>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The resources.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = ListConfigResources, response, versions = "0..=1", flexible = "0..")]
pub struct ListConfigResourcesResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// The resources.
    pub config_resources: Vec<ConfigResource>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A resource that has configs.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct ConfigResource {
    /// The resource's name.
    pub resource_name: Str,
    /// Kind of resource: 2 topic, 4 broker, 8 broker logger, 16 client metrics, 32 group.
    #[message(versions = "1..", default = 16, ignorable)]
    pub resource_type: i8,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

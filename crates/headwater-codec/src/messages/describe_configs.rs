//! DescribeConfigs (key 32, versions 1-4): configs of topics, brokers and other resources, with where they
//! come from. KIP-133, KIP-226, KIP-569.

use crate::{ErrorCode, Message, Str, UnknownTags};

/// Resources whose configs to tell.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = DescribeConfigs, request, versions = "1..=4", flexible = "4..")]
pub struct DescribeConfigsRequest {
    /// Resources to describe.
    pub resources: Vec<DescribeConfigsResource>,
    /// Whether to tell where else each config is set (KIP-226).
    #[message(versions = "1..")]
    pub include_synonyms: bool,
    /// Whether to tell what each config is for (KIP-569).
    #[message(versions = "3..")]
    pub include_documentation: bool,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A resource, and which of its configs.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct DescribeConfigsResource {
    /// Kind of resource: 2 topic, 4 broker, 8 broker logger, 16 client metrics, 32 group.
    pub resource_type: i8,
    /// The resource's name: a topic, or a broker's id (empty for all brokers).
    pub resource_name: Str,
    /// Names of the configs to tell; null means all.
    #[message(nullable = "0..")]
    pub configuration_keys: Option<Vec<Str>>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The configs.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = DescribeConfigs, response, versions = "1..=4", flexible = "4..")]
pub struct DescribeConfigsResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// The configs, by resource.
    pub results: Vec<DescribeConfigsResult>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The configs of one resource, or why they cannot be told.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct DescribeConfigsResult {
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(nullable = "0..")]
    pub error_message: Option<Str>,
    /// Kind of resource: 2 topic, 4 broker, 8 broker logger, 16 client metrics, 32 group.
    pub resource_type: i8,
    /// The resource's name: a topic, or a broker's id (empty for all brokers).
    pub resource_name: Str,
    /// The resource's configs.
    pub configs: Vec<DescribeConfigsResourceResult>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A config.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct DescribeConfigsResourceResult {
    /// The config's name.
    pub name: Str,
    /// The config's value; null when it is secret or has none.
    #[message(nullable = "0..")]
    pub value: Option<Str>,
    /// Whether it cannot be changed while the broker runs.
    pub read_only: bool,
    /// Where the value comes from: 1 topic, 2 this broker's dynamic config, 3 the brokers' dynamic
    /// default, 4 static broker config, 5 default, 6 a broker's logger; -1 not told.
    #[message(versions = "1..", default = -1, ignorable)]
    pub config_source: i8,
    /// Whether its value is secret, and so null here.
    pub is_sensitive: bool,
    /// Where the config is set, the place that wins first (KIP-226).
    #[message(versions = "1..", ignorable)]
    pub synonyms: Vec<DescribeConfigsSynonym>,
    /// Type of the value: 1 boolean, 2 string, 3 int, 4 short, 5 long, 6 double, 7 list, 8 class, 9
    /// password; 0 not told (KIP-569).
    #[message(versions = "3..", ignorable)]
    pub config_type: i8,
    /// What the config is for; null when not asked for (KIP-569).
    #[message(versions = "3..", nullable = "0..", ignorable)]
    pub documentation: Option<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A place where the config is, or could be, set. The first one wins.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(versions = "1..")]
pub struct DescribeConfigsSynonym {
    /// The name that the config has there.
    #[message(versions = "1..")]
    pub name: Str,
    /// The value that it has there; null when it is secret.
    #[message(versions = "1..", nullable = "0..")]
    pub value: Option<Str>,
    /// Where the value comes from: 1 topic, 2 this broker's dynamic config, 3 the brokers' dynamic
    /// default, 4 static broker config, 5 default, 6 a broker's logger; -1 not told.
    #[message(versions = "1..")]
    pub source: i8,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

//! ApiVersions (key 18, versions 0-5): which APIs and versions a broker speaks, and its features. The first
//! request of most connections; its response always has header v0. KIP-35, KIP-511, KIP-584, KIP-1242.

use crate::{ErrorCode, Message, Str, UnknownTags};

/// Asks which APIs the broker speaks, and says who asks.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = ApiVersions, request, versions = "0..=5", flexible = "3..")]
pub struct ApiVersionsRequest {
    /// Name of the client's library; letters, digits, dots and dashes.
    #[message(versions = "3..", ignorable)]
    pub client_software_name: Str,
    /// Version of the client's library; letters, digits, dots and dashes.
    #[message(versions = "3..", ignorable)]
    pub client_software_version: Str,
    /// The cluster that the client means to talk to; null for no check (KIP-1242).
    #[message(versions = "5..", nullable = "5..", default = null, ignorable)]
    pub cluster_id: Option<Str>,
    /// The node that the client means to talk to; -1 for no check (KIP-1242).
    #[message(versions = "5..", default = -1, ignorable)]
    pub node_id: i32,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The APIs, each with its versions, and the features.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = ApiVersions, response, versions = "0..=5", flexible = "3..")]
pub struct ApiVersionsResponse {
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// The APIs, in ascending order of keys.
    pub api_keys: Vec<ApiVersion>,
    /// Milliseconds for which the client is throttled; 0 when it is not.
    #[message(versions = "1..", ignorable)]
    pub throttle_time_ms: i32,
    /// Features, with the levels that the broker could work at (KIP-584).
    #[message(versions = "3..", tag = 0, tagged = "3..", ignorable)]
    pub supported_features: Vec<SupportedFeatureKey>,
    /// Grows with every change to the finalized features; -1 when not known.
    #[message(versions = "3..", tag = 1, tagged = "3..", default = -1, ignorable)]
    pub finalized_features_epoch: i64,
    /// Features, with the level that the cluster works at (KIP-584).
    #[message(versions = "3..", tag = 2, tagged = "3..", ignorable)]
    pub finalized_features: Vec<FinalizedFeatureKey>,
    /// Whether the broker could take part in a migration from ZooKeeper; false since Kafka 4.
    #[message(versions = "3..", tag = 3, tagged = "3..", ignorable)]
    pub zk_migration_ready: bool,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// One API and the versions of it that the broker speaks.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct ApiVersion {
    /// The API's key.
    #[message(map_key)]
    pub api_key: i16,
    /// Lowest version spoken.
    pub min_version: i16,
    /// Highest version spoken.
    pub max_version: i16,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A feature, and the levels that the broker could work at.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(versions = "3..")]
pub struct SupportedFeatureKey {
    /// The feature's name.
    #[message(versions = "3..", map_key)]
    pub name: Str,
    /// Lowest level supported.
    #[message(versions = "3..")]
    pub min_version: i16,
    /// Highest level supported.
    #[message(versions = "3..")]
    pub max_version: i16,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A feature, and the level that the cluster works at.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(versions = "3..")]
pub struct FinalizedFeatureKey {
    /// The feature's name.
    #[message(versions = "3..", map_key)]
    pub name: Str,
    /// Level that the cluster works at.
    #[message(versions = "3..")]
    pub max_version_level: i16,
    /// Lowest level that the cluster still allows.
    #[message(versions = "3..")]
    pub min_version_level: i16,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

//! UpdateFeatures (key 57, versions 0-2): sets the levels of features. KIP-584, KIP-778, KIP-1022.

use crate::{ErrorCode, Message, Str, UnknownTags};

/// Levels to set.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = UpdateFeatures, request, versions = "0..=2", flexible = "0..")]
pub struct UpdateFeaturesRequest {
    /// Milliseconds to wait for it to be done.
    #[message(default = 60000)]
    pub timeout_ms: i32,
    /// Features, with their new levels.
    pub feature_updates: Vec<FeatureUpdateKey>,
    /// Whether to check only, and change nothing.
    #[message(versions = "1..")]
    pub validate_only: bool,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A feature and its new level.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct FeatureUpdateKey {
    /// The feature's name.
    #[message(map_key)]
    pub feature: Str,
    /// The level to set; 0 removes the feature.
    pub max_version_level: i16,
    /// Whether the level may go down, in version 0.
    #[message(versions = "0..=0")]
    pub allow_downgrade: bool,
    /// 1 only up, 2 down where that loses nothing, 3 down at any cost (KIP-778).
    #[message(versions = "1..", default = 1)]
    pub upgrade_type: i8,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of each feature.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = UpdateFeatures, response, versions = "0..=2", flexible = "0..")]
pub struct UpdateFeaturesResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// What went wrong with the whole request; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(nullable = "0..")]
    pub error_message: Option<Str>,
    /// What became of each feature, up to version 1; later ones are all or nothing.
    #[message(versions = "0..=1", ignorable)]
    pub results: Vec<UpdatableFeatureResult>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of one feature.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(versions = "0..=1")]
pub struct UpdatableFeatureResult {
    /// The feature's name.
    #[message(map_key)]
    pub feature: Str,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(nullable = "0..")]
    pub error_message: Option<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

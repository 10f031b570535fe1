//! FeatureLevelRecord (metadata record 12, version 0): KIP-584, KIP-778.

use crate::{Message, Str, UnknownTags};

/// A feature was finalized at a level.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, type_id = 12, versions = "0..=0", flexible = "0..")]
pub struct FeatureLevelRecord {
    /// The feature's name.
    pub name: Str,
    /// The level; 0 removes the feature.
    pub feature_level: i16,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

//! StreamsGroupMetadataValue (`__consumer_offsets`, version 0): KIP-1071.

use crate::{Message, Str, UnknownTags};

/// The epoch of a streams group. Stands after its version; a null value in its place deletes the group.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "0..=0", flexible = "0..")]
pub struct StreamsGroupMetadataValue {
    /// The group's epoch.
    pub epoch: i32,
    /// A hash over the topics that the group subscribes to; 0 when not known.
    pub metadata_hash: i64,
    /// The epoch of the topology that was found sound; -1 for none.
    #[message(tag = 0, tagged = "0..", default = -1, ignorable)]
    pub validated_topology_epoch: i32,
    /// Configs of the group that the last assignment went by.
    #[message(nullable = "0..", tag = 1, tagged = "0..", ignorable)]
    pub last_assignment_configs: Option<Vec<LastAssignmentConfig>>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A config of the group that the last assignment went by.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct LastAssignmentConfig {
    /// The config's name.
    pub key: Str,
    /// The config's value.
    pub value: Str,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

//! ShareGroupMetadataValue (`__consumer_offsets`, version 0): KIP-932.

use crate::{Message, UnknownTags};

/// The epoch of a share group. Stands after its version; a null value in its place deletes the group.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "0..=0", flexible = "0..")]
pub struct ShareGroupMetadataValue {
    /// The group's epoch.
    pub epoch: i32,
    /// A hash over the topics that the group subscribes to; 0 when not known.
    pub metadata_hash: i64,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

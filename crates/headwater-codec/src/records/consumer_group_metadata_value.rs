//! ConsumerGroupMetadataValue (`__consumer_offsets`, version 0): KIP-848.

use crate::{Message, UnknownTags};

/// The epoch of a consumer group. Stands after its version; a null value in its place deletes the group.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "0..=0", flexible = "0..")]
pub struct ConsumerGroupMetadataValue {
    /// The group's epoch.
    pub epoch: i32,
    /// A hash over the topics that the group subscribes to; 0 when not known.
    #[message(tag = 0, tagged = "0..", ignorable)]
    pub metadata_hash: i64,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

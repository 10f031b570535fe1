//! StreamsGroupTargetAssignmentMetadataValue (`__consumer_offsets`, version 0): KIP-1071.

use crate::{Message, UnknownTags};

/// The epoch of a group's target assignment. Stands after its version.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "0..=0", flexible = "0..")]
pub struct StreamsGroupTargetAssignmentMetadataValue {
    /// The group epoch that the target assignment was made for.
    pub assignment_epoch: i32,
    /// When the target assignment was made, in milliseconds since 1970; 0 when not known.
    #[message(tag = 0, tagged = "0..", ignorable)]
    pub assignment_timestamp: i64,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

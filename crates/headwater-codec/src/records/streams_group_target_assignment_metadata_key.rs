//! StreamsGroupTargetAssignmentMetadataKey (`__consumer_offsets`, version 20): KIP-1071.

use crate::{GroupId, Message};

/// Which streams group, for the epoch of its target assignment. Stands after its version, which is its
/// kind.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "20..=20", flexible = "none")]
pub struct StreamsGroupTargetAssignmentMetadataKey {
    /// The group's id.
    #[message(versions = "20..=20")]
    pub group_id: GroupId,
}

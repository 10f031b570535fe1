//! ConsumerGroupTargetAssignmentMetadataKey (`__consumer_offsets`, version 6): KIP-848.

use crate::{GroupId, Message};

/// Which consumer group, for the epoch of its target assignment. Stands after its version, which is its
/// kind.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "6..=6", flexible = "none")]
pub struct ConsumerGroupTargetAssignmentMetadataKey {
    /// The group's id.
    #[message(versions = "6..=6")]
    pub group_id: GroupId,
}

//! ShareGroupTargetAssignmentMetadataKey (`__consumer_offsets`, version 12): KIP-932.

use crate::{GroupId, Message};

/// Which share group, for the epoch of its target assignment. Stands after its version, which is its
/// kind.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "12..=12", flexible = "none")]
pub struct ShareGroupTargetAssignmentMetadataKey {
    /// The group's id.
    #[message(versions = "12..=12")]
    pub group_id: GroupId,
}

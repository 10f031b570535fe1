//! ShareGroupCurrentMemberAssignmentKey (`__consumer_offsets`, version 14): KIP-932.

use crate::{GroupId, Message, Str};

/// Which member of which share group, for what it has. Stands after its version, which is its kind.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "14..=14", flexible = "none")]
pub struct ShareGroupCurrentMemberAssignmentKey {
    /// The group's id.
    #[message(versions = "14..=14")]
    pub group_id: GroupId,
    /// The member's id.
    #[message(versions = "14..=14")]
    pub member_id: Str,
}

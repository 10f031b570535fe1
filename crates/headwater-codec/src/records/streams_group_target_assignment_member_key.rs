//! StreamsGroupTargetAssignmentMemberKey (`__consumer_offsets`, version 21): KIP-1071.

use crate::{GroupId, Message, Str};

/// Which member of which streams group, for what it should have. Stands after its version, which is its
/// kind.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "21..=21", flexible = "none")]
pub struct StreamsGroupTargetAssignmentMemberKey {
    /// The group's id.
    #[message(versions = "21..=21")]
    pub group_id: GroupId,
    /// The member's id.
    #[message(versions = "21..=21")]
    pub member_id: Str,
}

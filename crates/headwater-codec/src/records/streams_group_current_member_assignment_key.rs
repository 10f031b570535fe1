//! StreamsGroupCurrentMemberAssignmentKey (`__consumer_offsets`, version 22): KIP-1071.

use crate::{GroupId, Message, Str};

/// Which member of which streams group, for what it has. Stands after its version, which is its kind.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "22..=22", flexible = "none")]
pub struct StreamsGroupCurrentMemberAssignmentKey {
    /// The group's id.
    #[message(versions = "22..=22")]
    pub group_id: GroupId,
    /// The member's id.
    #[message(versions = "22..=22")]
    pub member_id: Str,
}

//! ShareGroupTargetAssignmentMemberKey (`__consumer_offsets`, version 13): KIP-932.

use crate::{GroupId, Message, Str};

/// Which member of which share group, for what it should have. Stands after its version, which is its
/// kind.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "13..=13", flexible = "none")]
pub struct ShareGroupTargetAssignmentMemberKey {
    /// The group's id.
    #[message(versions = "13..=13")]
    pub group_id: GroupId,
    /// The member's id.
    #[message(versions = "13..=13")]
    pub member_id: Str,
}

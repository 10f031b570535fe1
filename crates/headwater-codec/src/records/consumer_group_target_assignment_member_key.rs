//! ConsumerGroupTargetAssignmentMemberKey (`__consumer_offsets`, version 7): KIP-848.

use crate::{GroupId, Message, Str};

/// Which member of which consumer group, for what it should have. Stands after its version, which is its
/// kind.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "7..=7", flexible = "none")]
pub struct ConsumerGroupTargetAssignmentMemberKey {
    /// The group's id.
    #[message(versions = "7..=7")]
    pub group_id: GroupId,
    /// The member's id.
    #[message(versions = "7..=7")]
    pub member_id: Str,
}

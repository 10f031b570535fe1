//! ConsumerGroupCurrentMemberAssignmentKey (`__consumer_offsets`, version 8): KIP-848.

use crate::{GroupId, Message, Str};

/// Which member of which consumer group, for what it has. Stands after its version, which is its kind.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "8..=8", flexible = "none")]
pub struct ConsumerGroupCurrentMemberAssignmentKey {
    /// The group's id.
    #[message(versions = "8..=8")]
    pub group_id: GroupId,
    /// The member's id.
    #[message(versions = "8..=8")]
    pub member_id: Str,
}

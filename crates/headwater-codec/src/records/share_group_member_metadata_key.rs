//! ShareGroupMemberMetadataKey (`__consumer_offsets`, version 10): KIP-932.

use crate::{GroupId, Message, Str};

/// Which member of which share group. Stands after its version, which is its kind.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "10..=10", flexible = "none")]
pub struct ShareGroupMemberMetadataKey {
    /// The group's id.
    #[message(versions = "10..=10")]
    pub group_id: GroupId,
    /// The member's id.
    #[message(versions = "10..=10")]
    pub member_id: Str,
}

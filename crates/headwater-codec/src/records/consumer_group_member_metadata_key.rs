//! ConsumerGroupMemberMetadataKey (`__consumer_offsets`, version 5): KIP-848.

use crate::{GroupId, Message, Str};

/// Which member of which consumer group. Stands after its version, which is its kind.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "5..=5", flexible = "none")]
pub struct ConsumerGroupMemberMetadataKey {
    /// The group's id.
    #[message(versions = "5..=5")]
    pub group_id: GroupId,
    /// The member's id.
    #[message(versions = "5..=5")]
    pub member_id: Str,
}

//! StreamsGroupMemberMetadataKey (`__consumer_offsets`, version 19): KIP-1071.

use crate::{GroupId, Message, Str};

/// Which member of which streams group. Stands after its version, which is its kind.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "19..=19", flexible = "none")]
pub struct StreamsGroupMemberMetadataKey {
    /// The group's id.
    #[message(versions = "19..=19")]
    pub group_id: GroupId,
    /// The member's id.
    #[message(versions = "19..=19")]
    pub member_id: Str,
}

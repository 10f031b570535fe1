//! StreamsGroupMetadataKey (`__consumer_offsets`, version 17): KIP-1071.

use crate::{GroupId, Message};

/// Which streams group. Stands after its version, which is its kind.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "17..=17", flexible = "none")]
pub struct StreamsGroupMetadataKey {
    /// The group's id.
    #[message(versions = "17..=17")]
    pub group_id: GroupId,
}

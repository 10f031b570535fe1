//! ShareGroupMetadataKey (`__consumer_offsets`, version 11): KIP-932.

use crate::{GroupId, Message};

/// Which share group. Stands after its version, which is its kind.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "11..=11", flexible = "none")]
pub struct ShareGroupMetadataKey {
    /// The group's id.
    #[message(versions = "11..=11")]
    pub group_id: GroupId,
}

//! ConsumerGroupMetadataKey (`__consumer_offsets`, version 3): KIP-848.

use crate::{GroupId, Message};

/// Which consumer group. Stands after its version, which is its kind.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "3..=3", flexible = "none")]
pub struct ConsumerGroupMetadataKey {
    /// The group's id.
    #[message(versions = "3..=3")]
    pub group_id: GroupId,
}

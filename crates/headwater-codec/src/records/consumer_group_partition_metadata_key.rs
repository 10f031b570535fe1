//! ConsumerGroupPartitionMetadataKey (`__consumer_offsets`, version 4): KIP-848.

use crate::{GroupId, Message};

/// Which consumer group, for its partitions. Stands after its version, which is its kind.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "4..=4", flexible = "none")]
pub struct ConsumerGroupPartitionMetadataKey {
    /// The group's id.
    #[message(versions = "4..=4")]
    pub group_id: GroupId,
}

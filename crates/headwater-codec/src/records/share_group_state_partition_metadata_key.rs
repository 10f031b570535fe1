//! ShareGroupStatePartitionMetadataKey (`__consumer_offsets`, version 15): KIP-932.

use crate::{GroupId, Message};

/// Which share group, for the partitions whose state it keeps. Stands after its version, which is its
/// kind.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "15..=15", flexible = "none")]
pub struct ShareGroupStatePartitionMetadataKey {
    /// The group's id.
    #[message(versions = "15..=15")]
    pub group_id: GroupId,
}

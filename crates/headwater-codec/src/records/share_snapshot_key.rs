//! ShareSnapshotKey (`__share_group_state`, version 0): KIP-932.

use crate::{GroupId, Message, Uuid};

/// Which partition of which share group, for a whole state. Stands after its version, which is its kind.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "0..=0", flexible = "none")]
pub struct ShareSnapshotKey {
    /// The group's id.
    #[message(versions = "0..=0")]
    pub group_id: GroupId,
    /// The topic's id (KIP-516); all zero means none.
    #[message(versions = "0..=0")]
    pub topic_id: Uuid,
    /// Index of the partition, from 0.
    #[message(versions = "0..=0")]
    pub partition: i32,
}

//! ShareUpdateKey (`__share_group_state`, version 1): KIP-932.

use crate::{GroupId, Message, Uuid};

/// Which partition of which share group, for what has changed. Stands after its version, which is its
/// kind.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "1..=1", flexible = "none")]
pub struct ShareUpdateKey {
    /// The group's id.
    #[message(versions = "1..=1")]
    pub group_id: GroupId,
    /// The topic's id (KIP-516); all zero means none.
    #[message(versions = "1..=1")]
    pub topic_id: Uuid,
    /// Index of the partition, from 0.
    #[message(versions = "1..=1")]
    pub partition: i32,
}

//! OffsetCommitKey (`__consumer_offsets`, versions 0-1).

use crate::{GroupId, Message, TopicName};

/// What a committed offset belongs to. Stands after its version.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "0..=1", flexible = "none")]
pub struct OffsetCommitKey {
    /// The group's id.
    #[message(versions = "0..=1")]
    pub group: GroupId,
    /// The topic's name.
    #[message(versions = "0..=1")]
    pub topic: TopicName,
    /// Index of the partition, from 0.
    #[message(versions = "0..=1")]
    pub partition: i32,
}

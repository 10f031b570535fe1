//! ConsumerGroupTargetAssignmentMemberValue (`__consumer_offsets`, version 0): KIP-848.

use crate::{Message, UnknownTags, Uuid};

/// Partitions that a member should have. Stands after its version.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "0..=0", flexible = "0..")]
pub struct ConsumerGroupTargetAssignmentMemberValue {
    /// The partitions, by topic.
    pub topic_partitions: Vec<TopicPartition>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Partitions of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct TopicPartition {
    /// The topic's id (KIP-516); all zero means none.
    pub topic_id: Uuid,
    /// Indexes of the partitions.
    pub partitions: Vec<i32>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

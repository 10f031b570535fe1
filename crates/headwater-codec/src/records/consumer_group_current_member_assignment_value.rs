//! ConsumerGroupCurrentMemberAssignmentValue (`__consumer_offsets`, version 0): KIP-848.

use crate::{Message, UnknownTags, Uuid};

/// Partitions that a member has, and on which side of a change it is. Stands after its version.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "0..=0", flexible = "0..")]
pub struct ConsumerGroupCurrentMemberAssignmentValue {
    /// The member's epoch.
    pub member_epoch: i32,
    /// The member's epoch before the last change.
    pub previous_member_epoch: i32,
    /// On which side of a change the member is: 0 stable, 1 giving up partitions, 2 waiting for
    /// partitions that others have to give up.
    pub state: i8,
    /// Partitions that the member has, by topic.
    pub assigned_partitions: Vec<TopicPartitions>,
    /// Partitions that the member has to give up, by topic.
    pub partitions_pending_revocation: Vec<TopicPartitions>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Partitions of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct TopicPartitions {
    /// The topic's id (KIP-516); all zero means none.
    pub topic_id: Uuid,
    /// Indexes of the partitions.
    pub partitions: Vec<i32>,
    /// The member epoch at which each of them was assigned, in the same order; empty when not known.
    #[message(nullable = "0..", tag = 0, tagged = "0..", ignorable)]
    pub assignment_epochs: Option<Vec<i32>>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

//! ShareGroupStatePartitionMetadataValue (`__consumer_offsets`, version 0): KIP-932.

use crate::{Message, TopicName, UnknownTags, Uuid};

/// The partitions whose state a share group keeps with the share coordinator. Stands after its version.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "0..=0", flexible = "0..")]
pub struct ShareGroupStatePartitionMetadataValue {
    /// Partitions whose state is about to begin, by topic.
    pub initializing_topics: Vec<TopicPartitionsInfo>,
    /// Partitions whose state has begun, by topic.
    pub initialized_topics: Vec<TopicPartitionsInfo>,
    /// Topics whose state is being forgotten.
    pub deleting_topics: Vec<TopicInfo>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Partitions of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct TopicPartitionsInfo {
    /// The topic's id (KIP-516); all zero means none.
    pub topic_id: Uuid,
    /// The topic's name.
    pub topic_name: TopicName,
    /// Indexes of the partitions.
    pub partitions: Vec<i32>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct TopicInfo {
    /// The topic's id (KIP-516); all zero means none.
    pub topic_id: Uuid,
    /// The topic's name.
    pub topic_name: TopicName,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

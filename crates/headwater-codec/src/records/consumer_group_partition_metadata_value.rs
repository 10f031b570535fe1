//! ConsumerGroupPartitionMetadataValue (`__consumer_offsets`, version 0): KIP-848.

use crate::{Message, Str, TopicName, UnknownTags, Uuid};

/// The partitions of the topics that a group subscribes to, as Kafka 4.0 wrote them. Newer versions only
/// delete it. Stands after its version.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "0..=0", flexible = "0..")]
pub struct ConsumerGroupPartitionMetadataValue {
    /// The topics.
    pub topics: Vec<TopicMetadata>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A topic that the group subscribes to.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct TopicMetadata {
    /// The topic's id (KIP-516); all zero means none.
    pub topic_id: Uuid,
    /// The topic's name.
    pub topic_name: TopicName,
    /// How many partitions the topic has.
    pub num_partitions: i32,
    /// The partitions, as far as racks are known.
    pub partition_metadata: Vec<PartitionMetadata>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A partition and the racks of its replicas.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct PartitionMetadata {
    /// Index of the partition, from 0.
    pub partition: i32,
    /// Racks of its replicas.
    pub racks: Vec<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

//! ConsumerProtocolAssignment (consumer protocol, versions 0-3): KIP-429.

use bytes::Bytes;

use crate::{Message, TopicName};

/// What a consumer gets, told to it by the leader of its group. Stands after its version.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "0..=3", flexible = "none")]
pub struct ConsumerProtocolAssignment {
    /// Partitions that the consumer gets, by topic.
    pub assigned_partitions: Vec<TopicPartition>,
    /// The assignment strategy's own data; may be null.
    #[message(nullable = "0..", default = null)]
    pub user_data: Option<Bytes>,
}

/// Partitions of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct TopicPartition {
    /// The topic's name.
    #[message(map_key)]
    pub topic: TopicName,
    /// Indexes of the partitions.
    pub partitions: Vec<i32>,
}

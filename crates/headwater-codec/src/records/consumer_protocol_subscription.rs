//! ConsumerProtocolSubscription (consumer protocol, versions 0-3): KIP-429, KIP-792, KIP-881.

use bytes::Bytes;

use crate::{Message, Str, TopicName};

/// What a consumer wants, told to its group when it joins. Stands after its version.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "0..=3", flexible = "none")]
pub struct ConsumerProtocolSubscription {
    /// Topics that the consumer subscribes to.
    pub topics: Vec<TopicName>,
    /// The assignment strategy's own data; may be null.
    #[message(nullable = "0..", default = null)]
    pub user_data: Option<Bytes>,
    /// Partitions that the consumer still has (KIP-429).
    #[message(versions = "1..", ignorable)]
    pub owned_partitions: Vec<TopicPartition>,
    /// The generation in which it got them; -1 for none (KIP-792).
    #[message(versions = "2..", default = -1, ignorable)]
    pub generation_id: i32,
    /// The consumer's rack; null for none (KIP-881).
    #[message(versions = "3..", nullable = "3..", default = null, ignorable)]
    pub rack_id: Option<Str>,
}

/// Partitions of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(versions = "1..")]
pub struct TopicPartition {
    /// The topic's name.
    #[message(versions = "1..", map_key)]
    pub topic: TopicName,
    /// Indexes of the partitions.
    #[message(versions = "1..")]
    pub partitions: Vec<i32>,
}

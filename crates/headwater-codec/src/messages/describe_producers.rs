//! DescribeProducers (key 61, version 0): the producers that a partition remembers, to find hanging
//! transactions. KIP-664.

use crate::{ErrorCode, Message, ProducerId, Str, TopicName, UnknownTags};

/// Partitions to ask about.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = DescribeProducers, request, versions = "0..=0", flexible = "0..")]
pub struct DescribeProducersRequest {
    /// Partitions to ask about, by topic.
    pub topics: Vec<TopicRequest>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Partitions of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct TopicRequest {
    /// The topic's name.
    pub name: TopicName,
    /// Indexes of the partitions.
    pub partition_indexes: Vec<i32>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The producers, by partition.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = DescribeProducers, response, versions = "0..=0", flexible = "0..")]
pub struct DescribeProducersResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// The producers, by topic.
    pub topics: Vec<TopicResponse>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The producers in one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct TopicResponse {
    /// The topic's name.
    pub name: TopicName,
    /// The producers, by partition.
    pub partitions: Vec<PartitionResponse>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The producers in one partition, or why they cannot be told.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct PartitionResponse {
    /// Index of the partition, from 0.
    pub partition_index: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(nullable = "0..", default = null)]
    pub error_message: Option<Str>,
    /// The producers that the partition remembers.
    pub active_producers: Vec<ProducerState>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What the partition remembers of one producer.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct ProducerState {
    /// The producer's id; -1 for none.
    pub producer_id: ProducerId,
    /// The producer's epoch, widened to 32 bits.
    pub producer_epoch: i32,
    /// Sequence number of the producer's last record; -1 for none.
    #[message(default = -1)]
    pub last_sequence: i32,
    /// Timestamp of the producer's last batch, in milliseconds since 1970; -1 for none.
    #[message(default = -1)]
    pub last_timestamp: i64,
    /// Epoch of the transaction coordinator that wrote the last marker; -1 for none.
    pub coordinator_epoch: i32,
    /// Offset of the first record of the open transaction; -1 for none.
    #[message(default = -1)]
    pub current_txn_start_offset: i64,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

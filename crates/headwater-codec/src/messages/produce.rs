//! Produce (key 0, versions 3-13): appends record batches to partitions. KIP-98, KIP-467, KIP-516, KIP-890,
//! KIP-951. Versions 0 to 2 are advertised for the sake of old clients, but not spoken.

use crate::{BrokerId, ErrorCode, Message, Records, Str, TopicName, TransactionalId, UnknownTags, Uuid};

/// Batches to append, by topic and partition.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = Produce, request, versions = "3..=13", advertise = "0..=13", flexible = "9..")]
pub struct ProduceRequest {
    /// The producer's transactional id; null when it is not transactional.
    #[message(versions = "3..", nullable = "3..", default = null)]
    pub transactional_id: Option<TransactionalId>,
    /// When to answer: 0 never, 1 once the leader has written, -1 once all replicas in sync have.
    pub acks: i16,
    /// Milliseconds to wait for the acknowledgements.
    pub timeout_ms: i32,
    /// Batches, by topic.
    pub topic_data: Vec<TopicProduceData>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Batches for one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct TopicProduceData {
    /// The topic's name.
    #[message(versions = "0..=12", ignorable, map_key)]
    pub name: TopicName,
    /// The topic's id (KIP-516); all zero means none.
    #[message(versions = "13..", ignorable, map_key)]
    pub topic_id: Uuid,
    /// Batches, by partition.
    pub partition_data: Vec<PartitionProduceData>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Batches for one partition.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct PartitionProduceData {
    /// Index of the partition, from 0.
    pub index: i32,
    /// The batches: since version 3 one batch of format 2.
    #[message(nullable = "0..")]
    pub records: Option<Records>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of each batch.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = Produce, response, versions = "3..=13", flexible = "9..")]
pub struct ProduceResponse {
    /// What became of the batches, by topic.
    pub responses: Vec<TopicProduceResponse>,
    /// Milliseconds for which the client is throttled; 0 when it is not.
    #[message(versions = "1..", ignorable)]
    pub throttle_time_ms: i32,
    /// Where to reach the leaders named above (KIP-951).
    #[message(versions = "10..", tag = 0, tagged = "10..")]
    pub node_endpoints: Vec<NodeEndpoint>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of one topic's batches.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct TopicProduceResponse {
    /// The topic's name.
    #[message(versions = "0..=12", ignorable, map_key)]
    pub name: TopicName,
    /// The topic's id (KIP-516); all zero means none.
    #[message(versions = "13..", ignorable, map_key)]
    pub topic_id: Uuid,
    /// What became of the batches, by partition.
    pub partition_responses: Vec<PartitionProduceResponse>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of one partition's batch.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct PartitionProduceResponse {
    /// Index of the partition, from 0.
    pub index: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// Offset of the first record; -1 on an error.
    pub base_offset: i64,
    /// Milliseconds since 1970 that the broker stamped on the records; -1 when they keep their own.
    #[message(versions = "2..", default = -1, ignorable)]
    pub log_append_time_ms: i64,
    /// First offset of the log; -1 when not known.
    #[message(versions = "5..", default = -1, ignorable)]
    pub log_start_offset: i64,
    /// Records that made the broker refuse the batch (KIP-467).
    #[message(versions = "8..", ignorable)]
    pub record_errors: Vec<BatchIndexAndErrorMessage>,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(versions = "8..", nullable = "8..", default = null, ignorable)]
    pub error_message: Option<Str>,
    /// The leader to send to instead, when the broker is not (KIP-951).
    #[message(versions = "10..", tag = 0, tagged = "10..")]
    pub current_leader: LeaderIdAndEpoch,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A record that made the broker refuse its batch (KIP-467).
#[derive(Clone, Debug, PartialEq, Message)]
#[message(versions = "8..")]
pub struct BatchIndexAndErrorMessage {
    /// Index of the record within its batch, from 0.
    #[message(versions = "8..")]
    pub batch_index: i32,
    /// What is wrong with the record, in words; null when there is nothing to say.
    #[message(versions = "8..", nullable = "8..", default = null)]
    pub batch_index_error_message: Option<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The leader that the client should have asked (KIP-951).
#[derive(Clone, Debug, PartialEq, Message)]
#[message(versions = "10..")]
pub struct LeaderIdAndEpoch {
    /// Node id of the leader; -1 when there is none.
    #[message(versions = "10..", default = -1)]
    pub leader_id: BrokerId,
    /// The leader epoch; -1 when not known.
    #[message(versions = "10..", default = -1)]
    pub leader_epoch: i32,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Where to reach a leader named in the response (KIP-951).
#[derive(Clone, Debug, PartialEq, Message)]
#[message(versions = "10..")]
pub struct NodeEndpoint {
    /// The node's id.
    #[message(versions = "10..", map_key)]
    pub node_id: BrokerId,
    /// Host name or address to connect to.
    #[message(versions = "10..")]
    pub host: Str,
    /// Port to connect to.
    #[message(versions = "10..")]
    pub port: i32,
    /// The node's rack; null when it has none.
    #[message(versions = "10..", nullable = "10..", default = null)]
    pub rack: Option<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

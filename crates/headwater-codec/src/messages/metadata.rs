//! Metadata (key 3, versions 0-13): the brokers, and where the partitions of topics are led. KIP-4, KIP-112,
//! KIP-320, KIP-430, KIP-516, KIP-1102.

use crate::{BrokerId, ErrorCode, Message, Str, TopicName, UnknownTags, Uuid};

/// Asks for the brokers and for some or all topics.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = Metadata, request, versions = "0..=13", flexible = "9..")]
pub struct MetadataRequest {
    /// Topics to describe; null means all of them (in version 0, an empty list does).
    #[message(nullable = "1..")]
    pub topics: Option<Vec<MetadataRequestTopic>>,
    /// Whether a topic that does not exist may be created.
    #[message(versions = "4..", default = true)]
    pub allow_auto_topic_creation: bool,
    /// Whether to tell what the caller may do to the cluster (KIP-430).
    #[message(versions = "8..=10")]
    pub include_cluster_authorized_operations: bool,
    /// Whether to tell what the caller may do to each topic (KIP-430).
    #[message(versions = "8..")]
    pub include_topic_authorized_operations: bool,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A topic to describe, by name or (from version 12) by id.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct MetadataRequestTopic {
    /// The topic's id, when it is asked for by id; else all zero.
    #[message(versions = "10..", ignorable)]
    pub topic_id: Uuid,
    /// The topic's name; null when it is asked for by id.
    #[message(nullable = "10..")]
    pub name: Option<TopicName>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The brokers and the topics asked for.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = Metadata, response, versions = "0..=13", flexible = "9..")]
pub struct MetadataResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    #[message(versions = "3..", ignorable)]
    pub throttle_time_ms: i32,
    /// The brokers that are alive.
    pub brokers: Vec<MetadataResponseBroker>,
    /// The cluster's id; null when not known.
    #[message(versions = "2..", nullable = "2..", default = null, ignorable)]
    pub cluster_id: Option<Str>,
    /// Node id of the controller; -1 when there is none.
    #[message(versions = "1..", default = -1, ignorable)]
    pub controller_id: BrokerId,
    /// The topics, or those asked for.
    pub topics: Vec<MetadataResponseTopic>,
    /// Operations that the caller may do, as bits by operation code; `i32::MIN` when not asked for
    /// (KIP-430).
    #[message(versions = "8..=10", default = -2147483648)]
    pub cluster_authorized_operations: i32,
    /// What went wrong with the whole request (KIP-1102).
    #[message(versions = "13..", ignorable)]
    pub error_code: ErrorCode,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A broker and where to reach it.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct MetadataResponseBroker {
    /// The node's id.
    #[message(map_key)]
    pub node_id: BrokerId,
    /// Host name or address to connect to.
    pub host: Str,
    /// Port to connect to.
    pub port: i32,
    /// The node's rack; null when it has none.
    #[message(versions = "1..", nullable = "1..", default = null, ignorable)]
    pub rack: Option<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A topic, or why it cannot be described.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct MetadataResponseTopic {
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// The topic's name; null when an id was asked for that nothing has.
    #[message(nullable = "12..", map_key)]
    pub name: Option<TopicName>,
    /// The topic's id (KIP-516); all zero means none.
    #[message(versions = "10..", ignorable)]
    pub topic_id: Uuid,
    /// Whether the topic is one of the broker's own.
    #[message(versions = "1..", ignorable)]
    pub is_internal: bool,
    /// The topic's partitions.
    pub partitions: Vec<MetadataResponsePartition>,
    /// Operations that the caller may do, as bits by operation code; `i32::MIN` when not asked for
    /// (KIP-430).
    #[message(versions = "8..", default = -2147483648)]
    pub topic_authorized_operations: i32,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A partition: who leads it and who holds it.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct MetadataResponsePartition {
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// Index of the partition, from 0.
    pub partition_index: i32,
    /// Node id of the leader; -1 when there is none.
    pub leader_id: BrokerId,
    /// The leader epoch; -1 when not known.
    #[message(versions = "7..", default = -1, ignorable)]
    pub leader_epoch: i32,
    /// Node ids of all replicas.
    pub replica_nodes: Vec<BrokerId>,
    /// Node ids of the replicas in sync.
    pub isr_nodes: Vec<BrokerId>,
    /// Node ids of the replicas that cannot be reached.
    #[message(versions = "5..", ignorable)]
    pub offline_replicas: Vec<BrokerId>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

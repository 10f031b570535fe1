//! WriteTxnMarkers (key 27, versions 1-2): the transaction coordinator has partition leaders write the
//! markers that end transactions. Between brokers, and from tools that abort a hanging transaction. KIP-98,
//! KIP-664, KIP-1228.

use crate::{ErrorCode, Message, ProducerEpoch, ProducerId, TopicName, UnknownTags};

/// Markers to write.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = WriteTxnMarkers, request, versions = "1..=2", flexible = "1..")]
pub struct WriteTxnMarkersRequest {
    /// The markers.
    pub markers: Vec<WritableTxnMarker>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The marker of one transaction, and where it goes.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct WritableTxnMarker {
    /// The producer's id; -1 for none.
    pub producer_id: ProducerId,
    /// The producer's epoch; -1 for none.
    pub producer_epoch: ProducerEpoch,
    /// Whether it commits; else it aborts.
    pub transaction_result: bool,
    /// Partitions that get the marker, by topic.
    pub topics: Vec<WritableTxnMarkerTopic>,
    /// Epoch of the transaction coordinator; those of earlier ones are refused.
    pub coordinator_epoch: i32,
    /// The level of `transaction.version` that the transaction runs at, which decides how epochs are
    /// checked (KIP-1228).
    #[message(versions = "2..", ignorable)]
    pub transaction_version: i8,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Partitions of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct WritableTxnMarkerTopic {
    /// The topic's name.
    pub name: TopicName,
    /// Indexes of the partitions.
    pub partition_indexes: Vec<i32>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of each marker.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = WriteTxnMarkers, response, versions = "1..=2", flexible = "1..")]
pub struct WriteTxnMarkersResponse {
    /// What became of the markers, by producer.
    pub markers: Vec<WritableTxnMarkerResult>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of one transaction's markers.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct WritableTxnMarkerResult {
    /// The producer's id; -1 for none.
    pub producer_id: ProducerId,
    /// What became of the markers, by topic.
    pub topics: Vec<WritableTxnMarkerTopicResult>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of the markers in one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct WritableTxnMarkerTopicResult {
    /// The topic's name.
    pub name: TopicName,
    /// What became of the markers, by partition.
    pub partitions: Vec<WritableTxnMarkerPartitionResult>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of the marker in one partition.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct WritableTxnMarkerPartitionResult {
    /// Index of the partition, from 0.
    pub partition_index: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

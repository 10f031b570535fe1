//! FetchSnapshot (key 59, versions 0-1): reads a piece of a quorum's snapshot. Between controllers and from
//! brokers. KIP-630, KIP-853.

use crate::{BrokerId, ErrorCode, Message, Records, Str, TopicName, UnknownTags, Uuid};

/// Which piece of which snapshot.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = FetchSnapshot, request, versions = "0..=1", flexible = "0..")]
pub struct FetchSnapshotRequest {
    /// The cluster that the node means to talk to; null for no check.
    #[message(nullable = "0..", tag = 0, tagged = "0..", default = null)]
    pub cluster_id: Option<Str>,
    /// Node id of the reader; -1 when it has none.
    #[message(default = -1)]
    pub replica_id: BrokerId,
    /// Bytes to answer at most.
    #[message(default = 2147483647)]
    pub max_bytes: i32,
    /// Snapshots, by topic.
    pub topics: Vec<RequestTopicSnapshot>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Snapshots of one topic; the metadata log is the only one.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(name = "TopicSnapshot")]
pub struct RequestTopicSnapshot {
    /// The topic's name.
    pub name: TopicName,
    /// Snapshots, by partition.
    pub partitions: Vec<RequestPartitionSnapshot>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A snapshot, and where to read on.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(name = "PartitionSnapshot")]
pub struct RequestPartitionSnapshot {
    /// Index of the partition, from 0.
    pub partition: i32,
    /// The leader epoch that the reader knows; -1 for no check.
    pub current_leader_epoch: i32,
    /// The snapshot to read.
    pub snapshot_id: SnapshotId,
    /// Byte of the snapshot to read from.
    pub position: i64,
    /// Id of the reader's metadata directory (KIP-853).
    #[message(versions = "1..", tag = 0, tagged = "1..", ignorable)]
    pub replica_directory_id: Uuid,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The snapshot: how far it goes.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct SnapshotId {
    /// First offset that the snapshot does not hold.
    pub end_offset: i64,
    /// Leader epoch of the last record in the snapshot.
    pub epoch: i32,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The piece.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = FetchSnapshot, response, versions = "0..=1", flexible = "0..")]
pub struct FetchSnapshotResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    #[message(ignorable)]
    pub throttle_time_ms: i32,
    /// What went wrong with the whole request; `None` when nothing did.
    pub error_code: ErrorCode,
    /// Pieces, by topic.
    pub topics: Vec<ResponseTopicSnapshot>,
    /// Where to reach the leaders named above (KIP-853).
    #[message(versions = "1..", tag = 0, tagged = "1..")]
    pub node_endpoints: Vec<NodeEndpoint>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Snapshots of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(name = "TopicSnapshot")]
pub struct ResponseTopicSnapshot {
    /// The topic's name.
    pub name: TopicName,
    /// Pieces, by partition.
    pub partitions: Vec<ResponsePartitionSnapshot>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A piece of a snapshot.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(name = "PartitionSnapshot")]
pub struct ResponsePartitionSnapshot {
    /// Index of the partition, from 0.
    pub index: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// The snapshot that was read.
    pub snapshot_id: SnapshotId,
    /// The leader to read from instead, when the node is not.
    #[message(tag = 0, tagged = "0..")]
    pub current_leader: LeaderIdAndEpoch,
    /// Bytes of the whole snapshot.
    pub size: i64,
    /// Byte of the snapshot at which the piece begins.
    pub position: i64,
    /// The piece: batches that may be cut at both ends.
    pub unaligned_records: Records,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The leader that should have been asked.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct LeaderIdAndEpoch {
    /// Node id of the leader; -1 when not known.
    pub leader_id: BrokerId,
    /// The leader's epoch; -1 when not known.
    pub leader_epoch: i32,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Where to reach a leader named in the response (KIP-853).
#[derive(Clone, Debug, PartialEq, Message)]
#[message(versions = "1..")]
pub struct NodeEndpoint {
    /// The node's id.
    #[message(versions = "1..", map_key)]
    pub node_id: BrokerId,
    /// Host name or address to connect to.
    #[message(versions = "1..")]
    pub host: Str,
    /// Port to connect to.
    #[message(versions = "1..")]
    pub port: u16,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

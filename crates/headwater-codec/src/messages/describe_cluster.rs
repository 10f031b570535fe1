//! DescribeCluster (key 60, versions 0-2): the cluster's id, controller and brokers. KIP-700, KIP-919,
//! KIP-1073.

use crate::{BrokerId, ErrorCode, Message, Str, UnknownTags};

/// Asks for the cluster.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = DescribeCluster, request, versions = "0..=2", flexible = "0..")]
pub struct DescribeClusterRequest {
    /// Whether to tell what the caller may do to the cluster (KIP-430).
    pub include_cluster_authorized_operations: bool,
    /// Kind of nodes: 1 brokers, 2 controllers (KIP-919).
    #[message(versions = "1..", default = 1)]
    pub endpoint_type: i8,
    /// Whether to tell of fenced brokers too (KIP-1073).
    #[message(versions = "2..")]
    pub include_fenced_brokers: bool,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The cluster.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = DescribeCluster, response, versions = "0..=2", flexible = "0..")]
pub struct DescribeClusterResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(nullable = "0..", default = null)]
    pub error_message: Option<Str>,
    /// Kind of nodes: 1 brokers, 2 controllers (KIP-919).
    #[message(versions = "1..", default = 1)]
    pub endpoint_type: i8,
    /// The cluster's id.
    pub cluster_id: Str,
    /// Node id of the controller; -1 when there is none.
    #[message(default = -1)]
    pub controller_id: BrokerId,
    /// The brokers (or controllers).
    pub brokers: Vec<DescribeClusterBroker>,
    /// Operations that the caller may do, as bits by operation code; `i32::MIN` when not asked for
    /// (KIP-430).
    #[message(default = -2147483648)]
    pub cluster_authorized_operations: i32,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A broker (or controller) and where to reach it.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct DescribeClusterBroker {
    /// The broker's node id.
    #[message(map_key)]
    pub broker_id: BrokerId,
    /// Host name or address to connect to.
    pub host: Str,
    /// Port to connect to.
    pub port: i32,
    /// The node's rack; null when it has none.
    #[message(nullable = "0..", default = null)]
    pub rack: Option<Str>,
    /// Whether the broker is fenced (KIP-1073).
    #[message(versions = "2..")]
    pub is_fenced: bool,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

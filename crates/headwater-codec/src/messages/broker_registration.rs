//! BrokerRegistration (key 62, versions 0-4): a broker that starts makes itself known. From brokers to the
//! controller. KIP-631, KIP-858, KIP-966.

use crate::{BrokerId, ErrorCode, Message, Str, UnknownTags, Uuid};

/// The broker, where to reach it, and what it can do.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = BrokerRegistration, request, versions = "0..=4", flexible = "0..")]
pub struct BrokerRegistrationRequest {
    /// The broker's node id.
    pub broker_id: BrokerId,
    /// The cluster's id.
    pub cluster_id: Str,
    /// Given anew at each start of the process.
    pub incarnation_id: Uuid,
    /// Listeners of the node.
    pub listeners: Vec<Listener>,
    /// Features that the node supports.
    pub features: Vec<Feature>,
    /// The node's rack; null when it has none.
    #[message(nullable = "0..")]
    pub rack: Option<Str>,
    /// Whether the broker still runs on ZooKeeper; false since Kafka 4.
    #[message(versions = "1..")]
    pub is_migrating_zk_broker: bool,
    /// Ids of its log directories that are online (KIP-858).
    #[message(versions = "2..", ignorable)]
    pub log_dirs: Vec<Uuid>,
    /// The broker's epoch before it was shut down cleanly; -1 when it was not (KIP-966).
    #[message(versions = "3..", default = -1, ignorable)]
    pub previous_broker_epoch: i64,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A listener.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct Listener {
    /// The listener's name.
    #[message(map_key)]
    pub name: Str,
    /// Host name or address to connect to.
    pub host: Str,
    /// Port to connect to.
    pub port: u16,
    /// 0 plaintext, 1 SSL, 2 SASL over plaintext, 3 SASL over SSL.
    pub security_protocol: i16,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A feature, and the levels supported.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct Feature {
    /// The feature's name.
    #[message(map_key)]
    pub name: Str,
    /// Lowest level supported.
    pub min_supported_version: i16,
    /// Highest level supported.
    pub max_supported_version: i16,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The broker's epoch.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = BrokerRegistration, response, versions = "0..=4", flexible = "0..")]
pub struct BrokerRegistrationResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// The broker's epoch; -1 on an error.
    #[message(default = -1)]
    pub broker_epoch: i64,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

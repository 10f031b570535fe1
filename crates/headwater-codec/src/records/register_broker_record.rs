//! RegisterBrokerRecord (metadata record 0, versions 0-4): KIP-631, KIP-858, KIP-866, KIP-1066.

use crate::{BrokerId, Message, Str, UnknownTags, Uuid};

/// A broker has started. Replaces its earlier registration.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, type_id = 0, versions = "0..=4", flexible = "0..")]
pub struct RegisterBrokerRecord {
    /// The broker's node id.
    pub broker_id: BrokerId,
    /// Whether the broker still runs on ZooKeeper.
    #[message(versions = "2..")]
    pub is_migrating_zk_broker: bool,
    /// Given anew at each start of the process.
    pub incarnation_id: Uuid,
    /// The broker's epoch: the offset of its registration in the metadata log.
    pub broker_epoch: i64,
    /// The broker's listeners.
    pub end_points: Vec<BrokerEndpoint>,
    /// Features that the broker supports.
    pub features: Vec<BrokerFeature>,
    /// The node's rack; null when it has none.
    #[message(nullable = "0..")]
    pub rack: Option<Str>,
    /// Whether the broker is fenced: leads nothing.
    #[message(default = true)]
    pub fenced: bool,
    /// Whether the broker is shutting down.
    #[message(versions = "1..")]
    pub in_controlled_shutdown: bool,
    /// Ids of its log directories that are online (KIP-858).
    #[message(versions = "3..", tag = 0, tagged = "3..")]
    pub log_dirs: Vec<Uuid>,
    /// Ids of its log directories that take no new logs; null when not told (KIP-1066).
    #[message(versions = "4..", nullable = "4..", tag = 1, tagged = "4..", default = null)]
    pub cordoned_log_dirs: Option<Vec<Uuid>>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A listener of the broker.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct BrokerEndpoint {
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

/// A feature, and the levels that the broker supports.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct BrokerFeature {
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

//! StreamsGroupMemberMetadataValue (`__consumer_offsets`, version 0): KIP-1071.

use crate::{Message, Str, UnknownTags};

/// A member of a streams group, as it describes itself. Stands after its version.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "0..=0", flexible = "0..")]
pub struct StreamsGroupMemberMetadataValue {
    /// A static member's own, stable name; null for a dynamic member.
    #[message(nullable = "0..")]
    pub instance_id: Option<Str>,
    /// The member's rack; null for none.
    #[message(nullable = "0..")]
    pub rack_id: Option<Str>,
    /// The client id of the member's requests.
    pub client_id: Str,
    /// The address that the member connects from, after a slash.
    pub client_host: Str,
    /// Milliseconds that the member may take to give up partitions; -1 when not told.
    #[message(default = -1)]
    pub rebalance_timeout_ms: i32,
    /// The epoch of the topology.
    pub topology_epoch: i32,
    /// The process's id.
    pub process_id: Str,
    /// Where to reach the member; null for nowhere.
    #[message(nullable = "0..", default = null)]
    pub user_endpoint: Option<Endpoint>,
    /// Tags by which standby tasks are spread.
    pub client_tags: Vec<KeyValue>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Where a client of the application can reach it.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct Endpoint {
    /// Host name or address.
    pub host: Str,
    /// Port to connect to.
    pub port: u16,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A name and a value.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct KeyValue {
    /// The name.
    pub key: Str,
    /// The value.
    pub value: Str,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

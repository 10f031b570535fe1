//! This cluster as clients are told of it: one node.

use headwater_codec::{BrokerId, Str};

/// An address that clients are told.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Endpoint {
    /// Name or address.
    pub(crate) host: Str,
    /// Port.
    pub(crate) port: u16,
}

/// The cluster and its only node. Endpoints are not here: they depend on the listener that a client came through.
#[derive(Clone, Debug)]
pub(crate) struct Cluster {
    cluster_id: Str,
    node_id: BrokerId,
    rack: Option<Str>,
}

impl Cluster {
    pub(crate) fn new(cluster_id: &str, node_id: BrokerId, rack: Option<&str>) -> Self {
        Self { cluster_id: Str::from(cluster_id), node_id, rack: rack.map(Str::from) }
    }

    /// The cluster's id.
    pub(crate) fn cluster_id(&self) -> &Str {
        &self.cluster_id
    }

    /// This node's id; it is broker and controller.
    pub(crate) fn node_id(&self) -> BrokerId {
        self.node_id
    }

    /// Where this node stands, for clients that prefer what is near.
    pub(crate) fn rack(&self) -> Option<&Str> {
        self.rack.as_ref()
    }
}

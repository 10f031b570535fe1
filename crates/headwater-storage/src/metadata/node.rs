//! What a node says about itself when it registers.

/// One broker, as its configuration has it.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeConfig {
    /// The node's id (`node.id`), 0 or more.
    pub node_id: i32,
    /// The cluster's id; `None` takes that of the directory, or makes one in a fresh directory.
    pub cluster_id: Option<String>,
    /// The advertised listeners.
    pub endpoints: Vec<Endpoint>,
    /// The controller listener that a Kafka opening the directory next would use; nothing listens there now.
    pub controller: Endpoint,
    /// The rack (`broker.rack`).
    pub rack: Option<String>,
    /// Bytes of metadata records after which a snapshot is written
    /// (`metadata.log.max.record.bytes.between.snapshots`).
    pub snapshot_after_bytes: u64,
    /// Milliseconds after which a snapshot is written if anything changed (`metadata.log.max.snapshot.interval.ms`);
    /// 0 for never.
    pub snapshot_after_ms: u64,
}

impl NodeConfig {
    /// A node with that id, Kafka's defaults and no listener.
    pub fn new(node_id: i32) -> Self {
        Self {
            node_id,
            cluster_id: None,
            endpoints: Vec::new(),
            controller: Endpoint::plaintext("CONTROLLER", "127.0.0.1", 9093),
            rack: None,
            snapshot_after_bytes: 20 * 1024 * 1024,
            snapshot_after_ms: 60 * 60 * 1000,
        }
    }
}

/// Where a listener is reached.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Endpoint {
    /// The listener's name, such as `PLAINTEXT`.
    pub name: String,
    /// The advertised host.
    pub host: String,
    /// The advertised port.
    pub port: u16,
    /// Kafka's number of the security protocol: 0 PLAINTEXT, 1 SSL, 2 SASL_PLAINTEXT, 3 SASL_SSL.
    pub security_protocol: i16,
}

impl Endpoint {
    /// A listener without TLS and without authentication.
    pub fn plaintext(name: &str, host: &str, port: u16) -> Self {
        Self { name: name.into(), host: host.into(), port, security_protocol: 0 }
    }

    /// The same with another security protocol, by Kafka's number.
    #[must_use]
    pub fn secured(self, security_protocol: i16) -> Self {
        Self { security_protocol, ..self }
    }
}

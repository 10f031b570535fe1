//! What a node writes to the metadata log when it starts and when it stops.

use headwater_codec::{
    BrokerId, Str, Uuid,
    records::{
        BeginTransactionRecord, BrokerRegistrationChangeRecord, EndTransactionRecord, MetadataLogRecord,
        PartitionChangeRecord, RegisterBrokerRecord, RegisterControllerRecord, register_broker_record,
        register_controller_record,
    },
};

use super::{
    features::{FRESH_FEATURES, MetadataVersion, SUPPORTED_FEATURES},
    image::MetadataImage,
    node::NodeConfig,
    replay::{FENCE, IN_CONTROLLED_SHUTDOWN, UNFENCE},
    to_records::{VersionedRecord, feature, register_broker},
};

/// The first records of a fresh directory, in one transaction if their level has such, as Kafka writes them.
pub(crate) fn bootstrap(records: Vec<VersionedRecord>, level: MetadataVersion) -> Vec<VersionedRecord> {
    if !level.has_transactions() {
        return records;
    }
    let begin = BeginTransactionRecord { name: Some(Str::from("Bootstrap records")), ..Default::default() };
    let mut all = vec![(MetadataLogRecord::BeginTransaction(begin), 0)];
    all.extend(records);
    all.push((MetadataLogRecord::EndTransaction(EndTransactionRecord::default()), 0));
    all
}

/// The feature levels of a directory that was not formatted by Kafka's own tool.
pub(crate) fn fresh_features() -> Vec<VersionedRecord> {
    FRESH_FEATURES.iter().map(|(name, level)| (feature(name, *level), 0)).collect()
}

/// The registration of this node as the controller.
pub(crate) fn register_controller(node: &NodeConfig, incarnation: Uuid) -> VersionedRecord {
    let endpoint = register_controller_record::ControllerEndpoint {
        name: Str::from(node.controller.name.as_str()),
        host: Str::from(node.controller.host.as_str()),
        port: node.controller.port,
        security_protocol: node.controller.security_protocol,
        ..Default::default()
    };
    let features =
        SUPPORTED_FEATURES.iter().map(|(name, min, max)| register_controller_record::ControllerFeature {
            name: Str::from(*name),
            min_supported_version: *min,
            max_supported_version: *max,
            ..Default::default()
        });
    let record = RegisterControllerRecord {
        controller_id: node.node_id,
        incarnation_id: incarnation,
        zk_migration_ready: false,
        end_points: vec![endpoint],
        features: features.collect(),
        ..Default::default()
    };
    (MetadataLogRecord::RegisterController(record), 0)
}

/// The registration of this node as a broker, fenced; `broker_epoch` is the record's own offset.
pub(crate) fn register_node(
    node: &NodeConfig,
    level: MetadataVersion,
    incarnation: Uuid,
    broker_epoch: i64,
    directories: &[Uuid],
) -> VersionedRecord {
    let endpoints = node.endpoints.iter().map(|endpoint| register_broker_record::BrokerEndpoint {
        name: Str::from(endpoint.name.as_str()),
        host: Str::from(endpoint.host.as_str()),
        port: endpoint.port,
        security_protocol: endpoint.security_protocol,
        ..Default::default()
    });
    let features = SUPPORTED_FEATURES.iter().map(|(name, min, max)| register_broker_record::BrokerFeature {
        name: Str::from(*name),
        min_supported_version: *min,
        max_supported_version: *max,
        ..Default::default()
    });
    let record = RegisterBrokerRecord {
        broker_id: BrokerId::new(node.node_id),
        incarnation_id: incarnation,
        broker_epoch,
        end_points: endpoints.collect(),
        features: features.collect(),
        rack: node.rack.as_deref().map(Str::from),
        fenced: true,
        log_dirs: directories.to_vec(),
        ..Default::default()
    };
    register_broker(record, level)
}

/// Unfences this node and makes it the leader of every partition that lies on it, each with a new leader epoch.
pub(crate) fn unfence(image: &MetadataImage, broker_epoch: i64) -> Vec<VersionedRecord> {
    let mut records = vec![registration_change(image.node, broker_epoch, UNFENCE, 0)];
    records.extend(leader_changes(image, image.node));
    records
}

/// Announces the stop and gives up every leadership, then fences this node: two batches.
pub(crate) fn fence(image: &MetadataImage) -> [Vec<VersionedRecord>; 2] {
    let mut leaving = vec![registration_change(image.node, image.broker_epoch(), 0, IN_CONTROLLED_SHUTDOWN)];
    leaving.extend(leader_changes(image, BrokerId::NONE));
    [leaving, vec![registration_change(image.node, image.broker_epoch(), FENCE, 0)]]
}

fn registration_change(
    node: BrokerId,
    broker_epoch: i64,
    fenced: i8,
    in_controlled_shutdown: i8,
) -> VersionedRecord {
    let record = BrokerRegistrationChangeRecord {
        broker_id: node,
        broker_epoch,
        fenced,
        in_controlled_shutdown,
        ..Default::default()
    };
    // The lowest version that has the fields that are set, as Kafka chooses it.
    let version = i16::from(in_controlled_shutdown != 0);
    (MetadataLogRecord::BrokerRegistrationChange(record), version)
}

fn leader_changes(image: &MetadataImage, leader: BrokerId) -> impl Iterator<Item = VersionedRecord> {
    let version = image.metadata_version().partition();
    image.topics().flat_map(move |topic| {
        let here = (0..).zip(&topic.partitions).filter(|(_, partition)| partition.lies_on(image.node));
        here.map(move |(partition_id, _)| {
            let change =
                PartitionChangeRecord { partition_id, topic_id: topic.id, leader, ..Default::default() };
            (MetadataLogRecord::PartitionChange(change), version)
        })
    })
}

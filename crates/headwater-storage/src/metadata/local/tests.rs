//! The store through its front door, on a disk that loses power.

use std::{collections::BTreeSet, io::IoSlice};

use headwater_codec::{BrokerId, Offset, TopicName, records::TopicRecord};

use super::{
    super::{
        batch::{control_batch, data_batch},
        control::ControlRecord,
        quorum_state::QuorumState,
        to_records::{VersionedRecord, feature},
    },
    *,
};
use crate::{DiskOp, Fault, ManualClock, OpenMode, PowerCut, QuotaEntity, SimDisk, StoredScramCredential};

const DIR: &str = "/data";
const LOG_PATH: &str = "__cluster_metadata-0/00000000000000000000.log";
const CHECKPOINT_PATH: &str = "__cluster_metadata-0/00000000000000000122-0000000003.checkpoint";
const KAFKA_LOG: &[u8] = include_bytes!("../../../tests/golden/kafka-4.3.0/00000000000000000000.log");
const KAFKA_CHECKPOINT: &[u8] =
    include_bytes!("../../../tests/golden/kafka-4.3.0/00000000000000000122-0000000003.checkpoint");

fn ids(seed: u64) -> impl FnMut() -> [u8; 16] + Send + 'static {
    let mut state = seed;
    move || {
        let mut bytes = [0; 16];
        for half in bytes.chunks_mut(8) {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            half.copy_from_slice(&state.to_be_bytes());
        }
        bytes
    }
}

fn node() -> NodeConfig {
    NodeConfig {
        endpoints: vec![super::super::Endpoint::plaintext("PLAINTEXT", "127.0.0.1", 9092)],
        ..NodeConfig::new(1)
    }
}

fn open_node(
    disk: &SimDisk,
    dirs: &[&str],
    node: NodeConfig,
    seed: u64,
) -> Result<LocalMetadataStore, MetadataError> {
    let dirs: Vec<PathBuf> = dirs.iter().map(PathBuf::from).collect();
    let clock = Arc::new(ManualClock::new(1_700_000_000_000));
    LocalMetadataStore::open(Arc::new(disk.clone()), &dirs, None, node, clock, ids(seed))
}

fn open(disk: &SimDisk) -> LocalMetadataStore {
    open_node(disk, &[DIR], node(), disk.op_count()).unwrap()
}

/// The answer, waited for.
fn wait<T: Unpin>(pending: Pending<T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(pending)
}

fn new_topic(name: &str, partition_count: i32) -> NewTopic {
    NewTopic { name: name.into(), partition_count, configs: vec![("retention.ms".into(), "5".into())] }
}

fn create(store: &LocalMetadataStore, name: &str) -> Result<Uuid, MetadataError> {
    wait(store.create_topic(new_topic(name, 2), Fence(0)))
}

fn names(store: &LocalMetadataStore) -> Vec<String> {
    store.image().topics().map(|topic| topic.name.to_string()).collect()
}

fn read(disk: &SimDisk, path: &str) -> String {
    String::from_utf8(disk.read(Path::new(path)).unwrap()).unwrap()
}

#[test]
fn fresh_directory_is_formatted_as_kafka_does_it() {
    let disk = SimDisk::new();
    let store = open(&disk);
    let image = store.image();
    assert_eq!(image.cluster_id().len(), 22);
    assert_eq!(image.feature("metadata.version"), 25);
    assert_eq!(image.kraft_epoch(), 1);
    // Leader change, version and voters; five bootstrap records; the controller. The broker's epoch is its own offset.
    assert_eq!(image.broker_epoch(), 9);
    assert!(!image.brokers[&1].fenced);
    assert_eq!(image.brokers[&1].log_dirs, image.directories());
    let properties = read(&disk, "/data/meta.properties");
    assert!(properties.contains(&format!("cluster.id={}\n", image.cluster_id())), "{properties}");
    assert_eq!(
        read(&disk, "/data/__cluster_metadata-0/partition.metadata"),
        "version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAQ"
    );
    assert_eq!(read(&disk, "/data/__cluster_metadata-0/leader-epoch-checkpoint"), "0\n1\n1 0\n");
    assert!(read(&disk, "/data/__cluster_metadata-0/quorum-state").contains("\"leaderEpoch\":1,"));
    let mut files: Vec<_> = disk
        .list(Path::new("/data/__cluster_metadata-0"))
        .unwrap()
        .into_iter()
        .map(|entry| entry.name)
        .collect();
    files.sort_unstable();
    assert_eq!(
        files,
        [
            "00000000000000000000-0000000000.checkpoint",
            "00000000000000000000.log",
            "leader-epoch-checkpoint",
            "partition.metadata",
            "quorum-state",
            "recovery-point-offset-checkpoint"
        ]
    );
}

#[test]
fn topics_configs_and_partitions_last() {
    let disk = SimDisk::new();
    let store = open(&disk);
    let id = create(&store, "orders").unwrap();
    let gone = create(&store, "gone").unwrap();
    wait(store.delete_topic(gone, Fence(0))).unwrap();
    wait(store.create_partitions(id, 5, Fence(0))).unwrap();
    let orders = ConfigResource::Topic("orders".into());
    let changes = vec![("retention.ms".into(), None), ("segment.bytes".into(), Some("77".into()))];
    wait(store.alter_configs(orders.clone(), changes, Fence(0))).unwrap();
    let broker = ConfigResource::Broker(None);
    wait(store.alter_configs(broker.clone(), vec![("log.retention.ms".into(), Some("9".into()))], Fence(0)))
        .unwrap();
    let before = store.image();
    drop(store);

    let store = open(&disk);
    let image = store.image();
    assert_eq!(names(&store), ["orders"]);
    let topic = image.topic("orders").unwrap();
    assert_eq!((topic.id, topic.partition_count()), (id, 5));
    assert_eq!(topic.configs.iter().collect::<Vec<_>>(), [(&"segment.bytes".to_owned(), &"77".to_owned())]);
    assert_eq!(image.configs(&orders), Some(&topic.configs));
    assert_eq!(image.configs(&broker).unwrap()["log.retention.ms"], "9");
    assert_eq!(topic.partitions[4].directory, image.directories()[0]);
    assert!(image.broker_epoch() > before.broker_epoch());
    assert_eq!(image.kraft_epoch(), before.kraft_epoch() + 1);
    assert_eq!(image.cluster_id(), before.cluster_id());
}

#[test]
fn watchers_hear_of_a_change_before_it_is_answered() {
    let store = open(&SimDisk::new());
    let watch = store.watch();
    create(&store, "orders").unwrap();
    assert!(watch.has_changed().unwrap());
    assert!(watch.borrow().topic("orders").is_some());
}

#[test]
fn leader_epochs_rise_at_each_start_and_never_fall_when_a_name_is_given_again() {
    let disk = SimDisk::new();
    let mut last = -1;
    for round in 0..4 {
        let store = open(&disk);
        let id = match store.image().topic("orders") {
            Some(topic) => topic.id,
            None => create(&store, "orders").unwrap(),
        };
        let epoch = store.image().topic_by_id(id).unwrap().partitions[0].leader_epoch.get();
        assert!(epoch > last, "round {round}: {epoch} after {last}");
        wait(store.delete_topic(id, Fence(0))).unwrap();
        let again = create(&store, "orders").unwrap();
        last = store.image().topic_by_id(again).unwrap().partitions[0].leader_epoch.get();
        assert!(last > epoch, "round {round}: {last} after {epoch} and a deletion");
        if round % 2 == 0 {
            wait(store.close()).unwrap();
        }
    }
}

#[test]
fn clean_stop_fences_the_node_and_gives_up_its_leaderships() {
    let disk = SimDisk::new();
    let store = open(&disk);
    create(&store, "orders").unwrap();
    wait(store.close()).unwrap();
    let image = store.image();
    assert!(image.brokers[&1].fenced && image.brokers[&1].in_controlled_shutdown);
    assert_eq!(image.topic("orders").unwrap().partitions[0].leader, None);
    assert!(matches!(create(&store, "late"), Err(MetadataError::Closed)));
    assert!(matches!(wait(store.close()), Err(MetadataError::Closed)));
    drop(store);
    let store = open(&disk);
    let image = store.image();
    assert!(!image.brokers[&1].fenced && !image.brokers[&1].in_controlled_shutdown);
    assert_eq!(image.topic("orders").unwrap().partitions[0].leader, Some(image.node_id()));
}

#[test]
fn refusals_say_why_and_change_nothing() {
    let store = open(&SimDisk::new());
    let id = create(&store, "orders").unwrap();
    let before = store.image();
    assert!(matches!(create(&store, "orders"), Err(MetadataError::TopicExists { .. })));
    for count in [0, -1, 10_001] {
        let refused = wait(store.create_topic(new_topic("other", count), Fence(0)));
        assert!(matches!(refused, Err(MetadataError::InvalidPartitionCount { current: 0, .. })), "{count}");
    }
    for count in [1, 2, -5, 20_000] {
        let refused = wait(store.create_partitions(id, count, Fence(0)));
        assert!(matches!(refused, Err(MetadataError::InvalidPartitionCount { current: 2, .. })), "{count}");
    }
    let nobody = Uuid::from_u128(1);
    assert!(matches!(wait(store.delete_topic(nobody, Fence(0))), Err(MetadataError::UnknownTopic { .. })));
    assert!(matches!(
        wait(store.create_partitions(nobody, 9, Fence(0))),
        Err(MetadataError::UnknownTopic { .. })
    ));
    let config = ConfigResource::Topic(TopicName::from("nobody"));
    let refused = wait(store.alter_configs(config, vec![("a".into(), Some("b".into()))], Fence(0)));
    assert!(matches!(refused, Err(MetadataError::UnknownTopicName { .. })));
    for count in [0, -1] {
        let refused = wait(store.allocate_producer_ids(count, Fence(0)));
        assert!(matches!(refused, Err(MetadataError::InvalidProducerIdCount { .. })));
    }
    assert!(*store.image() == *before);
}

#[test]
fn older_fence_is_refused() {
    let store = open(&SimDisk::new());
    wait(store.create_topic(new_topic("a", 1), Fence(3))).unwrap();
    let refused = wait(store.create_topic(new_topic("b", 1), Fence(2)));
    assert!(matches!(refused, Err(MetadataError::Fenced { fence: Fence(2), newest: Fence(3) })));
    wait(store.create_topic(new_topic("b", 1), Fence(3))).unwrap();
}

#[test]
fn producer_ids_are_never_given_twice() {
    let disk = SimDisk::new();
    let mut given = BTreeSet::new();
    for round in 0..6 {
        let store = open(&disk);
        for count in [1, 1, 700, 5, 1500, 1] {
            let first = wait(store.allocate_producer_ids(count, Fence(0))).unwrap().get();
            for id in first..first + i64::from(count) {
                assert!(given.insert(id), "{id} was given twice");
            }
        }
        if round % 2 == 0 {
            wait(store.close()).unwrap();
        }
    }
}

#[test]
fn calls_that_wait_together_share_one_sync() {
    let disk = SimDisk::new();
    let store = open(&disk);
    disk.hold_syncs(true);
    let first = store.create_topic(new_topic("first", 1), Fence(0));
    let waiting: Vec<_> =
        (0..100).map(|index| store.create_topic(new_topic(&format!("t{index}"), 1), Fence(0))).collect();
    let before = disk.sync_count();
    disk.hold_syncs(false);
    wait(first).unwrap();
    for pending in waiting {
        wait(pending).unwrap();
    }
    assert_eq!(store.image().topic_count(), 101);
    assert!(disk.sync_count() - before <= 3, "{} syncs", disk.sync_count() - before);
}

#[test]
fn failed_write_or_sync_takes_everything_back_and_the_store_heals() {
    for op in [DiskOp::Write, DiskOp::Sync] {
        let disk = SimDisk::new();
        let store = open(&disk);
        create(&store, "before").unwrap();
        let before = store.image();
        disk.inject(Fault { op, path: ".log".into(), errno: 28, written: 10, times: 1 });
        assert!(matches!(create(&store, "failed"), Err(MetadataError::Storage(_))), "{op:?}");
        assert!(*store.image() == *before, "{op:?}");
        disk.heal();
        create(&store, "after").unwrap();
        drop(store);
        assert_eq!(names(&open(&disk)), ["after", "before"], "{op:?}");
    }
}

#[test]
fn snapshot_is_written_when_the_log_grew_and_old_ones_go() {
    let disk = SimDisk::new();
    let config = || NodeConfig { snapshot_after_bytes: 2000, ..node() };
    let store = open_node(&disk, &[DIR], config(), 1).unwrap();
    for index in 0..100 {
        create(&store, &format!("topic-{index:03}")).unwrap();
    }
    let before = store.image();
    wait(store.close()).unwrap();
    drop(store);
    let checkpoints = checkpoints(&disk);
    assert_eq!(checkpoints.len(), 2, "{checkpoints:?}");
    let store = open_node(&disk, &[DIR], config(), 2).unwrap();
    assert_eq!(store.image().topic_count(), 100);
    assert_eq!(store.image().topic("topic-042").unwrap().id, before.topic("topic-042").unwrap().id);
    assert_eq!(store.image().kraft_epoch(), 2);
}

#[test]
fn damaged_snapshot_gives_way_to_the_one_before() {
    let disk = SimDisk::new();
    let config = || NodeConfig { snapshot_after_bytes: 2000, ..node() };
    let store = open_node(&disk, &[DIR], config(), 1).unwrap();
    for index in 0..50 {
        create(&store, &format!("topic-{index:03}")).unwrap();
    }
    wait(store.close()).unwrap();
    drop(store);
    let newest = checkpoints(&disk).pop().unwrap();
    let path = Path::new("/data/__cluster_metadata-0").join(newest);
    disk.damage(&path, |bytes| bytes.truncate(bytes.len() / 2)).unwrap();
    let store = open_node(&disk, &[DIR], config(), 2).unwrap();
    assert_eq!(store.image().topic_count(), 50);
}

fn checkpoints(disk: &SimDisk) -> Vec<String> {
    let entries = disk.list(Path::new("/data/__cluster_metadata-0")).unwrap();
    let mut names: Vec<_> =
        entries.into_iter().map(|entry| entry.name).filter(|name| name.ends_with(".checkpoint")).collect();
    names.sort_unstable();
    names
}

#[test]
fn directories_of_other_nodes_and_clusters_are_refused_by_name() {
    let disk = SimDisk::new();
    drop(open(&disk));
    let message = |dirs: &[&str], node: NodeConfig| open_node(&disk, dirs, node, 9).unwrap_err().to_string();
    let other = NodeConfig { node_id: 2, ..node() };
    assert_eq!(message(&[DIR], other), "/data/meta.properties: node.id is 1, but should be 2");
    let other = NodeConfig { cluster_id: Some("other".into()), ..node() };
    assert!(message(&[DIR], other).starts_with("/data/meta.properties: cluster.id is "));
    drop(open_node(&disk, &["/foreign"], node(), 10).unwrap());
    assert!(message(&[DIR, "/foreign"], node()).starts_with("/foreign/meta.properties: cluster.id is "));
    disk.remove(Path::new("/data/meta.properties")).unwrap();
    assert_eq!(
        message(&[DIR], node()),
        "/data/meta.properties: version is missing, but should be 1, because a metadata log is there"
    );
}

#[test]
fn several_directories_have_ids_of_their_own_and_leave_placement_open() {
    let disk = SimDisk::new();
    let store = open_node(&disk, &["/a", "/b"], node(), 3).unwrap();
    let ids: BTreeSet<_> = store.image().directories().iter().copied().collect();
    assert_eq!(ids.len(), 2);
    create(&store, "orders").unwrap();
    assert_eq!(store.image().topic("orders").unwrap().partitions[0].directory, Uuid::from_u128(1));
    drop(store);
    let store = open_node(&disk, &["/a", "/b", "/c"], node(), 4).unwrap();
    assert_eq!(store.image().directories().len(), 3);
    assert_eq!(names(&store), ["orders"]);
    assert!(!disk.exists(Path::new("/b/__cluster_metadata-0")).unwrap());
}

/// Puts files into a directory of node 1 that Apache Kafka formatted.
fn kafka_directory(files: &[(&str, &[u8])]) -> SimDisk {
    let disk = SimDisk::new();
    let put = |path: &str, bytes: &[u8]| {
        let path = Path::new(DIR).join(path);
        disk.create_dir(path.parent().unwrap()).unwrap();
        disk.open(&path, OpenMode::Create).unwrap().write_all_at(&mut [IoSlice::new(bytes)], 0).unwrap();
    };
    let properties =
        "node.id=1\ndirectory.id=_nQ-D7I2S_mce-n2ubgj7A\nversion=1\ncluster.id=AAAAAAAAAAAAAAAAAAAAAQ\n";
    put("meta.properties", properties.as_bytes());
    for (path, bytes) in files {
        put(path, bytes);
    }
    disk
}

fn quorum_state(leader_epoch: i32, data_version: i16) -> String {
    QuorumState { leader_epoch, data_version, voters: vec![] }.to_text(1)
}

/// A metadata log of one batch.
fn log_of(records: &[VersionedRecord]) -> Vec<u8> {
    data_batch(Offset::ZERO, 1, 1_000, records).unwrap().to_bytes().to_vec()
}

fn refusal(log: &[u8]) -> MetadataError {
    open_node(&kafka_directory(&[(LOG_PATH, log)]), &[DIR], node(), 1).unwrap_err()
}

#[test]
fn metadata_of_an_unknown_level_is_refused() {
    for level in [1, 6, 31, i16::MAX] {
        let error = refusal(&log_of(&[(feature("metadata.version", level), 0)]));
        assert!(
            matches!(error, MetadataError::UnsupportedMetadataVersion { level: found, min: 7, max: 30, .. } if found == level),
            "{error}"
        );
    }
    let topic = TopicRecord { name: "t".into(), topic_id: Uuid::from_u128(1), ..Default::default() };
    let error = refusal(&log_of(&[(topic.into(), 0)]));
    assert!(matches!(error, MetadataError::NoMetadataVersion { .. }), "{error}");
}

#[test]
fn metadata_of_a_quorum_of_others_is_refused() {
    let voters = ControlRecord::voters(BrokerId::new(3000), Uuid::from_u128(1), &node().controller).unwrap();
    let log = control_batch(Offset::ZERO, 1, 1_000, &[voters]).unwrap().to_bytes();
    let error = refusal(&log);
    assert!(matches!(error, MetadataError::ForeignVoter { voter: 3000, node_id: 1, .. }), "{error}");
    let state = QuorumState { leader_epoch: 4, data_version: 0, voters: vec![] }.to_text(3000);
    let disk = kafka_directory(&[("__cluster_metadata-0/quorum-state", state.as_bytes())]);
    let error = open_node(&disk, &[DIR], node(), 1).unwrap_err();
    assert!(matches!(error, MetadataError::ForeignVoter { voter: 3000, .. }), "{error}");
}

#[test]
fn record_that_does_not_decode_is_named_by_its_offset() {
    let mut builder = headwater_records::BatchBuilder::new();
    builder.push(0, None, Some(&[1, 99, 0]), &[]).unwrap();
    let error = refusal(&builder.build().unwrap().to_bytes());
    assert!(matches!(error, MetadataError::Corrupt { offset: Offset::ZERO, .. }), "{error}");
}

#[test]
fn damage_below_the_newest_snapshot_is_an_error_and_damage_above_it_a_cut() {
    let directory = || kafka_directory(&[(LOG_PATH, KAFKA_LOG), (CHECKPOINT_PATH, KAFKA_CHECKPOINT)]);
    let disk = directory();
    let log = Path::new(DIR).join(LOG_PATH);
    disk.damage(&log, |bytes| bytes[5000] ^= 1).unwrap();
    let error = open_node(&disk, &[DIR], node(), 1).unwrap_err();
    assert!(
        matches!(&error, MetadataError::Storage(source) if source.to_string().contains(LOG_PATH)),
        "{error:?}"
    );
    let disk = directory();
    disk.damage(&log, |bytes| bytes.truncate(5000)).unwrap();
    assert!(matches!(open_node(&disk, &[DIR], node(), 1), Err(MetadataError::Storage(_))));
    let disk = directory();
    disk.damage(&log, |bytes| bytes.truncate(bytes.len() - 1)).unwrap();
    assert_eq!(names(&open(&disk)), ["__consumer_offsets", "alpha", "gamma"]);
}

#[test]
fn damage_below_what_was_committed_is_an_error_and_nothing_is_cut() {
    let disk = SimDisk::new();
    let store = open(&disk);
    create(&store, "a").unwrap();
    create(&store, "b").unwrap();
    drop(store);
    let log = Path::new(DIR).join(LOG_PATH);
    let whole = disk.read(&log).unwrap();
    let damages: [fn(&mut Vec<u8>); 4] = [
        |bytes| {
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
        },
        |bytes| bytes[70] ^= 1,
        |bytes| bytes.truncate(bytes.len() - 1),
        Vec::clear,
    ];
    for damage in damages {
        disk.damage(&log, damage).unwrap();
        let damaged = disk.read(&log).unwrap();
        let error = open_node(&disk, &[DIR], node(), 1).unwrap_err();
        assert!(
            matches!(&error, MetadataError::Storage(source) if source.to_string().contains(LOG_PATH)),
            "{error:?}"
        );
        assert_eq!(disk.read(&log).unwrap(), damaged);
        disk.damage(&log, |bytes| bytes.clone_from(&whole)).unwrap();
    }
    assert_eq!(names(&open(&disk)), ["a", "b"]);
}

#[test]
fn what_follows_the_last_commit_is_cut() {
    let disk = SimDisk::new();
    let store = open(&disk);
    create(&store, "a").unwrap();
    drop(store);
    disk.damage(&Path::new(DIR).join(LOG_PATH), |bytes| bytes.extend([0; 100])).unwrap();
    assert_eq!(names(&open(&disk)), ["a"]);
}

#[test]
fn directory_formatted_by_kafkas_tool_starts_with_the_records_that_it_left() {
    const BOOTSTRAP: &[u8] =
        include_bytes!("../../../tests/golden/kafka-4.3.0-formatted/bootstrap.checkpoint");
    const VOTERS: &[u8] = include_bytes!(
        "../../../tests/golden/kafka-4.3.0-formatted/00000000000000000000-0000000000.checkpoint"
    );
    const VOTERS_PATH: &str = "__cluster_metadata-0/00000000000000000000-0000000000.checkpoint";
    for (voters, data_version) in [(Some(VOTERS), 1), (None, 0)] {
        let mut files = vec![("bootstrap.checkpoint", BOOTSTRAP)];
        files.extend(voters.map(|bytes| (VOTERS_PATH, bytes)));
        let disk = kafka_directory(&files);
        let store = open(&disk);
        let image = store.image();
        assert_eq!(image.feature("metadata.version"), 30);
        assert_eq!(image.feature("eligible.leader.replicas.version"), 1);
        assert_eq!(image.kept.scram.len(), 1);
        let state = read(&disk, "/data/__cluster_metadata-0/quorum-state");
        assert!(state.ends_with(&format!("\"data_version\":{data_version}}}")), "{state}");
        create(&store, "ours").unwrap();
        drop(store);
        assert_eq!(names(&open(&disk)), ["ours"]);
    }
}

#[test]
fn goes_on_with_a_directory_of_apache_kafka() {
    let state = quorum_state(3, 1);
    let files = [
        ("__cluster_metadata-0/quorum-state", state.as_bytes()),
        (LOG_PATH, KAFKA_LOG),
        (CHECKPOINT_PATH, KAFKA_CHECKPOINT),
    ];
    for files in [&files[..2], &files] {
        let disk = kafka_directory(files);
        let store = open(&disk);
        let image = store.image();
        assert_eq!(names(&store), ["__consumer_offsets", "alpha", "gamma"]);
        assert_eq!(image.cluster_id(), "AAAAAAAAAAAAAAAAAAAAAQ");
        assert_eq!(image.kraft_epoch(), 4);
        assert_eq!(image.topic("alpha").unwrap().partitions[0].leader_epoch.get(), 6);
        assert_eq!(wait(store.allocate_producer_ids(1, Fence(0))).unwrap().get(), 1000);
        create(&store, "ours").unwrap();
        wait(store.close()).unwrap();
        drop(store);
        let store = open(&disk);
        assert_eq!(names(&store), ["__consumer_offsets", "alpha", "gamma", "ours"]);
        assert_eq!(store.image().kept.scram.len(), 1);
    }
}

#[test]
fn directory_of_a_fixed_quorum_and_an_older_level_keeps_both() {
    const LOG: &[u8] = include_bytes!("../../../tests/golden/kafka-4.3.0-level-3.9/00000000000000000000.log");
    let state = quorum_state(1, 0);
    let disk = kafka_directory(&[("__cluster_metadata-0/quorum-state", state.as_bytes()), (LOG_PATH, LOG)]);
    let store = open(&disk);
    assert_eq!(store.image().feature("metadata.version"), 21);
    assert!(read(&disk, "/data/__cluster_metadata-0/quorum-state").ends_with("\"data_version\":0}"));
    create(&store, "ours").unwrap();
    drop(store);
    assert_eq!(names(&open(&disk)), ["alpha", "ours"]);
}

/// What one run of the script was answered.
#[derive(Default)]
struct Answered {
    /// The topics that must be there, and those that may be: their creation or deletion was not answered.
    must: BTreeSet<String>,
    may: BTreeSet<String>,
    config: Option<String>,
    config_may: Option<String>,
    producer_ids: Vec<i64>,
}

/// Creates, deletes, configures and takes producer ids until something fails.
fn script(store: &LocalMetadataStore, answered: &mut Answered, round: u32) -> Option<()> {
    let base = ConfigResource::Broker(None);
    for step in 0..3 {
        let name = format!("topic-{round}-{step}");
        answered.may.insert(name.clone());
        let id = create(store, &name).ok()?;
        answered.may.remove(&name);
        answered.must.insert(name.clone());
        let value = format!("{round}-{step}");
        answered.config_may = Some(value.clone());
        wait(store.alter_configs(base.clone(), vec![("k".into(), Some(value.clone()))], Fence(0))).ok()?;
        answered.config = Some(value);
        answered.config_may = None;
        answered.producer_ids.push(wait(store.allocate_producer_ids(400, Fence(0))).ok()?.get());
        if step == 1 {
            answered.must.remove(&name);
            answered.may.insert(name.clone());
            wait(store.delete_topic(id, Fence(0))).ok()?;
            answered.may.remove(&name);
        }
    }
    wait(store.close()).ok()
}

#[test]
fn power_cut_at_any_boundary_loses_nothing_that_was_answered() {
    let config = || NodeConfig { snapshot_after_bytes: 1500, ..node() };
    let mut cuts = 0;
    for kind in 0..KINDS {
        for op in 0.. {
            let cut = kind_of_cut(kind, op);
            let mut disk = SimDisk::new();
            let mut answered = Answered::default();
            // The second run starts on what the first left, and is the one that is cut.
            let store = open_node(&disk, &[DIR], config(), 1).unwrap();
            script(&store, &mut answered, 0).unwrap();
            drop(store);
            let start = disk.op_count();
            disk.cut_power_at(start + op);
            let finished = match open_node(&disk, &[DIR], config(), 2) {
                Ok(store) => script(&store, &mut answered, 1).is_some(),
                Err(_) => false,
            };
            disk = disk.power_cut(cut);
            check(&disk, &answered, &format!("{cut:?} at {op}"));
            if finished {
                break;
            }
            cuts += 1;
        }
    }
    eprintln!("{cuts} power cuts");
    assert!(cuts > 400, "{cuts}");
}

/// Every op is cut once with everything dropped, once with everything kept, and by chance otherwise.
const KINDS: u64 = 8;

fn kind_of_cut(kind: u64, op: u64) -> PowerCut {
    let seed = op * KINDS + kind;
    match kind {
        0 => PowerCut::Dropped,
        1 => PowerCut::Kept,
        _ if kind.is_multiple_of(2) => PowerCut::Torn { seed },
        _ => PowerCut::Reordered { seed },
    }
}

#[test]
fn power_cut_while_a_fresh_directory_is_formatted_leaves_one_that_opens() {
    for kind in 0..KINDS {
        for op in 0.. {
            let cut = kind_of_cut(kind, op);
            let disk = SimDisk::new();
            disk.cut_power_at(op);
            let finished = open_node(&disk, &[DIR], node(), 1).is_ok();
            let disk = disk.power_cut(cut);
            let store = open_node(&disk, &[DIR], node(), 2)
                .unwrap_or_else(|error| panic!("{cut:?} at {op}: {error}"));
            assert_eq!(store.image().feature("metadata.version"), 25);
            create(&store, "orders").unwrap();
            wait(store.close()).unwrap();
            drop(store);
            assert_eq!(names(&open(&disk)), ["orders"]);
            if finished {
                break;
            }
        }
    }
}

fn check(disk: &SimDisk, answered: &Answered, at: &str) {
    let store = open_node(disk, &[DIR], node(), 3).unwrap_or_else(|error| panic!("{at}: {error}: {error:?}"));
    let image = store.image();
    let found: BTreeSet<String> = names(&store).into_iter().collect();
    let lost: Vec<_> = answered.must.difference(&found).collect();
    assert!(lost.is_empty(), "{at}: lost {lost:?}");
    for name in found.difference(&answered.must) {
        assert!(answered.may.contains(name), "{at}: {name} is there");
    }
    for topic in image.topics() {
        assert_eq!(topic.partition_count(), 2, "{at}: {} is there in part", topic.name);
        assert_eq!(topic.configs.len(), 1, "{at}: {} is there in part", topic.name);
    }
    let config = image.configs(&ConfigResource::Broker(None)).and_then(|configs| configs.get("k"));
    assert!(
        config == answered.config.as_ref() || config == answered.config_may.as_ref(),
        "{at}: the config is {config:?}"
    );
    let first = wait(store.allocate_producer_ids(1, Fence(0))).unwrap().get();
    for given in &answered.producer_ids {
        assert!(!(*given..given + 400).contains(&first), "{at}: producer id {first} was given before");
    }
    create(&store, "one-more").unwrap();
    assert!(store.image().end_offset() > Offset::ZERO);
}

#[test]
fn credentials_and_quotas_last_over_log_and_snapshot() {
    let disk = SimDisk::new();
    let store = open(&disk);
    let credential = |user: &str, mechanism, iterations| StoredScramCredential {
        user: user.into(),
        mechanism,
        salt: "salt".into(),
        stored_key: "stored".into(),
        server_key: "server".into(),
        iterations,
    };
    let put = |user: &str, mechanism, iterations| ScramChange::Put(credential(user, mechanism, iterations));
    let both = vec![put("alice", 1, 4096), put("alice", 2, 4097), put("bob", 1, 5000)];
    wait(store.alter_scram_credentials(both, Fence(0))).unwrap();
    let gone = ScramChange::Remove { user: "bob".into(), mechanism: 1 };
    let absent = ScramChange::Remove { user: "bob".into(), mechanism: 2 };
    wait(store.alter_scram_credentials(vec![gone, absent, put("alice", 1, 8192)], Fence(0))).unwrap();

    let user = |name: Option<&str>| ("user".to_owned(), name.map(str::to_owned));
    let client = |name: Option<&str>| ("client-id".to_owned(), name.map(str::to_owned));
    let quota = |parts: Vec<(String, Option<String>)>, value| QuotaChange {
        entity: QuotaEntity::new(parts),
        quota: "producer_byte_rate".into(),
        value,
    };
    let set = vec![
        quota(vec![user(Some("alice")), client(None)], Some(1e6)),
        quota(vec![client(Some("c1"))], Some(5.5)),
        quota(vec![client(Some("c2"))], Some(6.5)),
    ];
    wait(store.alter_client_quotas(set, Fence(0))).unwrap();
    wait(store.alter_client_quotas(vec![quota(vec![client(Some("c2"))], None)], Fence(0))).unwrap();

    let check = |image: &MetadataImage| {
        let all: Vec<_> = image.scram_credentials().collect();
        assert_eq!(all, [credential("alice", 1, 8192), credential("alice", 2, 4097)]);
        assert_eq!(image.scram_credential("alice", 2), Some(credential("alice", 2, 4097)));
        assert_eq!(image.scram_credential("bob", 1), None);
        let quotas: Vec<_> = image.client_quotas().collect();
        let (c1, pair) =
            (QuotaEntity::new([client(Some("c1"))]), QuotaEntity::new([client(None), user(Some("alice"))]));
        assert_eq!(quotas.len(), 2);
        assert!(quotas.contains(&(&c1, "producer_byte_rate", 5.5)), "{quotas:?}");
        assert!(quotas.contains(&(&pair, "producer_byte_rate", 1e6)), "{quotas:?}");
        assert_eq!(image.client_quota(&pair, "producer_byte_rate"), Some(1e6));
        assert_eq!((pair.name("user"), pair.name("client-id")), (Some(Some("alice")), Some(None)));
    };
    check(&store.image());
    drop(store);
    // A small bound makes the next start write a snapshot, and the one after it read that.
    for _ in 0..2 {
        let store =
            open_node(&disk, &[DIR], NodeConfig { snapshot_after_bytes: 1, ..node() }, disk.op_count());
        let store = store.unwrap();
        create(&store, &format!("t{}", disk.op_count())).unwrap();
        check(&store.image());
        wait(store.close()).unwrap();
    }
    let debug = format!("{:?}", credential("alice", 1, 4096));
    assert!(!debug.contains("stored") && debug.contains("alice"), "{debug}");
}

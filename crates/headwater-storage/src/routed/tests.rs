//! Both engines behind the one store, on a disk that loses power.

use std::path::{Path, PathBuf};

use headwater_codec::{Offset, PartitionIndex, TopicIdPartition};
use headwater_records::{BatchBuilder, Batches};
use uuid::Uuid;

use super::*;
use crate::{
    AppendDurability, ConfigResource, Disk, Fence, Isolation, LocalLogOptions, LogConfig, LogStore,
    ManualClock, MetadataStore, NewTopic, NodeConfig, Pending, PowerCut, ReadRequest, RecordFormat,
    RecordFormat::{Kafka, Native},
    SimDisk, TopicLog,
};

const NOW: i64 = 1_700_000_000_000;

fn ids(seed: u64) -> impl FnMut() -> [u8; 16] + Send + 'static {
    let mut next = seed << 32;
    move || {
        next += 1;
        let mut id = [9; 16];
        id[..8].copy_from_slice(&next.to_be_bytes());
        id
    }
}

/// Both engines, Kafka's in `/data` and the native one in `/data-native`.
struct Stores {
    metadata: RoutedMetadataStore,
    logs: RoutedLogStore,
    images: Arc<MergedImages>,
}

fn open(disk: &SimDisk) -> Result<Stores, MetadataError> {
    let clock = Arc::new(ManualClock::new(NOW));
    let shared: Arc<dyn Disk> = Arc::new(disk.clone());
    let images = Arc::new(MergedImages::default());
    let options = |dir: &str| LocalLogOptions {
        dirs: vec![PathBuf::from(dir)],
        sync_threads: 1,
        io_threads: 1,
        ..LocalLogOptions::default()
    };
    let engine = {
        let (disk, clock, images, seed) = (shared.clone(), clock.clone(), images.native(), disk.op_count());
        NativeEngine::new(move || {
            let dirs = [PathBuf::from("/data-native")];
            let logs = LocalLogStore::open(disk.clone(), clock.clone(), options("/data-native"))?;
            let metadata = LocalMetadataStore::open_publishing(
                disk.clone(),
                &dirs,
                None,
                NodeConfig::new(1),
                clock.clone(),
                ids(seed + 1_000_000),
                images.clone(),
            )?;
            Ok(NativeStores { metadata, logs })
        })
    };
    let kafka = LocalMetadataStore::open_publishing(
        shared.clone(),
        &[PathBuf::from("/data")],
        None,
        NodeConfig::new(1),
        clock.clone(),
        ids(disk.op_count()),
        images.kafka(),
    )?;
    let logs = LocalLogStore::open(shared, clock, options("/data"))?;
    if disk.exists(Path::new("/data-native/meta.properties")).unwrap_or(false) {
        engine.open_now()?;
    }
    Ok(Stores {
        metadata: RoutedMetadataStore::new(kafka, engine.clone(), images.clone()),
        logs: RoutedLogStore::new(logs, engine),
        images,
    })
}

fn wait<T: Unpin>(pending: Pending<T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().expect("a runtime").block_on(pending)
}

impl Stores {
    fn create(&self, name: &str, format: RecordFormat) -> Result<Uuid, MetadataError> {
        wait(self.begin(name, format))
    }

    fn begin(&self, name: &str, format: RecordFormat) -> Pending<Result<Uuid, MetadataError>> {
        let configs = match format {
            RecordFormat::Kafka => Vec::new(),
            RecordFormat::Native => vec![(RecordFormat::CONFIG.to_owned(), format.name().to_owned())],
        };
        self.metadata.create_topic(NewTopic { name: name.into(), partition_count: 1, configs }, Fence(0))
    }

    fn names(&self) -> Vec<String> {
        self.metadata.image().topics().map(|topic| topic.name.to_string()).collect()
    }

    /// Brings the logs in step with the metadata.
    fn put_all(&self) {
        for topic in self.metadata.image().topics() {
            let record_format = RecordFormat::of_configs(&*topic.configs);
            let topic = TopicLog {
                topic_id: topic.id,
                name: topic.name.clone(),
                leader_epochs: topic.partitions.iter().map(|partition| partition.leader_epoch).collect(),
                config: Arc::new(LogConfig { record_format, ..LogConfig::default() }),
            };
            wait(self.logs.put_topic(topic)).expect("put");
        }
    }

    fn append(&self, topic: Uuid, value: &str) {
        let mut builder = BatchBuilder::new();
        builder.push(NOW, None, Some(value.as_bytes()), &[]).expect("a record");
        let batch = builder.build().expect("a batch");
        wait(self.logs.append(partition(topic), batch, AppendDurability::Committed, Fence(0)))
            .expect("append");
    }

    fn values(&self, topic: Uuid) -> Vec<String> {
        let request = ReadRequest {
            from: Offset::ZERO,
            bytes_max: 10_000,
            at_least_one_batch: true,
            isolation: Isolation::ReadUncommitted,
        };
        let found = wait(self.logs.read(partition(topic), request)).expect("read");
        let mut values = Vec::new();
        for slice in found.slices {
            for batch in Batches::new(&slice.to_bytes().expect("bytes")) {
                for record in batch.expect("a batch").records(10_000).expect("records").iter() {
                    let value = record.expect("a record").value.unwrap_or_default().to_vec();
                    values.push(String::from_utf8(value).expect("text"));
                }
            }
        }
        values
    }

    fn close(&self) {
        wait(self.logs.close()).expect("logs");
        wait(self.metadata.close()).expect("metadata");
    }
}

fn partition(topic: Uuid) -> TopicIdPartition {
    TopicIdPartition::new(topic, PartitionIndex::new(0))
}

#[test]
fn each_topic_goes_to_its_engine_and_all_look_alike() {
    let disk = SimDisk::new();
    let stores = open(&disk).expect("open");
    let k = stores.create("k", Kafka).expect("create");
    assert!(!disk.exists(Path::new("/data-native")).expect("look"), "not before it is needed");
    let n = stores.create("n", Native).expect("create");
    for format in [Kafka, Native] {
        for name in ["k", "n"] {
            let again = stores.create(name, format);
            assert!(matches!(again, Err(MetadataError::TopicExists { .. })), "{name}: {again:?}");
        }
    }
    stores.put_all();
    stores.append(k, "in a batch");
    stores.append(n, "in a record");
    wait(stores.metadata.create_partitions(n, 3, Fence(0))).expect("grow");
    let resource = ConfigResource::Topic("n".into());
    let change = vec![("retention.ms".to_owned(), Some("7".to_owned()))];
    wait(stores.metadata.alter_configs(resource.clone(), change, Fence(0))).expect("alter");
    let change = vec![("log.retention.ms".to_owned(), Some("8".to_owned()))];
    wait(stores.metadata.alter_configs(ConfigResource::Broker(None), change, Fence(0))).expect("alter");
    stores.close();

    let stores = open(&disk).expect("open");
    assert_eq!(stores.names(), ["k", "n"]);
    let image = stores.metadata.image();
    assert_eq!(image.topic("n").expect("n").partition_count(), 3);
    assert_eq!(image.configs(&resource).expect("configs")["retention.ms"], "7");
    assert!(image.configs(&ConfigResource::Broker(None)).is_some());
    assert_eq!(image.directories().len(), 2);
    stores.put_all();
    assert_eq!((stores.values(k), stores.values(n)), (vec!["in a batch".into()], vec!["in a record".into()]));
    let listed = |dir: &str| -> Vec<String> {
        let entries = disk.list(Path::new(dir)).expect("list");
        entries.into_iter().filter(|entry| entry.is_dir).map(|entry| entry.name).collect()
    };
    assert!(listed("/data").contains(&"k-0".into()) && !listed("/data").contains(&"n-0".into()));
    assert!(listed("/data-native").contains(&"n-0".into()));
    wait(stores.metadata.delete_topic(n, Fence(0))).expect("delete");
    wait(stores.logs.remove_topic(n)).expect("remove");
    assert_eq!(stores.names(), ["k"]);
    stores.create("n", Kafka).expect("the name is free");
    stores.close();
}

/// An Apache Kafka that runs on `log.dirs` for a while knows nothing of native topics.
#[test]
fn a_kafka_topic_of_the_same_name_hides_a_native_one_until_it_is_deleted() {
    let disk = SimDisk::new();
    let stores = open(&disk).expect("open");
    let n = stores.create("n", Native).expect("create");
    stores.put_all();
    stores.append(n, "kept");
    stores.close();
    let clock = Arc::new(ManualClock::new(NOW));
    let dirs = [PathBuf::from("/data")];
    let alone =
        LocalMetadataStore::open(Arc::new(disk.clone()), &dirs, None, NodeConfig::new(1), clock, ids(77))
            .expect("open");
    let topic = NewTopic { name: "n".into(), partition_count: 1, configs: Vec::new() };
    let k = wait(alone.create_topic(topic, Fence(0))).expect("create");
    wait(alone.close()).expect("close");

    let stores = open(&disk).expect("open");
    assert_eq!(stores.metadata.image().topic("n").map(|topic| topic.id), Some(k));
    assert!(stores.images.hides_a_topic());
    assert!(stores.metadata.image().keeps(n), "a hidden topic's records stay");
    stores.put_all();
    assert_eq!(stores.logs.set_strays_aside(false).expect("strays"), 0);
    wait(stores.metadata.delete_topic(k, Fence(0))).expect("delete");
    assert_eq!(stores.metadata.image().topic("n").map(|topic| topic.id), Some(n));
    assert!(!stores.images.hides_a_topic());
    stores.put_all();
    assert_eq!(stores.values(n), ["kept"]);
    stores.close();
    assert!(matches!(stores.create("more", Native), Err(MetadataError::Closed)));
}

#[test]
fn two_who_create_one_name_at_once_make_one_topic() {
    let stores = open(&SimDisk::new()).expect("open");
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    // The first native one opens the engine besides.
    for round in 0..20 {
        let name = format!("n{round}");
        let (native, kafka) = (stores.begin(&name, Native), stores.begin(&name, Kafka));
        let made = runtime.block_on(async { tokio::join!(native, kafka) });
        let one = matches!(
            made,
            (Ok(_), Err(MetadataError::TopicExists { .. })) | (Err(MetadataError::TopicExists { .. }), Ok(_))
        );
        assert!(one, "{name}: {made:?}");
    }
    assert!(!stores.images.hides_a_topic());
    // Whoever asked for it may be gone before it is made.
    let mut gone = stores.begin("gone", Kafka);
    let polled =
        std::pin::Pin::new(&mut gone).poll(&mut std::task::Context::from_waker(std::task::Waker::noop()));
    assert!(polled.is_pending() || matches!(polled, std::task::Poll::Ready(Ok(_))));
    drop(gone);
    let again = stores.create("gone", Native);
    assert!(matches!(again, Err(MetadataError::TopicExists { .. })), "{again:?}");
    assert!(!stores.images.hides_a_topic());
    stores.close();
}

#[test]
fn the_first_native_topic_is_there_or_not_whenever_the_power_goes() {
    let whole = SimDisk::new();
    let stores = open(&whole).expect("open");
    let before = whole.op_count();
    stores.create("n", Native).expect("create");
    let after = whole.op_count();
    drop(stores);
    assert!(after > before + 10);
    for op in before..=after {
        let disk = SimDisk::new();
        let stores = open(&disk).expect("open");
        disk.cut_power_at(op);
        let created = stores.create("n", Native);
        drop(stores);
        for cut in [PowerCut::Dropped, PowerCut::Kept, PowerCut::Torn { seed: op }] {
            let disk = disk.power_cut(cut);
            let stores = open(&disk).unwrap_or_else(|error| panic!("operation {op}, {cut:?}: {error}"));
            if created.is_ok() {
                assert_eq!(stores.names(), ["n"], "operation {op}, {cut:?}");
            } else if stores.names().is_empty() {
                stores.create("n", Native).expect("another try");
            }
        }
    }
}

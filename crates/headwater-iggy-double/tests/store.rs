//! The stores against the double, over TCP and through the SDK.

use std::{path::Path, sync::Arc, time::Duration};

use headwater_codec::{Offset, PartitionIndex, TopicIdPartition};
use headwater_iggy::{BatchLimits, IggyOptions, IggyServer, IggyStores, TopicMapping};
use headwater_iggy_double::{CREDENTIALS, Double, Kept};
use headwater_records::{BatchBuilder, Batches, Compression, ValidatedBatch};
use headwater_storage::{
    AppendDurability, ConfigResource, Fence, IdSource, Isolation, LocalLogOptions, LocalLogStore,
    LocalMetadataStore, MetadataError, NewTopic, NodeConfig, OsDisk, ReadRequest, StorageError, SystemClock,
    TimestampTarget,
};
use tokio::time::timeout;
use uuid::Uuid;

struct Ids;

impl IdSource for Ids {
    fn random_bytes(&mut self) -> [u8; 16] {
        Uuid::from_u128(0x1234_5678_9abc_def0_1234_5678_9abc_def0).into_bytes()
    }
}

fn stores(address: &str, dir: &Path, named: &str) -> IggyStores {
    let (disk, clock, dirs) = (Arc::new(OsDisk), Arc::new(SystemClock), vec![dir.to_owned()]);
    let metadata =
        LocalMetadataStore::open(disk.clone(), &dirs, None, NodeConfig::new(1), clock.clone(), Ids).unwrap();
    let options = LocalLogOptions { dirs, ..LocalLogOptions::default() };
    let logs = <LocalLogStore>::open(disk, clock, options).unwrap();
    let (username, password) = CREDENTIALS;
    let server =
        IggyServer { address: address.to_owned(), username: username.into(), password: password.into() };
    let options = IggyOptions {
        server,
        mapping: TopicMapping::parse("kafka", named).unwrap(),
        limits: BatchLimits { bytes_max: 1 << 20 },
        connections: 2,
        internal_topics: false,
    };
    IggyStores::over(options, Arc::new(metadata), Arc::new(logs))
}

async fn ready(stores: &IggyStores, wanted: bool) {
    let mut ready = stores.ready.clone();
    timeout(Duration::from_secs(20), ready.wait_for(|is| *is == wanted)).await.expect("in time").unwrap();
}

async fn create(stores: &IggyStores, name: &str, partition_count: i32) -> Uuid {
    let topic = NewTopic { name: name.into(), partition_count, configs: Vec::new() };
    stores.metadata.create_topic(topic, Fence::default()).await.unwrap()
}

fn batch(codec: Compression, timestamps: &[i64]) -> ValidatedBatch {
    let mut builder = BatchBuilder::new().compression(codec);
    for timestamp in timestamps {
        let value = timestamp.to_string();
        let headers = [(&b"b"[..], Some(&b"1"[..])), (b"a", None)];
        builder.push(*timestamp, Some(b"key"), Some(value.as_bytes()), &headers).unwrap();
    }
    builder.build().unwrap()
}

async fn append(stores: &IggyStores, partition: TopicIdPartition, batch: ValidatedBatch) -> i64 {
    let appended =
        stores.logs.append(partition, batch, AppendDurability::Committed, Fence::default()).await.unwrap();
    appended.base_offset.get()
}

/// Offsets, timestamps and values from `from` on.
async fn read(stores: &IggyStores, partition: TopicIdPartition, from: i64) -> Vec<(i64, i64, Vec<u8>)> {
    let request = ReadRequest {
        from: Offset::new(from).unwrap(),
        bytes_max: 1 << 20,
        at_least_one_batch: true,
        isolation: Isolation::ReadUncommitted,
    };
    let outcome = stores.logs.read(partition, request).await.unwrap();
    let mut records = Vec::new();
    for slice in &outcome.slices {
        for batch in Batches::new(&slice.to_bytes().unwrap()) {
            let batch = batch.unwrap();
            batch.check_crc().unwrap();
            for record in batch.records(0).unwrap().iter() {
                let record = record.unwrap();
                records.push((record.offset.get(), record.timestamp, record.value.unwrap().to_vec()));
                let headers: Vec<_> = record.headers.collect();
                assert_eq!(headers, [(&b"b"[..], Some(&b"1"[..])), (b"a", None)]);
            }
        }
    }
    records
}

fn partition(topic: Uuid, index: i32) -> TopicIdPartition {
    TopicIdPartition::new(topic, PartitionIndex::new(index))
}

#[tokio::test(flavor = "multi_thread")]
async fn records_go_in_and_come_out_with_their_offsets() {
    let double = Double::start("127.0.0.1:0", Kept::default()).await.unwrap();
    let dir = tempfile::tempdir().unwrap();
    let stores = stores(&double.address().to_string(), dir.path(), "");
    ready(&stores, true).await;
    let topic = partition(create(&stores, "t", 2).await, 1);
    let mut expected = 0;
    for codec in
        [Compression::None, Compression::Gzip, Compression::Zstd, Compression::Lz4, Compression::Snappy]
    {
        assert_eq!(append(&stores, topic, batch(codec, &[1_000 + expected, 0, -1])).await, expected);
        expected += 3;
    }
    let records = read(&stores, topic, 0).await;
    assert_eq!(records.len(), 15);
    for (place, record) in (0..).zip(&records) {
        let timestamp = [1_000 + place - place % 3, 0, -1][(place % 3) as usize];
        assert_eq!(record, &(place, timestamp, timestamp.to_string().into_bytes()));
    }
    assert_eq!(read(&stores, topic, 7).await, records[7..], "from the middle of what was sent at once");
    let watermarks = *stores.logs.watermarks(topic).unwrap().borrow();
    assert_eq!((watermarks.log_start.get(), watermarks.high_watermark.get()), (0, 15));
    assert!(read(&stores, topic, 15).await.is_empty());
    let past = ReadRequest {
        from: Offset::new(16).unwrap(),
        bytes_max: 1,
        at_least_one_batch: true,
        isolation: Isolation::ReadUncommitted,
    };
    assert!(matches!(stores.logs.read(topic, past).await, Err(StorageError::OffsetOutOfRange { .. })));
    let found =
        |target| stores.logs.find_timestamp(topic, TimestampTarget::AtOrAfter(target), Isolation::default());
    assert_eq!(found(1_004).await.unwrap().unwrap().offset.get(), 6);
    assert_eq!(found(i64::MAX / 2_000).await.unwrap(), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn appends_keep_their_order_while_many_wait() {
    let double = Double::start("127.0.0.1:0", Kept::default()).await.unwrap();
    let dir = tempfile::tempdir().unwrap();
    let stores = stores(&double.address().to_string(), dir.path(), "");
    ready(&stores, true).await;
    let topic = partition(create(&stores, "t", 1).await, 0);
    let waiting: Vec<_> = (0..200)
        .map(|number| {
            let batch = batch(Compression::None, &[5_000 + number]);
            stores.logs.append(topic, batch, AppendDurability::Committed, Fence::default())
        })
        .collect();
    for (expected, appended) in (0..).zip(waiting) {
        assert_eq!(appended.await.unwrap().base_offset.get(), expected);
    }
    let values: Vec<_> = read(&stores, topic, 0).await.into_iter().map(|(_, _, value)| value).collect();
    let wanted: Vec<_> = (5_000..5_200).map(|number: i64| number.to_string().into_bytes()).collect();
    assert_eq!(values, wanted);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_held_is_refused_alone() {
    let double = Double::start("127.0.0.1:0", Kept::default()).await.unwrap();
    let dir = tempfile::tempdir().unwrap();
    let stores = stores(&double.address().to_string(), dir.path(), "");
    ready(&stores, true).await;
    let topic = partition(create(&stores, "t", 1).await, 0);
    let mut too_large = BatchBuilder::new().compression(Compression::Zstd);
    too_large.push(5, None, Some(&vec![0; 1 << 20]), &[]).unwrap();
    let mut no_text = BatchBuilder::new();
    no_text.push(5, None, None, &[(b"\xff", Some(b"x"))]).unwrap();
    let send = |batch| stores.logs.append(topic, batch, AppendDurability::Committed, Fence::default());
    let (first, second, third) = (
        send(too_large.build().unwrap()),
        send(no_text.build().unwrap()),
        send(batch(Compression::None, &[7])),
    );
    for (refused, code) in [(first.await, 10), (second.await, 87)] {
        match refused {
            Err(StorageError::Refused { source, .. }) => assert_eq!(source.error_code().code(), code),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(third.await.unwrap().base_offset.get(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn it_starts_without_iggy_and_goes_on_after_it_went_away() {
    let kept = Kept::default();
    let double = Double::start("127.0.0.1:0", kept.clone()).await.unwrap();
    let address = double.address().to_string();
    drop(double);
    tokio::time::sleep(Duration::from_millis(50)).await;
    let dir = tempfile::tempdir().unwrap();
    let stores = stores(&address, dir.path(), "");
    assert!(!*stores.ready.borrow());
    let topic = NewTopic { name: "t".into(), partition_count: 1, configs: Vec::new() };
    let refused = stores.metadata.create_topic(topic, Fence::default()).await;
    assert!(matches!(refused, Err(MetadataError::Unavailable { .. })), "{refused:?}");

    let double = Double::start(&address, kept.clone()).await.unwrap();
    ready(&stores, true).await;
    let id = create(&stores, "t", 1).await;
    let topic = partition(id, 0);
    assert_eq!(append(&stores, topic, batch(Compression::None, &[7])).await, 0);

    drop(double);
    ready(&stores, false).await;
    let failed = stores.logs.append(
        topic,
        batch(Compression::None, &[8]),
        AppendDurability::Committed,
        Fence::default(),
    );
    let failed = failed.await;
    assert!(
        matches!(failed, Err(StorageError::Unavailable { .. } | StorageError::OutcomeUnknown { .. })),
        "{failed:?}"
    );
    let _double = Double::start(&address, kept).await.unwrap();
    ready(&stores, true).await;
    assert_eq!(stores.metadata.image().topic("t").unwrap().id, id, "the same topic as before");
    // A connection that is left alone for a moment comes back by itself.
    let mut appended = Err(StorageError::Closed);
    for _ in 0..100 {
        let batch = batch(Compression::None, &[9]);
        appended = stores.logs.append(topic, batch, AppendDurability::Committed, Fence::default()).await;
        if appended.is_ok() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(appended.unwrap().base_offset.get(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn topics_come_grow_expire_and_go() {
    let double = Double::start("127.0.0.1:0", Kept::default()).await.unwrap();
    let dir = tempfile::tempdir().unwrap();
    let stores = stores(&double.address().to_string(), dir.path(), "orders=shop/o1");
    ready(&stores, true).await;
    let first = create(&stores, "orders", 1).await;
    let again = NewTopic { name: "orders".into(), partition_count: 1, configs: Vec::new() };
    let exists = stores.metadata.create_topic(again, Fence::default()).await;
    assert!(matches!(exists, Err(MetadataError::TopicExists { .. })), "{exists:?}");
    let configs = vec![("retention.ms".to_owned(), "1".to_owned())];
    let configured = NewTopic { name: "c".into(), partition_count: 1, configs };
    let refused = stores.metadata.create_topic(configured, Fence::default()).await;
    assert!(matches!(refused, Err(MetadataError::UnsupportedConfig { .. })));
    let altered = stores.metadata.alter_configs(
        ConfigResource::Topic("orders".into()),
        vec![("retention.ms".to_owned(), None)],
        Fence::default(),
    );
    assert!(matches!(altered.await, Err(MetadataError::UnsupportedConfig { .. })));

    stores.metadata.create_partitions(first, 3, Fence::default()).await.unwrap();
    assert_eq!(stores.metadata.image().topic("orders").unwrap().partition_count(), 3);
    let fewer = stores.metadata.create_partitions(first, 2, Fence::default()).await;
    assert!(matches!(fewer, Err(MetadataError::InvalidPartitionCount { .. })));

    let topic = partition(first, 2);
    for timestamp in 0..5 {
        append(&stores, topic, batch(Compression::None, &[10 + timestamp])).await;
    }
    double.expire("shop", "o1", 2, 3);
    let mut watermarks = stores.logs.watermarks(topic).unwrap();
    let expired = watermarks.wait_for(|now| now.log_start.get() == 3);
    assert!(timeout(Duration::from_secs(20), expired).await.is_ok(), "retention is noticed");

    stores.metadata.delete_topic(first, Fence::default()).await.unwrap();
    assert!(stores.metadata.image().topic("orders").is_none());
    let second = create(&stores, "orders", 1).await;
    assert_ne!(first, second, "created anew it is another topic");
    // Internal topics stay in the local store, with their configs.
    let internal = NewTopic {
        name: "__consumer_offsets".into(),
        partition_count: 1,
        configs: vec![("cleanup.policy".to_owned(), "compact".to_owned())],
    };
    stores.metadata.create_topic(internal, Fence::default()).await.unwrap();
    assert!(stores.metadata.image().topic("__consumer_offsets").is_some());
    stores.logs.close().await.unwrap();
    stores.metadata.close().await.unwrap();
}

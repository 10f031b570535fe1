//! Topics with native records, through the Kafka door: nothing tells them from others but their config.

use std::path::Path;

use bytes::Bytes;
use headwater_codec::{
    ErrorCode, ProducerEpoch, ProducerId, Str,
    messages::{
        alter_configs::{self, AlterConfigsRequest},
        create_partitions::{CreatePartitionsRequest, CreatePartitionsTopic},
        delete_records::{DeleteRecordsPartition, DeleteRecordsRequest, DeleteRecordsTopic},
        describe_configs::{DescribeConfigsRequest, DescribeConfigsResource},
        describe_log_dirs::DescribeLogDirsRequest,
        fetch::PartitionData,
        incremental_alter_configs::{AlterConfigsResource, AlterableConfig, IncrementalAlterConfigsRequest},
        offset_for_leader_epoch::{
            OffsetForLeaderEpochRequest, OffsetForLeaderPartition, OffsetForLeaderTopic,
        },
    },
};
use headwater_records::{BatchBuilder, BatchHeader, Batches, Compression, HeaderRef, TimestampType};
use proptest::{prelude::*, test_runner::TestRunner};

use crate::harness::{
    Client, Place, TestBroker, batch, batch_at, batch_of, bytes_of, fetch_request, fetch_topic, now_ms,
    values_of,
};

const NATIVE: (&str, &str) = ("headwater.record.format", "native");
const CODECS: [Compression; 5] =
    [Compression::None, Compression::Gzip, Compression::Snappy, Compression::Lz4, Compression::Zstd];

/// A record as a client sees it: timestamp, key, value, headers.
type Seen = (i64, Option<Vec<u8>>, Option<Vec<u8>>, Vec<(Vec<u8>, Option<Vec<u8>>)>);

fn seen(data: &PartitionData) -> Vec<(i64, Seen)> {
    let mut seen = Vec::new();
    for batch in Batches::new(bytes_of(data)) {
        let batch = batch.expect("whole batches");
        batch.check_crc().expect("the checksum fits");
        for record in batch.records(64 << 20).expect("readable").iter() {
            let record = record.expect("readable");
            let headers = record.headers.map(|(name, value)| (name.to_vec(), value.map(<[u8]>::to_vec)));
            let (key, value) = (record.key.map(<[u8]>::to_vec), record.value.map(<[u8]>::to_vec));
            seen.push((record.offset.get(), (record.timestamp, key, value, headers.collect())));
        }
    }
    seen
}

fn batch_with(codec: Compression, records: &[Seen]) -> Bytes {
    let mut builder = BatchBuilder::new().compression(codec);
    for (timestamp, key, value, headers) in records {
        let headers: Vec<HeaderRef<'_>> =
            headers.iter().map(|(name, value)| (name.as_slice(), value.as_deref())).collect();
        builder.push(*timestamp, key.as_deref(), value.as_deref(), &headers).expect("a record");
    }
    builder.build().expect("a batch").to_bytes()
}

/// What the native format has no words of its own for.
fn peculiar() -> Vec<Seen> {
    let some = |bytes: &[u8]| Some(bytes.to_vec());
    let header = |name: &[u8], value: Option<&[u8]>| (name.to_vec(), value.map(<[u8]>::to_vec));
    let now = now_ms();
    vec![
        (now, some(b"k"), some(b"v"), vec![]),
        (now + 1, None, None, vec![]),
        (now - 5, some(b""), some(b""), vec![]),
        (now, None, some(b"v"), vec![header(b"retry", Some(b"1")), header(b"retry", Some(b"2"))]),
        (
            now,
            some(b"k"),
            None,
            vec![header(b"a", None), header(b"b", Some(b"")), header(b"a", Some(b"\xff\0"))],
        ),
        (now, some(b"k"), some(b"v"), vec![header(b"", Some(b"nameless")), header("ключ".as_bytes(), None)]),
        (
            now,
            some(b"k"),
            some(b"v"),
            vec![header(b"headwater.producer", Some(b"mine")), header(b"headwater.h.x", None)],
        ),
        (now, some(&[0; 300]), some(&[7; 20_000]), vec![header(&[b'n'; 255], Some(&[1; 60_000]))]),
        (0, some(b"at the epoch"), some(b"v"), vec![]),
    ]
}

#[tokio::test]
async fn whatever_is_produced_comes_back_equal_with_every_codec_and_after_a_restart() {
    let mut broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = client.create_topic_with("t", 1, &[NATIVE]).await;
    let records = peculiar();
    for codec in CODECS {
        let answer = client.produce(9, &place, batch_with(codec, &records)).await;
        assert_eq!(answer.error_code, ErrorCode::None, "{codec}: {:?}", answer.error_message);
    }
    for restarted in [false, true] {
        if restarted {
            broker.restart().await;
            client = broker.client().await;
        }
        let count = records.len() as i64;
        assert_eq!(client.log_end(&place).await, count * CODECS.len() as i64);
        for (index, codec) in (0..).zip(CODECS) {
            let fetched = seen(&client.fetch(12, &place, index * count).await);
            for ((offset, found), (expected_at, expected)) in
                fetched.iter().zip((index * count..).zip(&records))
            {
                assert_eq!((offset, found), (&expected_at, expected), "{codec}, restarted: {restarted}");
            }
            assert_eq!(fetched.len() as i64, count * (CODECS.len() as i64 - index), "to the end");
        }
        let from_within = seen(&client.fetch(12, &place, 3).await);
        assert_eq!(from_within[0], (3, records[3].clone()));
    }
}

#[tokio::test]
async fn limits_of_a_fetch_hold_and_the_first_record_comes_whole() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = client.create_topic_with("t", 1, &[NATIVE]).await;
    for number in 0..200 {
        client.produce(9, &place, batch(&[&format!("{number}{}", "x".repeat(1000))])).await;
    }
    let mut next = 0;
    while next < 200 {
        let mut request = fetch_request(&[]);
        request.topics = vec![fetch_topic(&place, next, 10_000)];
        let data = client.call(12, &request).await.responses.remove(0).partitions.remove(0);
        let (bytes, found) = (bytes_of(&data).len(), seen(&data));
        assert!((5_000..=10_000).contains(&bytes) || next > 190, "{bytes} bytes from {next}");
        assert_eq!(found[0].0, next);
        next += found.len() as i64;
    }
    for limit in [0, 1, 60] {
        let mut request = fetch_request(&[]);
        request.topics = vec![fetch_topic(&place, 7, limit)];
        let data = client.call(12, &request).await.responses.remove(0).partitions.remove(0);
        let found: Vec<i64> = seen(&data).iter().map(|(offset, _)| *offset).collect();
        assert_eq!(found, [7], "with {limit} bytes");
    }
}

#[tokio::test]
async fn idempotent_producers_are_known_after_a_stop_and_after_a_crash() {
    let mut broker = TestBroker::start().await;
    let place = broker.client().await.create_topic_with("t", 1, &[NATIVE]).await;
    let produce = async |broker: &TestBroker, batch: Bytes| {
        let answer = broker.client().await.produce(9, &place, batch).await;
        (answer.error_code, answer.base_offset)
    };
    for first in [0, 3, 6] {
        let batch = batch_of(7, 0, first..=first + 2);
        assert_eq!(produce(&broker, batch).await, (ErrorCode::None, i64::from(first)));
    }
    for round in 0..3 {
        match round {
            0 => {}
            1 => broker.restart().await,
            _ => broker.crash().await,
        }
        for first in [0, 3, 6] {
            let again = produce(&broker, batch_of(7, 0, first..=first + 2)).await;
            assert_eq!(again, (ErrorCode::None, i64::from(first)), "sent again, round {round}");
        }
        let gap = produce(&broker, batch_of(7, 0, 12..=12)).await;
        assert_eq!(gap.0, ErrorCode::OutOfOrderSequenceNumber, "round {round}");
        let fetched = broker.client().await.fetch(12, &place, 3).await;
        let header = BatchHeader::parse(bytes_of(&fetched)).expect("a batch");
        let producer = (header.producer_id, header.producer_epoch, header.base_sequence, header.record_count);
        assert_eq!(producer, (ProducerId::new(7), ProducerEpoch::new(0), 3, 3), "round {round}");
    }
    assert_eq!(produce(&broker, batch_of(7, 0, 9..=9)).await, (ErrorCode::None, 9));
}

#[tokio::test]
async fn headers_over_the_limits_are_invalid_records_and_nothing_is_appended() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let limits = [
        NATIVE,
        ("headwater.headers.count.max", "2"),
        ("headwater.headers.bytes.max", "100"),
        ("headwater.header.name.bytes.max", "10"),
    ];
    let place = client.create_topic_with("t", 1, &limits).await;
    let with = |headers: &[(&[u8], usize)]| {
        let header = |(name, len): &(&[u8], usize)| (name.to_vec(), Some(vec![b'v'; *len]));
        let plain = (now_ms(), None, Some(b"v".to_vec()), vec![]);
        let over = (now_ms(), None, Some(b"v".to_vec()), headers.iter().map(header).collect());
        batch_with(Compression::Zstd, &[plain, over])
    };
    let too_many: &[(&[u8], usize)] = &[(b"a", 0), (b"b", 0), (b"c", 0)];
    for headers in [too_many, &[(b"12345678901", 0)], &[(b"a", 92)]] {
        let answer = client.produce(9, &place, with(headers)).await;
        assert_eq!(answer.error_code, ErrorCode::InvalidRecord, "{headers:?}");
    }
    assert_eq!(client.log_end(&place).await, 0);
    // What Headwater keeps for itself does not count: the empty value is noted in a header.
    let within: &[(&[u8], usize)] = &[(b"1234567890", 0), (b"b", 75)];
    assert_eq!(client.produce(9, &place, with(within)).await.error_code, ErrorCode::None);
    client.set_topic_config(&place.topic, "headwater.headers.count.max", "3").await;
    assert_eq!(client.produce(9, &place, with(too_many)).await.error_code, ErrorCode::None);
}

async fn format_of(client: &mut Client, name: &str) -> (String, i8) {
    let resource = DescribeConfigsResource {
        resource_type: 2,
        resource_name: name.into(),
        configuration_keys: Some(vec![Str::from(NATIVE.0)]),
        ..Default::default()
    };
    let request = DescribeConfigsRequest { resources: vec![resource], ..Default::default() };
    let config = client.call(4, &request).await.results.remove(0).configs.remove(0);
    (config.value.expect("a value").as_str().to_owned(), config.config_source)
}

#[tokio::test]
async fn format_is_said_at_creation_and_stays() {
    let broker = TestBroker::with(&["headwater.record.format=native"]).await;
    let mut client = broker.client().await;
    client.create_topic("auto").await;
    client.create_topic_with("native", 1, &[("retention.ms", "1000")]).await;
    client.create_topic_with("kafka", 1, &[("headwater.record.format", "kafka")]).await;
    client.create_topic("__consumer_offsets").await;
    let (own, default) = (1, 5);
    for (name, format, source) in [
        ("auto", "native", own),
        ("native", "native", own),
        ("kafka", "kafka", default),
        ("__consumer_offsets", "kafka", default),
    ] {
        assert_eq!(format_of(&mut client, name).await, (format.to_owned(), source), "{name}");
    }
    for (name, value, expected) in [
        ("native", "kafka", ErrorCode::InvalidConfig),
        ("native", "native", ErrorCode::None),
        ("kafka", "native", ErrorCode::InvalidConfig),
        ("kafka", "kafka", ErrorCode::None),
    ] {
        let config =
            AlterableConfig { name: NATIVE.0.into(), value: Some(value.into()), ..Default::default() };
        let resource = AlterConfigsResource {
            resource_type: 2,
            resource_name: name.into(),
            configs: vec![config],
            ..Default::default()
        };
        let request = IncrementalAlterConfigsRequest { resources: vec![resource], ..Default::default() };
        let answer = client.call(1, &request).await.responses.remove(0);
        assert_eq!(answer.error_code, expected, "{name} to {value}");
    }
    // Replacing all configs returns the others to their defaults, and the format stays.
    let resource = alter_configs::AlterConfigsResource {
        resource_type: 2,
        resource_name: "native".into(),
        ..Default::default()
    };
    let request = AlterConfigsRequest { resources: vec![resource], ..Default::default() };
    assert_eq!(client.call(2, &request).await.responses[0].error_code, ErrorCode::None);
    assert_eq!(format_of(&mut client, "native").await, ("native".to_owned(), own));
}

fn names_in(dir: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(dir) else { return Vec::new() };
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("a name")).collect();
    names.sort();
    names
}

#[tokio::test]
async fn files_lie_beside_kafkas_and_come_and_go_with_their_topics() {
    let mut broker = TestBroker::start().await;
    let (data, native) = (broker.dir().join("data"), broker.dir().join("data-native"));
    let mut client = broker.client().await;
    let kafkas = Place::new(&client.create_topic("kafkas").await, 0);
    client.produce(9, &kafkas, batch(&["a"])).await;
    assert!(!native.exists(), "nothing is made before the first native topic");
    let place = client.create_topic_with("natives", 2, &[NATIVE]).await;
    for partition in [0, 1] {
        let place = Place { partition, ..place.clone() };
        assert_eq!(client.produce(9, &place, batch(&["a", "b"])).await.error_code, ErrorCode::None);
    }
    let request = CreatePartitionsRequest {
        topics: vec![CreatePartitionsTopic {
            name: "natives".into(),
            count: 3,
            assignments: None,
            ..Default::default()
        }],
        timeout_ms: 10_000,
        ..Default::default()
    };
    assert_eq!(client.call(3, &request).await.results[0].error_code, ErrorCode::None);
    let third = Place { partition: 2, ..place.clone() };
    assert_eq!(client.produce(9, &third, batch(&["c"])).await.error_code, ErrorCode::None);
    assert!(names_in(&data).iter().all(|name| !name.contains("native")), "{:?}", names_in(&data));
    let is_native = |name: &&str| name.starts_with("natives-");
    let found = names_in(&native);
    let partitions: Vec<&str> = found.iter().map(String::as_str).filter(is_native).collect();
    assert_eq!(partitions, ["natives-0", "natives-1", "natives-2"]);
    let dirs = client.call(4, &DescribeLogDirsRequest { topics: None, ..Default::default() }).await.results;
    let topics: Vec<(bool, Vec<&str>)> = dirs
        .iter()
        .map(|dir| {
            let names = dir.topics.iter().map(|topic| topic.name.as_str()).collect();
            (dir.log_dir.ends_with("data-native"), names)
        })
        .collect();
    assert_eq!(topics, [(false, vec!["kafkas"]), (true, vec!["natives"])]);
    let sizes: Vec<i64> = dirs[1].topics[0].partitions.iter().map(|of| of.partition_size).collect();
    assert_eq!(sizes, [62, 62, 31], "29 bytes, key and value for each record");

    broker.restart().await;
    let mut client = broker.client().await;
    assert_eq!(values_of(&client.fetch(12, &third, 0).await), ["c"]);
    assert_eq!(values_of(&client.fetch(12, &kafkas, 0).await), ["a"]);
    client.delete_topic(&place.topic).await;
    assert_eq!(values_of(&client.fetch(12, &kafkas, 0).await), ["a"]);
    assert_eq!(
        names_in(&native)
            .iter()
            .filter(|name| name.starts_with("natives-") && !name.ends_with("-delete"))
            .count(),
        0
    );
    // The name is free for either format.
    let again = Place::new(&client.create_topic("natives").await, 0);
    assert_eq!(client.produce(9, &again, batch(&["d"])).await.base_offset, 0);
    assert!(names_in(&data).iter().any(|name| name == "natives-0"));
}

#[tokio::test]
async fn offsets_are_found_by_time_epoch_and_deletion() {
    let mut broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = client.create_topic_with("t", 1, &[NATIVE]).await;
    let times = [1000, 2000, 1500, 3000];
    client.produce(9, &place, batch_at(Compression::Lz4, &times[..2])).await;
    client.produce(9, &place, batch_at(Compression::None, &times[2..])).await;
    for (target, offset, timestamp) in
        [(0, 0, 1000), (1001, 1, 2000), (2500, 3, 3000), (3001, -1, -1), (-3, 3, 3000)]
    {
        let found = client.offset_at(7, &place, target).await;
        assert_eq!((found.offset, found.timestamp), (offset, timestamp), "at {target}");
    }
    broker.restart().await;
    let mut client = broker.client().await;
    client.produce(9, &place, batch(&["of the next epoch"])).await;
    let fetched = client.fetch(12, &place, 0).await;
    let epochs: Vec<(i64, i32)> = Batches::new(bytes_of(&fetched))
        .map(|batch| *batch.expect("a batch").header())
        .map(|header| (header.base_offset.get(), header.leader_epoch.get()))
        .collect();
    assert_eq!(epochs.len(), 2, "{epochs:?}");
    assert!(epochs[0].0 == 0 && epochs[1].0 == 4 && epochs[0].1 < epochs[1].1, "{epochs:?}");
    let asked = OffsetForLeaderPartition {
        partition: 0,
        current_leader_epoch: -1,
        leader_epoch: epochs[0].1,
        ..Default::default()
    };
    let topic =
        OffsetForLeaderTopic { topic: place.topic.clone(), partitions: vec![asked], ..Default::default() };
    let request = OffsetForLeaderEpochRequest { topics: vec![topic], ..Default::default() };
    let answer = client.call(4, &request).await.topics.remove(0).partitions.remove(0);
    assert_eq!((answer.leader_epoch, answer.end_offset), (epochs[0].1, 4));

    let partition = DeleteRecordsPartition { partition_index: 0, offset: 3, ..Default::default() };
    let request = DeleteRecordsRequest {
        topics: vec![DeleteRecordsTopic {
            name: place.topic.clone(),
            partitions: vec![partition],
            ..Default::default()
        }],
        timeout_ms: 1000,
        ..Default::default()
    };
    let answer = client.call(2, &request).await.topics.remove(0).partitions.remove(0);
    assert_eq!((answer.error_code, answer.low_watermark), (ErrorCode::None, 3));
    assert_eq!(client.fetch(12, &place, 2).await.error_code, ErrorCode::OffsetOutOfRange);
    assert_eq!(values_of(&client.fetch(12, &place, 3).await), ["3000", "of the next epoch"]);
}

#[tokio::test]
async fn log_append_time_is_the_brokers() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place =
        client.create_topic_with("t", 1, &[NATIVE, ("message.timestamp.type", "LogAppendTime")]).await;
    for codec in CODECS {
        let before = now_ms();
        let answer = client.produce(9, &place, batch_at(codec, &[0, 5])).await;
        assert!((before..=now_ms()).contains(&answer.log_append_time_ms), "{codec}");
        let fetched = client.fetch(12, &place, answer.base_offset).await;
        let header = BatchHeader::parse(bytes_of(&fetched)).expect("a batch");
        assert_eq!(header.attributes.timestamp_type(), TimestampType::LogAppendTime, "{codec}");
        assert_eq!(header.max_timestamp, answer.log_append_time_ms, "{codec}");
        assert!(seen(&fetched).iter().take(2).all(|(_, (time, ..))| *time == answer.log_append_time_ms));
        let found = client.offset_at(7, &place, answer.log_append_time_ms).await;
        assert_eq!(found.timestamp, answer.log_append_time_ms);
    }
}

fn any_record() -> impl Strategy<Value = Seen> {
    let bytes = |max| proptest::option::of(proptest::collection::vec(any::<u8>(), 0..max));
    let name = prop_oneof![
        "[a-z.]{0,12}",
        Just("headwater.offset".to_owned()),
        Just("headwater.time".to_owned()),
        Just("headwater.h.".to_owned()),
    ];
    let headers = proptest::collection::vec((name.prop_map(String::into_bytes), bytes(20)), 0..5);
    (0..2_000_000_000_000i64, bytes(40), bytes(200), headers)
}

#[test]
fn any_record_produced_reads_back_equal() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let (broker, client, place) = runtime.block_on(async {
        let broker = TestBroker::with(&["log.message.timestamp.after.max.ms=9223372036854775807"]).await;
        let mut client = broker.client().await;
        let place = client.create_topic_with("t", 1, &[NATIVE]).await;
        (broker, client, place)
    });
    let mut runner =
        TestRunner::new(ProptestConfig { cases: 200, failure_persistence: None, ..Default::default() });
    let records = proptest::collection::vec(any_record(), 1..20);
    let client = tokio::sync::Mutex::new(client);
    let ran = runner.run(&(records, 0..CODECS.len()), |(records, codec)| {
        runtime.block_on(async {
            let mut client = client.lock().await;
            let answer = client.produce(9, &place, batch_with(CODECS[codec], &records)).await;
            prop_assert_eq!(answer.error_code, ErrorCode::None);
            let fetched = seen(&client.fetch(12, &place, answer.base_offset).await);
            let expected: Vec<(i64, Seen)> = (answer.base_offset..).zip(records).collect();
            prop_assert_eq!(fetched, expected);
            Ok(())
        })
    });
    ran.expect("equal");
    drop(broker);
}

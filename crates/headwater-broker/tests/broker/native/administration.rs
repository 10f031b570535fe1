//! Topics, configs and offsets.

use headwater_native::{
    ErrorCode, Reply,
    messages::{
        AlterTopicConfig, ConfigEntry, CreatePartitions, CreateTopic, DeleteTopic, DescribeTopic,
        ListOffsets, ListOffsetsMode, ListTopics, PartitionOffsetsFlags,
    },
};

use super::{BAD_FRAME, NativeClient, record};
use crate::harness::{Place, TestBroker, batch_at, now_ms};
use headwater_records::Compression;

#[tokio::test]
async fn topics_are_created_listed_grown_and_deleted() {
    let broker = TestBroker::start().await;
    let mut client = NativeClient::open(&broker).await;
    for name in ["b", "a"] {
        client.create_topic(name, 2).await;
    }
    let Reply::TopicList(list) = client.call(&ListTopics {}).await else { panic!() };
    assert_eq!(list.topics, ["a".into(), "b".into()]);
    let create = |name: &str, partitions| CreateTopic { name: name.into(), partitions };
    for (name, partitions, code) in [
        ("a", 2, BAD_FRAME),
        ("__x", 2, BAD_FRAME),
        ("-x", 2, BAD_FRAME),
        ("x/y", 2, BAD_FRAME),
        ("x", 0, ErrorCode::INVALID_PARTITIONS),
        ("x", 1025, ErrorCode::INVALID_PARTITIONS),
    ] {
        assert_eq!(client.refused(&create(name, partitions)).await.code, code, "{name} {partitions}");
    }
    let grow = |name: &str, total| CreatePartitions { name: name.into(), total };
    client.done(&grow("a", 3)).await;
    for (name, total, code) in [
        ("a", 3, ErrorCode::INVALID_PARTITIONS),
        ("a", 1025, ErrorCode::INVALID_PARTITIONS),
        ("none", 3, ErrorCode::TOPIC_MISSING),
        ("__consumer_offsets", 99, ErrorCode::TOPIC_FORBIDDEN),
    ] {
        assert_eq!(client.refused(&grow(name, total)).await.code, code, "{name} {total}");
    }
    client.done(&DeleteTopic { name: "b".into() }).await;
    assert_eq!(client.refused(&DeleteTopic { name: "b".into() }).await.code, ErrorCode::TOPIC_MISSING);
    let internal = DeleteTopic { name: "__consumer_offsets".into() };
    assert_eq!(client.refused(&internal).await.code, ErrorCode::TOPIC_FORBIDDEN);
}

#[tokio::test]
async fn configs_are_set_by_either_name_and_described() {
    let broker = TestBroker::start().await;
    let mut client = NativeClient::open(&broker).await;
    client.create_topic("t", 3).await;
    let alter = |configs: &[(&str, &str)]| AlterTopicConfig {
        name: "t".into(),
        configs: configs
            .iter()
            .map(|(key, value)| ConfigEntry { key: (*key).into(), value: (*value).into() })
            .collect(),
    };
    client
        .done(&alter(&[("retention", "60"), ("cleanup_policy", "compact"), ("max.message.bytes", "5000")]))
        .await;
    let Reply::TopicDescription(topic) = client.call(&DescribeTopic { name: "t".into() }).await else {
        panic!()
    };
    assert_eq!((topic.name.as_str(), topic.partitions), ("t", 3));
    let configs: Vec<(&str, &str)> =
        topic.configs.iter().map(|entry| (entry.key.as_str(), entry.value.as_str())).collect();
    let expected = [
        ("cleanup.policy", "compact"),
        ("cleanup_policy", "compact"),
        ("headwater.record.format", "native"),
        ("max.message.bytes", "5000"),
        ("max_segment_size", "1073741824"),
        ("retention", "60"),
        ("retention.ms", "60000"),
    ];
    assert_eq!(configs, expected);
    for refused in
        [("backend", "commitlog"), ("retention", "0"), ("cleanup_policy", "keep"), ("unknown", "1")]
    {
        assert_eq!(client.refused(&alter(&[refused])).await.code, ErrorCode::INVALID_CONFIG, "{refused:?}");
    }
}

#[tokio::test]
async fn the_format_of_new_topics_is_configured_and_stays() {
    for (setting, shown) in [("native", Some("native")), ("kafka", None)] {
        let broker = TestBroker::with(&[&format!("headwater.native.topic.format={setting}")]).await;
        let mut client = NativeClient::open(&broker).await;
        client.create_topic("t", 1).await;
        let Reply::TopicDescription(topic) = client.call(&DescribeTopic { name: "t".into() }).await else {
            panic!("not described")
        };
        let format = topic.configs.iter().find(|entry| entry.key.as_str() == "headwater.record.format");
        assert_eq!(format.map(|entry| entry.value.as_str()), shown, "{setting}");
        let other = if shown.is_some() { "kafka" } else { "native" };
        let change = ConfigEntry { key: "headwater.record.format".into(), value: other.into() };
        let alter = AlterTopicConfig { name: "t".into(), configs: vec![change] };
        assert_eq!(client.refused(&alter).await.code, ErrorCode::INVALID_CONFIG, "{setting}");
    }
}

#[tokio::test]
async fn offsets_are_told_by_bounds_and_by_time() {
    let broker = TestBroker::start().await;
    let mut client = NativeClient::open(&broker).await;
    let mut kafka = broker.client().await;
    client.create_topic("t", 1).await;
    let place = Place::new(&kafka.create_topic("t").await, 0);
    let now = now_ms();
    kafka.produce(9, &place, batch_at(Compression::None, &[now - 4000, now - 3000, now - 2000])).await;
    client.produce("t", &record("k", "v")).await;
    let list = |mode| ListOffsets { topic: "t".into(), mode };
    let Reply::Offsets(offsets) = client.call(&list(ListOffsetsMode::Bounds)).await else { panic!() };
    let one = &offsets.partitions[0];
    assert_eq!(
        (one.partition.get(), one.earliest.get(), one.latest.get(), one.high_watermark.get()),
        (1, 0, 4, 4)
    );
    assert!(
        one.flags.contains(PartitionOffsetsFlags::HIGH_WATERMARK_EXACT | PartitionOffsetsFlags::SERVED_HERE)
    );
    assert_eq!(offsets.for_time, None);
    for (time, offset, found) in [(now - 2500, 2, true), (now + 60_000, 4, false)] {
        let Reply::Offsets(offsets) = client.call(&list(ListOffsetsMode::Timestamp(time))).await else {
            panic!()
        };
        let by_time = &offsets.for_time.unwrap()[0];
        assert_eq!((by_time.offset.get(), by_time.found), (offset, found));
    }
}

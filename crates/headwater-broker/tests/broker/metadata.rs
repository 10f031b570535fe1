//! Metadata: which topics are told, which come into being, and where clients are sent.

use headwater_codec::{
    ErrorCode, Uuid,
    messages::metadata::{MetadataRequest, MetadataRequestTopic, MetadataResponse, MetadataResponseTopic},
};

use crate::harness::{Client, TestBroker};

fn by_name(name: &str) -> MetadataRequestTopic {
    MetadataRequestTopic { name: Some(name.into()), ..Default::default() }
}

fn by_id(topic_id: Uuid) -> MetadataRequestTopic {
    MetadataRequestTopic { topic_id, name: None, ..Default::default() }
}

fn request(topics: Option<Vec<MetadataRequestTopic>>) -> MetadataRequest {
    MetadataRequest { topics, allow_auto_topic_creation: true, ..Default::default() }
}

fn names(response: &MetadataResponse) -> Vec<&str> {
    response.topics.iter().map(|topic| topic.name.as_ref().map_or("-", |name| name.as_str())).collect()
}

async fn one(client: &mut Client, version: i16, topic: MetadataRequestTopic) -> MetadataResponseTopic {
    let mut response = client.call(version, &request(Some(vec![topic]))).await;
    assert_eq!(response.topics.len(), 1);
    response.topics.remove(0)
}

/// C04.
#[tokio::test]
async fn null_means_all_and_empty_means_none_but_for_version_0() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    client.create_topic("b").await;
    client.create_topic("a").await;
    let answer = client.call(0, &request(Some(vec![]))).await;
    assert_eq!(names(&answer), ["a", "b"], "version 0: an empty list means all");
    for version in 1..=13 {
        let all = client.call(version, &request(None)).await;
        assert_eq!(names(&all), ["a", "b"], "version {version}");
        let none = client.call(version, &request(Some(vec![]))).await;
        assert_eq!(names(&none), [""; 0], "version {version}");
        for answer in [all, none] {
            assert_eq!(answer.brokers.len(), 1);
            assert_eq!(
                answer.controller_id, answer.brokers[0].node_id,
                "the controller is one of the brokers"
            );
            assert_eq!(answer.error_code, ErrorCode::None);
            if version >= 2 {
                assert_eq!(answer.cluster_id.as_deref(), Some(broker.broker().cluster_id()));
            }
        }
    }
}

#[tokio::test]
async fn partitions_are_led_by_the_one_node() {
    let broker = TestBroker::with(&["num.partitions=3"]).await;
    let mut client = broker.client().await;
    let topic = client.create_topic("t").await;
    let node = broker.broker().node_id();
    assert_eq!(topic.partitions.len(), 3);
    assert!(!topic.topic_id.is_nil());
    for (partition, index) in topic.partitions.iter().zip(0..) {
        assert_eq!((partition.partition_index, partition.leader_id), (index, node));
        assert_eq!((&partition.replica_nodes, &partition.isr_nodes), (&vec![node], &vec![node]));
        assert!(partition.leader_epoch >= 0 && partition.offline_replicas.is_empty());
    }
}

#[tokio::test]
async fn topics_are_created_when_client_and_broker_allow_it() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let forbidden = MetadataRequest { allow_auto_topic_creation: false, ..request(Some(vec![by_name("t")])) };
    let answer = client.call(4, &forbidden).await;
    assert_eq!(answer.topics[0].error_code, ErrorCode::UnknownTopicOrPartition);
    assert_eq!(
        one(&mut client, 3, by_name("t")).await.error_code,
        ErrorCode::None,
        "before version 4 always"
    );
    for bad in ["a b", "", "..", &"x".repeat(250)] {
        assert_eq!(
            one(&mut client, 9, by_name(bad)).await.error_code,
            ErrorCode::InvalidTopicException,
            "{bad:?}"
        );
    }
    one(&mut client, 9, by_name("a.b")).await;
    assert_eq!(one(&mut client, 9, by_name("a_b")).await.error_code, ErrorCode::InvalidTopicException);
    assert_eq!(names(&client.call(9, &request(None)).await), ["a.b", "t"]);

    let strict = TestBroker::with(&["auto.create.topics.enable=false"]).await;
    let mut client = strict.client().await;
    assert_eq!(one(&mut client, 9, by_name("t")).await.error_code, ErrorCode::UnknownTopicOrPartition);
}

/// C05. KIP-516, KAFKA-12701.
#[tokio::test]
async fn topics_are_found_by_id_from_version_12_on() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let topic = client.create_topic("t").await;
    for version in [10, 11] {
        for bad in [
            MetadataRequestTopic { name: None, ..Default::default() },
            MetadataRequestTopic { topic_id: topic.topic_id, ..by_name("t") },
        ] {
            let answer = one(&mut client, version, bad).await;
            assert_eq!(answer.error_code, ErrorCode::InvalidRequest, "version {version}");
        }
        assert_eq!(one(&mut client, version, by_name("t")).await.topic_id, topic.topic_id);
    }
    for version in [12, 13] {
        let found = one(&mut client, version, by_id(topic.topic_id)).await;
        assert_eq!(
            (found.error_code, found.name, found.partitions.len()),
            (ErrorCode::None, Some("t".into()), 1)
        );
        let unknown = Uuid::from_u128(4711);
        let answer = one(&mut client, version, by_id(unknown)).await;
        assert_eq!(
            (answer.error_code, answer.name, answer.topic_id),
            (ErrorCode::UnknownTopicId, None, unknown)
        );
    }
}

#[tokio::test]
async fn operations_are_told_when_asked_for() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    client.create_topic("t").await;
    let asked = MetadataRequest {
        include_topic_authorized_operations: true,
        include_cluster_authorized_operations: true,
        ..request(None)
    };
    let answer = client.call(8, &asked).await;
    assert_eq!(
        (answer.topics[0].topic_authorized_operations, answer.cluster_authorized_operations),
        (3576, 8096)
    );
    let answer = client.call(8, &request(None)).await;
    assert_eq!(answer.topics[0].topic_authorized_operations, i32::MIN);
    assert_eq!(answer.cluster_authorized_operations, i32::MIN);
}

#[tokio::test]
async fn clients_are_sent_to_the_listener_that_they_came_through() {
    let broker = TestBroker::with(&[
        "listeners=INSIDE://127.0.0.1:0,OUTSIDE://127.0.0.1:0,ANY://0.0.0.0:0",
        "advertised.listeners=OUTSIDE://broker.example:4711",
        "listener.security.protocol.map=INSIDE:PLAINTEXT,OUTSIDE:PLAINTEXT,ANY:PLAINTEXT",
    ])
    .await;
    let addresses = broker.broker().addresses().to_vec();
    let expected = [
        ("127.0.0.1".to_owned(), i32::from(addresses[0].port())),
        ("broker.example".to_owned(), 4711),
        ("127.0.0.1".to_owned(), i32::from(addresses[2].port())),
    ];
    for (address, expected) in addresses.iter().zip(expected) {
        let reached = std::net::SocketAddr::new("127.0.0.1".parse().unwrap(), address.port());
        let answer = Client::connect(reached).await.call(9, &request(None)).await;
        assert_eq!((answer.brokers[0].host.to_string(), answer.brokers[0].port), expected);
    }
}

#[tokio::test]
async fn topics_and_cluster_survive_a_restart() {
    let mut broker = TestBroker::with(&["num.partitions=2"]).await;
    let before = broker.client().await.create_topic("t").await;
    let cluster_id = broker.broker().cluster_id().to_owned();
    broker.restart().await;
    assert_eq!(broker.broker().cluster_id(), cluster_id);
    let after = one(&mut broker.client().await, 12, by_name("t")).await;
    assert_eq!((after.topic_id, after.partitions.len()), (before.topic_id, 2));
    assert!(after.partitions[0].leader_epoch > before.partitions[0].leader_epoch, "raised at each start");
}

#[tokio::test]
async fn second_broker_on_a_directory_is_refused_by_the_name_of_the_lock() {
    let broker = TestBroker::start().await;
    let dirs = format!("log.dirs={}", broker.dir().join("data").display());
    let config = headwater_broker::Config::builder()
        .set("listeners=PLAINTEXT://127.0.0.1:0")
        .set("admin.listener=")
        .set("native.listeners=")
        .set(&dirs)
        .build()
        .unwrap();
    let Err(error) = headwater_broker::Broker::start(config).await else { panic!("it must not start") };
    assert!(error.to_string().contains(".lock"), "{error}");
}

#[tokio::test]
async fn topic_that_is_named_twice_is_answered_once() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let answer = client.call(9, &request(Some(vec![by_name("t"), by_name("u"), by_name("t")]))).await;
    assert_eq!(names(&answer), ["t", "u"]);
}

#[tokio::test]
async fn localhost_is_127_0_0_1() {
    let broker = TestBroker::with(&["listeners=PLAINTEXT://localhost:0"]).await;
    assert!(broker.address().is_ipv4());
    let answer = broker.client().await.call(9, &request(None)).await;
    assert_eq!(&*answer.brokers[0].host, "localhost");
}

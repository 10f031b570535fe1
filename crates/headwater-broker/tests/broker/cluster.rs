//! The cluster, its directories, and the admin listener.

use std::net::SocketAddr;

use headwater_broker::{Broker, Config};
use headwater_codec::{
    ErrorCode,
    messages::{
        describe_cluster::DescribeClusterRequest,
        describe_log_dirs::{DescribableLogDirTopic, DescribeLogDirsRequest, DescribeLogDirsResult},
    },
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

use crate::{
    harness::{Client, Place, TestBroker, batch},
    topics::{create, topic},
};

#[tokio::test]
async fn the_cluster_is_one_node_at_the_address_of_the_listener() {
    let settings = [
        "listeners=A://127.0.0.1:0,B://127.0.0.1:0",
        "listener.security.protocol.map=A:PLAINTEXT,B:PLAINTEXT",
        "advertised.listeners=B://kafka.example:1234",
        "broker.rack=r1",
    ];
    let broker = TestBroker::with(&settings).await;
    let addresses = broker.broker().addresses();
    let expected = [("127.0.0.1", addresses[0].port()), ("kafka.example", 1234)];
    for (address, (host, port)) in addresses.iter().zip(expected) {
        let mut client = Client::connect(*address).await;
        for version in 0..=2 {
            let answer = client
                .call(version, &DescribeClusterRequest { endpoint_type: 1, ..Default::default() })
                .await;
            assert_eq!(answer.error_code, ErrorCode::None, "version {version}");
            assert_eq!(answer.cluster_id, broker.broker().cluster_id());
            assert_eq!(answer.controller_id, broker.broker().node_id());
            assert_eq!(answer.cluster_authorized_operations, i32::MIN);
            let [node] = answer.brokers.as_slice() else { panic!("one broker") };
            assert_eq!((node.host.as_str(), node.port), (host, i32::from(port)));
            assert_eq!((node.broker_id, node.rack.as_deref()), (broker.broker().node_id(), Some("r1")));
            assert!(!node.is_fenced);
        }
    }
}

#[tokio::test]
async fn controllers_are_not_told_of() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    for (endpoint_type, expected) in
        [(2, ErrorCode::MismatchedEndpointType), (7, ErrorCode::UnsupportedEndpointType)]
    {
        let answer = client.call(1, &DescribeClusterRequest { endpoint_type, ..Default::default() }).await;
        assert_eq!((answer.error_code, answer.endpoint_type), (expected, 1));
        assert!(answer.brokers.is_empty() && answer.error_message.is_some());
    }
    let asked = DescribeClusterRequest { include_cluster_authorized_operations: true, ..Default::default() };
    let answer = client.call(0, &asked).await;
    assert_eq!(answer.cluster_authorized_operations, 0b1_1111_1010_0000);
}

async fn log_dirs(client: &mut Client, topics: Option<Vec<(&str, Vec<i32>)>>) -> Vec<DescribeLogDirsResult> {
    let topics = topics.map(|topics| {
        let topic = |(name, partitions): (&str, Vec<i32>)| DescribableLogDirTopic {
            topic: name.into(),
            partitions,
            ..Default::default()
        };
        topics.into_iter().map(topic).collect()
    });
    let answer = client.call(4, &DescribeLogDirsRequest { topics, ..Default::default() }).await;
    assert_eq!(answer.error_code, ErrorCode::None);
    answer.results
}

/// Topic, partition and size of everything in the answer.
fn sizes(dirs: &[DescribeLogDirsResult]) -> Vec<(&str, i32, i64)> {
    let topics = dirs.iter().flat_map(|dir| &dir.topics);
    topics
        .flat_map(|topic| {
            topic.partitions.iter().map(|of| (topic.name.as_str(), of.partition_index, of.partition_size))
        })
        .collect()
}

#[tokio::test]
async fn log_directories_are_told_with_the_sizes_of_partitions() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    create(&mut client, vec![topic("b", 2, 1), topic("a", 1, 1)]).await;
    let place = Place { partition: 1, ..Place::new(&client.create_topic("b").await, 0) };
    let batch = batch(&["a"]);
    let size = i64::try_from(batch.len()).expect("small");
    assert_eq!(client.produce(9, &place, batch).await.error_code, ErrorCode::None);
    let dirs = log_dirs(&mut client, None).await;
    assert_eq!(dirs.len(), 1);
    assert!(dirs[0].error_code == ErrorCode::None && dirs[0].log_dir.ends_with("data"));
    assert!(dirs[0].total_bytes > 0 && dirs[0].usable_bytes > 0);
    assert_eq!(sizes(&dirs), [("a", 0, 0), ("b", 0, 0), ("b", 1, size)]);
    let some = log_dirs(&mut client, Some(vec![("b", vec![1, 7]), ("none", vec![0])])).await;
    assert_eq!(sizes(&some), [("b", 1, size)]);
    assert_eq!(sizes(&log_dirs(&mut client, Some(vec![])).await), []);
    for version in 1..=5 {
        let answer =
            client.call(version, &DescribeLogDirsRequest { topics: None, ..Default::default() }).await;
        assert_eq!(sizes(&answer.results).len(), 3, "version {version}");
    }
}

/// One HTTP request; gives the status line and everything after the head.
async fn get(address: SocketAddr, path: &str) -> (String, String) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.lines().next().unwrap_or_default().to_owned(), body.to_owned())
}

#[tokio::test]
async fn the_admin_listener_tells_health_and_metrics() {
    let broker = TestBroker::with(&["admin.listener=127.0.0.1:0"]).await;
    let admin = broker.broker().admin_address().expect("an admin listener");
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("t").await, 0);
    let batch = batch(&["a", "b"]);
    let log_bytes = format!("headwater_log_bytes {}", batch.len());
    client.produce(9, &place, batch).await;
    for path in ["/live", "/ready"] {
        assert_eq!(get(admin, path).await.0, "HTTP/1.1 200 OK", "{path}");
    }
    assert_eq!(get(admin, "/other").await.0, "HTTP/1.1 404 Not Found");
    let (status, metrics) = get(admin, "/metrics").await;
    assert_eq!(status, "HTTP/1.1 200 OK");
    for line in [
        "headwater_topics 1",
        "headwater_partitions 1",
        "headwater_records_appended_total 2",
        "headwater_batches_appended_total 1",
        "headwater_requests_total{api=\"Produce\"} 1",
        "headwater_connections 1",
        "headwater_syncs_total 1",
        &log_bytes,
    ] {
        assert!(metrics.lines().any(|shown| shown == line), "{line} is missing in\n{metrics}");
    }
}

#[tokio::test]
async fn the_admin_listener_is_off_when_empty_and_an_error_when_a_configured_address_is_taken() {
    let broker = TestBroker::with(&["admin.listener="]).await;
    assert_eq!(broker.broker().admin_address(), None);
    let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let dir = tempfile::tempdir().unwrap();
    let config = Config::builder()
        .set("listeners=PLAINTEXT://127.0.0.1:0")
        .set(&format!("log.dirs={}", dir.path().display()))
        .set(&format!("admin.listener={}", taken.local_addr().unwrap()))
        .build()
        .unwrap();
    let Err(error) = Broker::start(config).await else { panic!("the address is taken") };
    assert!(error.to_string().starts_with("admin.listener"), "{error}");
}

#[tokio::test]
async fn the_node_id_of_the_directory_holds_when_none_is_configured() {
    let dir = tempfile::tempdir().unwrap();
    let config = |settings: &[&str]| {
        let builder = Config::builder()
            .set("listeners=PLAINTEXT://127.0.0.1:0")
            .set("admin.listener=")
            .set(&format!("log.dirs={}", dir.path().display()));
        settings.iter().fold(builder, |builder, setting| builder.set(setting)).build().unwrap()
    };
    let first = Broker::start(config(&["node.id=7"])).await.unwrap();
    let cluster_id = first.cluster_id().to_owned();
    first.shutdown().await.unwrap();
    let second = Broker::start(config(&[])).await.unwrap();
    assert_eq!((second.node_id().get(), second.cluster_id()), (7, cluster_id.as_str()));
    second.shutdown().await.unwrap();
    let Err(error) = Broker::start(config(&["node.id=8"])).await else { panic!("another node's directory") };
    assert!(error.to_string().contains("meta.properties"), "{error}");
}

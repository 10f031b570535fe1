//! Frames, headers, versions, order, and what happens to those who do not speak Kafka.

use std::time::{Duration, Instant};

use bytes::Bytes;
use headwater_codec::{
    ErrorCode,
    messages::{
        api_versions::{ApiVersionsRequest, ApiVersionsResponse},
        fetch::FetchRequest,
        metadata::{MetadataRequest, MetadataResponse},
        produce::ProduceRequest,
    },
};

use crate::harness::{Client, Place, TestBroker, batch, decode, fetch_request, hex, produce_request};

fn api_versions() -> ApiVersionsRequest {
    ApiVersionsRequest {
        client_software_name: "test".into(),
        client_software_version: "1.0".into(),
        node_id: -1,
        ..Default::default()
    }
}

#[tokio::test]
async fn api_versions_is_answered_in_every_version() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    for version in 0..=5 {
        let answer = client.call(version, &api_versions()).await;
        assert_eq!(answer.error_code, ErrorCode::None);
        let range = |key| {
            answer
                .api_keys
                .iter()
                .find(|api| api.api_key == key)
                .map(|api| (api.min_version, api.max_version))
        };
        assert_eq!(range(0), Some((0, 13)), "librdkafka compresses only when Produce begins at 0");
        assert_eq!(range(1), Some((4, 18)));
        assert_eq!(range(18), Some((0, 5)));
        assert_eq!(range(22), Some((0, 5)), "an unstable last version is not told");
        for key in [24, 25, 26, 28, 68, 71, 72, 93] {
            assert_eq!(range(key), None, "key {key} is not served");
        }
        if version >= 3 {
            let level = |name: &str| {
                answer
                    .finalized_features
                    .iter()
                    .find(|feature| *feature.name == *name)
                    .map(|feature| feature.max_version_level)
            };
            assert!(level("metadata.version").is_some());
            assert_eq!(level("transaction.version"), None, "clients would use what is not served (KIP-890)");
            assert!(answer.finalized_features_epoch >= 0);
            assert!(answer.supported_features.iter().all(|feature| feature.min_version > 0), "KAFKA-17011");
        }
    }
}

/// C01. KIP-511.
#[tokio::test]
async fn too_new_api_versions_is_answered_in_version_0_and_the_connection_lives_on() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    client.send_raw(&hex("00000011 0012 0063 00000007 0001 78 00 02 78 02 31 00")).await;
    let frame = client.receive_raw().await.unwrap();
    assert_eq!(frame[..4], hex("00000007"), "response header 0: the correlation id alone");
    let answer: ApiVersionsResponse = decode(0, frame.slice(4..));
    let apis: Vec<_> =
        answer.api_keys.iter().map(|api| (api.api_key, api.min_version, api.max_version)).collect();
    assert_eq!((answer.error_code, apis), (ErrorCode::UnsupportedVersion, vec![(18, 0, 5)]));
    assert_eq!(client.call(5, &api_versions()).await.error_code, ErrorCode::None);
}

#[tokio::test]
async fn api_versions_refuses_impossible_software_names() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    for (name, version) in [("", "1"), ("a b", "1"), ("-a", "1"), ("a", ""), ("a", "1 ")] {
        let request = ApiVersionsRequest {
            client_software_name: name.into(),
            client_software_version: version.into(),
            ..api_versions()
        };
        assert_eq!(
            client.call(3, &request).await.error_code,
            ErrorCode::InvalidRequest,
            "{name:?} {version:?}"
        );
    }
}

/// KIP-1242.
#[tokio::test]
async fn api_versions_sends_a_client_of_another_cluster_away() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let ours = ApiVersionsRequest {
        cluster_id: Some(broker.broker().cluster_id().into()),
        node_id: broker.broker().node_id().get(),
        ..api_versions()
    };
    assert_eq!(client.call(5, &ours).await.error_code, ErrorCode::None);
    for other in [
        ApiVersionsRequest { cluster_id: Some("other".into()), ..ours.clone() },
        ApiVersionsRequest { node_id: 4711, ..ours.clone() },
    ] {
        assert_eq!(client.call(5, &other).await.error_code, ErrorCode::RebootstrapRequired);
    }
}

/// C03. KAFKA-2878.
#[tokio::test]
async fn lengths_that_the_frame_cannot_hold_close_that_connection_alone() {
    let broker = TestBroker::start().await;
    let mut other = broker.client().await;
    for frame in [
        "0000000f 0003 0001 00000001 0001 78 7fffffff",
        // The client id claims more than there is.
        "0000000b 0003 0001 00000001 7fff 78",
        // A compact array of nearly 2^32 topics.
        "00000012 0003 0009 00000001 0001 78 00 ffffffff0f 01",
        // A topic name of 32767 bytes.
        "00000013 0003 0001 00000001 0001 78 00000001 7fff 78 78",
    ] {
        let mut client = broker.client().await;
        client.send_raw(&hex(frame)).await;
        assert!(client.is_closed().await, "{frame}");
    }
    assert_eq!(other.call(0, &api_versions()).await.error_code, ErrorCode::None);
}

#[tokio::test]
async fn garbage_is_answered_with_the_end_of_the_connection() {
    let broker = TestBroker::start().await;
    let mut other = broker.client().await;
    let tls = hex("160301020001 0001fc0303");
    let cases: [&[u8]; 8] = [
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        &tls,
        &hex("ffffffff"),
        &hex("7fffffff"),
        // Too short for a header.
        &hex("00000004 00120000"),
        // An API that is gone, one that never was, and a version that is gone.
        &hex("0000000b 0004 0000 00000001 0001 78"),
        &hex("0000000b 7fff 0000 00000001 0001 78"),
        &hex("0000000b 0000 0002 00000001 0001 78"),
    ];
    for bytes in cases {
        let mut client = broker.client().await;
        client.send_raw(bytes).await;
        assert!(client.is_closed().await, "{bytes:02x?}");
    }
    assert_eq!(other.call(0, &api_versions()).await.error_code, ErrorCode::None);
}

/// Kafka passes over bytes after a body, and librdkafka 2.16 sends some: the frame is its Metadata request.
#[tokio::test]
async fn bytes_after_a_whole_body_are_passed_over() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    client.send_raw(&hex("00000019 0003000d 00000003 0007 72646b61666b61 00 00 000000 01 00 00")).await;
    let answer = client.receive_raw().await.expect("an answer");
    assert_eq!(answer[..4], hex("00000003"));
    client.send_raw(&hex("0000000c 0012 0000 00000001 0001 78 00")).await;
    let answer = client.receive_raw().await.expect("an answer");
    assert_eq!(answer[..4], hex("00000001"));
}

#[tokio::test]
async fn requests_other_than_produce_are_bounded_to_8_mib() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    client.send_raw(&hex("00800001 0003 0001 00000001")).await;
    assert!(client.is_closed().await);
}

#[tokio::test]
async fn requests_in_one_packet_and_in_single_bytes_are_the_same() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let one = hex("0000000b 0012 0000 00000001 0001 78");
    let two = hex("0000000b 0012 0000 00000002 0001 78");
    client.send_raw(&[one.clone(), two.clone()].concat()).await;
    for id in [1, 2] {
        assert_eq!(client.receive_raw().await.unwrap()[..4], [0, 0, 0, id]);
    }
    for byte in &one {
        client.send_raw(&[*byte]).await;
        tokio::task::yield_now().await;
    }
    assert_eq!(client.receive_raw().await.unwrap()[..4], [0, 0, 0, 1]);
}

#[tokio::test]
async fn null_client_id_is_a_client_too() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    client.send_raw(&hex("0000000a 0012 0000 00000009 ffff")).await;
    assert_eq!(client.receive_raw().await.unwrap()[..4], hex("00000009"));
}

#[tokio::test]
async fn answers_leave_in_the_order_of_the_requests() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("order").await, 0);
    let mut ids = Vec::new();
    for number in 0..100 {
        let record = format!("{number}");
        ids.push(client.send(9, &produce_request(-1, &[(&place, batch(&[&record]))])).await);
    }
    let metadata = client.send(9, &MetadataRequest::default()).await;
    let last = client.send(9, &produce_request(1, &[(&place, batch(&["last"]))])).await;
    for (id, offset) in ids.into_iter().zip(0..) {
        let answer = client.receive::<ProduceRequest>(9, id).await;
        assert_eq!(answer.responses[0].partition_responses[0].base_offset, offset);
    }
    let _: MetadataResponse = client.receive::<MetadataRequest>(9, metadata).await;
    let answer = client.receive::<ProduceRequest>(9, last).await;
    assert_eq!(answer.responses[0].partition_responses[0].base_offset, 100);
}

#[tokio::test]
async fn request_behind_a_waiting_fetch_waits_for_it() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("waits").await, 0);
    let began = Instant::now();
    let fetch = FetchRequest { max_wait_ms: 300, ..fetch_request(&[(&place, 0)]) };
    let fetch_id = client.send(11, &fetch).await;
    let other_id = client.send(0, &api_versions()).await;
    client.receive::<FetchRequest>(11, fetch_id).await;
    client.receive::<ApiVersionsRequest>(0, other_id).await;
    assert!(began.elapsed() >= Duration::from_millis(300));
}

#[tokio::test]
async fn acks_0_has_no_answer_and_failure_closes() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("silent").await, 0);
    client.send(9, &produce_request(0, &[(&place, batch(&["a"]))])).await;
    assert_eq!(
        client.call(0, &api_versions()).await.error_code,
        ErrorCode::None,
        "the next answer is the next one's"
    );
    let unknown = Place { topic: "unknown".into(), ..place.clone() };
    client.send(9, &produce_request(0, &[(&unknown, batch(&["a"]))])).await;
    assert!(client.is_closed().await);
}

#[tokio::test]
async fn large_frames_arrive_whole() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("large").await, 0);
    let value = "v".repeat(1_000_000);
    let sent = batch(&[&value]);
    for offset in 0..3 {
        let answer = client.produce(9, &place, sent.clone()).await;
        assert_eq!((answer.error_code, answer.base_offset), (ErrorCode::None, offset));
    }
    let fetched = client.fetch(11, &place, 2).await.records.unwrap();
    let fetched = fetched.as_bytes().unwrap();
    // Base offset and leader epoch are the broker's; everything from the magic on is as it was sent.
    assert_eq!(fetched[16..], sent[16..]);
}

#[tokio::test]
async fn half_closed_client_gets_its_answer() {
    let broker = TestBroker::start().await;
    let stream = tokio::net::TcpStream::connect(broker.address()).await.unwrap();
    let (mut read, mut write) = stream.into_split();
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    write.write_all(&hex("0000000b 0012 0000 00000001 0001 78")).await.unwrap();
    write.shutdown().await.unwrap();
    let mut answer = Vec::new();
    tokio::time::timeout(crate::harness::PATIENCE, read.read_to_end(&mut answer)).await.unwrap().unwrap();
    assert_eq!(answer[4..8], [0, 0, 0, 1]);
}

#[tokio::test]
async fn connections_above_the_limit_are_refused() {
    let broker = TestBroker::with(&["max.connections.per.ip=2"]).await;
    let mut first = broker.client().await;
    let mut second = broker.client().await;
    for client in [&mut first, &mut second] {
        client.call(0, &api_versions()).await;
    }
    let mut third = broker.client().await;
    assert!(third.is_closed().await);
    drop(first);
    // The place is free once the broker has noticed.
    let served = async {
        loop {
            let mut client = broker.client().await;
            client.send_raw(&hex("0000000b 0012 0000 00000001 0001 78")).await;
            if client.receive_raw().await.is_some() {
                return;
            }
        }
    };
    tokio::time::timeout(crate::harness::PATIENCE, served).await.unwrap();
}

#[tokio::test]
async fn silent_connection_is_closed_after_its_time() {
    let broker = TestBroker::with(&["connections.max.idle.ms=200"]).await;
    let mut client = broker.client().await;
    client.call(0, &api_versions()).await;
    let began = Instant::now();
    assert!(client.is_closed().await);
    assert!(began.elapsed() >= Duration::from_millis(150));
}

#[tokio::test]
async fn stop_finishes_what_is_under_way_and_closes() {
    let mut broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("stop").await, 0);
    let mut parked = Client::connect(broker.address()).await;
    parked.send(11, &FetchRequest { max_wait_ms: 60_000, ..fetch_request(&[(&place, 0)]) }).await;
    client.produce(9, &place, batch(&["a"])).await;
    let began = Instant::now();
    broker.stop().await;
    assert!(began.elapsed() < Duration::from_secs(5), "nobody is waited for in vain");
    assert!(client.is_closed().await);
}

#[tokio::test]
async fn slow_reader_does_not_hold_up_others() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("slow").await, 0);
    let value: Bytes = batch(&[&"v".repeat(900_000)]);
    for _ in 0..20 {
        client.produce(9, &place, value.clone()).await;
    }
    let mut slow = broker.client().await;
    for _ in 0..50 {
        // Hundreds of megabytes of answers that nobody reads.
        slow.send(11, &fetch_request(&[(&place, 0)])).await;
    }
    let began = Instant::now();
    let fetched = client.fetch(11, &place, 19).await;
    assert_eq!(fetched.records.unwrap().len(), value.len());
    assert!(began.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn largest_request_is_a_setting() {
    let broker = TestBroker::with(&["socket.request.max.bytes=20000"]).await;
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("t").await, 0);
    let fits = "v".repeat(19_000);
    assert_eq!(client.produce(9, &place, batch(&[&fits])).await.error_code, ErrorCode::None);
    let exceeds = "v".repeat(21_000);
    client.send(9, &produce_request(-1, &[(&place, batch(&[&exceeds]))])).await;
    assert!(client.is_closed().await);
}

#[tokio::test]
async fn requests_wait_for_memory_rather_than_take_too_much() {
    let broker =
        TestBroker::with(&["queued.max.request.bytes=1000000", "socket.request.max.bytes=1000000"]).await;
    let place = Place::new(&broker.client().await.create_topic("t").await, 0);
    let value = batch(&[&"v".repeat(800_000)]);
    let produce = |place: Place, value: Bytes, mut client: Client| async move {
        client.produce(9, &place, value).await.error_code
    };
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..8 {
        tasks.spawn(produce(place.clone(), value.clone(), broker.client().await));
    }
    while let Some(code) = tasks.join_next().await {
        assert_eq!(code.unwrap(), ErrorCode::None, "one after the other");
    }
    assert_eq!(broker.client().await.log_end(&place).await, 8);
}

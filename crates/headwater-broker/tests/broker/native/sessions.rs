//! How connections begin, stay and end.

use std::time::{Duration, Instant};

use headwater_broker::{Broker, Config};
use headwater_native::{
    Capabilities, CorrelationId, ErrorCode, Opcode, Reply,
    messages::{
        AuthScram, BeginTxn, EndTxn, Goodbye, HeartbeatRequest, Hello, ListTopics, Subscribe, TxnOffsetCommit,
    },
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    time::sleep,
};

use super::{BAD_FRAME, FetchFlags, NativeClient, fetch, identify};
use crate::harness::{TestBroker, hex};

#[tokio::test]
async fn frames_of_the_original_client_are_understood() {
    let broker = TestBroker::start().await;
    let mut client = NativeClient::connect(broker.native_address()).await;
    // HELLO v1 and its answer, byte for byte, with the zero id.
    client.send_raw(&hex("00000015 01 00000000000000000000000000000000 00000001")).await;
    let welcome = client.frame().await.unwrap();
    assert_eq!((welcome.opcode, &welcome.payload[..]), (0x80, &[0, 0, 0, 1][..]));
    assert_eq!(welcome.correlation_id, CorrelationId::ZERO);
}

#[tokio::test]
async fn each_request_has_its_time() {
    let broker = TestBroker::start().await;
    let mut client = NativeClient::connect(broker.native_address()).await;
    assert_eq!(client.refused(&ListTopics {}).await.code, BAD_FRAME, "before HELLO");
    client.send(&Hello { version: 1 }).await;
    assert!(matches!(client.receive().await.1, Reply::Welcome(_)));
    assert_eq!(client.refused(&ListTopics {}).await.code, BAD_FRAME, "before AUTH");
    let mut open = NativeClient::open(&broker).await;
    assert_eq!(open.refused(&Hello { version: 1 }).await.code, BAD_FRAME, "after AUTH");
    assert!(matches!(open.call(&ListTopics {}).await, Reply::TopicList(_)), "the connection stays open");
}

#[tokio::test]
async fn another_version_is_refused_and_closed() {
    let broker = TestBroker::start().await;
    let mut client = NativeClient::connect(broker.native_address()).await;
    assert_eq!(client.refused(&Hello { version: 2 }).await.code, ErrorCode::BAD_PROTOCOL);
    assert!(client.frame().await.is_none());
}

#[tokio::test]
async fn the_server_tells_that_it_keeps_headers() {
    let broker = TestBroker::start().await;
    let mut client = NativeClient::open(&broker).await;
    let Reply::IdentifyAck(ack) = client.call(&identify()).await else { panic!("no identity") };
    assert_eq!(ack.server.as_str(), "Headwater");
    assert!(Capabilities::parse(&ack.version).headers, "{}", ack.version);
}

#[tokio::test]
async fn heartbeats_are_answered_and_goodbye_closes() {
    let broker = TestBroker::start().await;
    let mut client = NativeClient::connect(broker.native_address()).await;
    assert!(matches!(client.call(&HeartbeatRequest {}).await, Reply::HeartbeatResponse(_)), "at any time");
    client.send(&Goodbye {}).await;
    assert!(client.frame().await.is_none());
}

#[tokio::test]
async fn heartbeats_do_not_put_off_hello_and_authentication() {
    let broker = TestBroker::start().await;
    let mut greeted = NativeClient::connect(broker.native_address()).await;
    greeted.call(&Hello { version: 1 }).await;
    let silent = NativeClient::connect(broker.native_address()).await;
    let (of_silent, of_greeted) = tokio::join!(kept_with_heartbeats(silent), kept_with_heartbeats(greeted));
    let expected = Duration::from_secs(4)..Duration::from_secs(9);
    assert!(expected.contains(&of_silent), "before HELLO: {of_silent:?}");
    assert!(expected.contains(&of_greeted), "before AUTH: {of_greeted:?}");
}

/// How long a connection is kept on which nothing comes but heartbeats.
async fn kept_with_heartbeats(mut client: NativeClient) -> Duration {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(10) {
        // HEARTBEAT_REQUEST, with an answer each. Writing fails when the connection is closed, and so does reading.
        let mut frame = hex("00000011");
        frame.push(Opcode::HeartbeatRequest.code());
        frame.extend([7; 16]);
        let _ = client.stream.write_all(&frame).await;
        if client.stream.read_buf(&mut client.buffer).await.unwrap_or(0) == 0 {
            break;
        }
        sleep(Duration::from_millis(200)).await;
    }
    begun.elapsed()
}

#[tokio::test]
async fn a_frame_over_a_mebibyte_is_refused_with_the_zero_id() {
    let broker = TestBroker::start().await;
    let mut client = NativeClient::open(&broker).await;
    client.send_raw(&(1_u32 << 20).saturating_add(1).to_be_bytes()).await;
    let (id, reply) = client.receive().await;
    let Reply::Failure(failure) = reply else { panic!("{reply:?}") };
    assert_eq!((id, failure.code), (CorrelationId::ZERO, ErrorCode::FRAME_TOO_LARGE));
    assert!(client.frame().await.is_none());
}

#[tokio::test]
async fn frames_without_room_for_a_head_and_bad_openings_close() {
    let broker = TestBroker::start().await;
    for bytes in [hex("00000010"), hex("00000012 01 00000000000000000000000000000000 00")] {
        let mut client = NativeClient::connect(broker.native_address()).await;
        client.send_raw(&bytes).await;
        assert!(client.frame().await.is_none(), "{bytes:?}");
    }
}

#[tokio::test]
async fn retired_and_unknown_opcodes_are_refused_and_the_connection_goes_on() {
    let broker = TestBroker::start().await;
    let mut client = NativeClient::open(&broker).await;
    for opcode in [0x09_u8, 0x22, 0x7f, 0x85, 0xff, Opcode::Record.code()] {
        client.send_raw(&17_u32.to_be_bytes()).await;
        client.send_raw(&[opcode]).await;
        client.send_raw(&[9; 16]).await;
        let Reply::Failure(failure) = client.receive().await.1 else { panic!("{opcode:#04x}") };
        assert_eq!(failure.code, ErrorCode::UNKNOWN_OP, "{opcode:#04x}");
    }
    assert!(matches!(client.call(&ListTopics {}).await, Reply::TopicList(_)));
}

#[tokio::test]
async fn a_broker_without_credentials_refuses_scram() {
    let broker = TestBroker::start().await;
    let mut client = NativeClient::connect(broker.native_address()).await;
    client.call(&Hello { version: 1 }).await;
    client.send(&AuthScram { mechanism: "SCRAM-SHA-256".into(), message: "n,,n=u,r=abc".into() }).await;
    let (id, reply) = client.receive().await;
    let Reply::Failure(failure) = reply else { panic!("{reply:?}") };
    assert_eq!((id, failure.code), (CorrelationId::ZERO, ErrorCode::AUTH_FAILED));
    assert!(client.frame().await.is_none());
}

#[tokio::test]
async fn transactions_are_told_to_come_later() {
    let broker = TestBroker::start().await;
    let mut client = NativeClient::open(&broker).await;
    let offsets = TxnOffsetCommit { group: "g".into(), offsets: Vec::new() };
    for failure in [
        client.refused(&BeginTxn {}).await,
        client.refused(&EndTxn { commit: true }).await,
        client.refused(&offsets).await,
    ] {
        assert_eq!(failure.code, ErrorCode::INVALID_TXN_STATE);
        assert!(failure.message.contains("not served yet"), "{}", failure.message);
    }
}

#[tokio::test]
async fn a_connection_pulls_or_is_pushed_to_for_one_group() {
    let broker = TestBroker::start().await;
    let mut client = NativeClient::open(&broker).await;
    client.create_topic("t", 1).await;
    assert!(client.fetch("t", "g", 1).await.is_empty());
    let subscribe = Subscribe { topic: "t".into(), group: "g".into(), ..Subscribe::default() };
    assert_eq!(client.refused(&subscribe).await.code, ErrorCode::BAD_PROTOCOL);
    let other = fetch("t", "h", 1, FetchFlags::NONE);
    assert_eq!(client.refused(&other).await.code, ErrorCode::GROUP_CONFLICT);
}

#[tokio::test]
async fn stopping_closes_open_connections() {
    let mut broker = TestBroker::start().await;
    let mut client = NativeClient::open(&broker).await;
    tokio::time::timeout(Duration::from_secs(5), broker.stop()).await.expect("nobody holds the broker up");
    assert!(client.frame().await.is_none());
}

#[tokio::test]
async fn a_configured_address_that_is_taken_is_an_error_and_nothing_is_no_listener() {
    let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let dir = tempfile::tempdir().unwrap();
    let config = |native: &str| {
        Config::builder()
            .set("listeners=PLAINTEXT://127.0.0.1:0")
            .set("admin.listener=")
            .set(&format!("native.listeners={native}"))
            .set(&format!("log.dirs={}", dir.path().display()))
            .build()
    };
    let address = taken.local_addr().unwrap().to_string();
    let Err(error) = Broker::start(config(&address).unwrap()).await else { panic!("it listens twice") };
    assert!(error.to_string().contains(&address), "{error}");
    let broker = Broker::start(config("").unwrap()).await.unwrap();
    assert!(broker.native_addresses().is_empty());
    broker.shutdown().await.unwrap();
    let broker = Broker::start(config("A://127.0.0.1:0, 127.0.0.1:0").unwrap()).await.unwrap();
    assert_eq!(broker.native_addresses().len(), 2);
    broker.shutdown().await.unwrap();
    assert!(config("nowhere").is_err());
}

//! What clients may move: the same quotas as at Kafka's door, header bytes among them.

use std::time::{Duration, Instant};

use headwater_native::{
    Reply,
    messages::{
        BatchProducer, HeartbeatRequest, IdentifyClient, InitProducerId, ProduceBatch, RecordToProduce,
    },
};
use headwater_records::native::ValueCodec;

use super::{FetchFlags, NativeClient, fetch, with_headers};
use crate::harness::TestBroker;

/// A second's worth moves at once.
const ONE_SECOND: &str = "quota.window.num=2";

async fn named(broker: &TestBroker, client_id: &str) -> NativeClient {
    let mut client = NativeClient::open(broker).await;
    client.call(&IdentifyClient { name: client_id.into(), version: "1".into() }).await;
    client
}

/// How long the connection takes to answer a trifle.
async fn hesitation(client: &mut NativeClient) -> Duration {
    let begun = Instant::now();
    client.call(&HeartbeatRequest {}).await;
    begun.elapsed()
}

/// Two records that differ in their headers alone: 40 bytes of key and value, or 40,000 of headers beside them.
fn small_and_large() -> [RecordToProduce; 2] {
    let value = "v".repeat(40);
    [with_headers("", &value, &[]), with_headers("", &value, &[("h", &"x".repeat(40_000))])]
}

#[tokio::test]
async fn header_bytes_count_when_they_are_produced() {
    let quota = "headwater.client.quotas=client-id=c1:producer_byte_rate=30000";
    let broker = TestBroker::with(&[ONE_SECOND, quota]).await;
    let mut client = named(&broker, "c1").await;
    client.create_topic("t", 1).await;
    let [small, large] = small_and_large();
    client.produce("t", &small).await;
    client.produce("t", &small).await;
    assert!(
        hesitation(&mut client).await < Duration::from_millis(250),
        "bytes of keys and values alone are free"
    );
    client.produce("t", &large).await;
    let waited = hesitation(&mut client).await;
    assert!((Duration::from_millis(150)..Duration::from_secs(3)).contains(&waited), "{waited:?}");
    let mut other = named(&broker, "c2").await;
    other.produce("t", &large).await;
    assert!(hesitation(&mut other).await < Duration::from_millis(250), "others are not bounded");
}

#[tokio::test]
async fn header_bytes_count_when_they_are_fetched() {
    let quota = "headwater.client.quotas=client-id=c1:consumer_byte_rate=30000";
    let broker = TestBroker::with(&[ONE_SECOND, quota]).await;
    let mut producer = NativeClient::open(&broker).await;
    producer.create_topic("t", 1).await;
    producer.produce("t", &small_and_large()[1]).await;
    let mut plain = named(&broker, "c1").await;
    let sent = plain.send(&fetch("t", "g", 1, FetchFlags::BATCHED)).await;
    for _ in 0..2 {
        // The layout does not tell: without headers the frame is shorter.
        assert_eq!(plain.frame().await.unwrap().correlation_id, sent);
    }
    assert!(
        hesitation(&mut plain).await < Duration::from_millis(250),
        "headers that do not go out do not count"
    );
    let mut client = named(&broker, "c1").await;
    assert_eq!(client.fetch("t", "h", 1).await.len(), 1);
    let waited = hesitation(&mut client).await;
    assert!((Duration::from_millis(150)..Duration::from_secs(3)).contains(&waited), "{waited:?}");
}

#[tokio::test]
async fn one_fetch_gives_no_more_than_the_quota_lets_pass_at_once() {
    let quota = "headwater.client.quotas=client-id=c1:consumer_byte_rate=20000";
    let broker = TestBroker::with(&[ONE_SECOND, quota]).await;
    let mut producer = NativeClient::open(&broker).await;
    for topic in ["t", "u"] {
        producer.create_topic(topic, 1).await;
    }
    for _ in 0..100 {
        producer.produce("t", &with_headers("", &"v".repeat(4000), &[])).await;
    }
    for _ in 0..2 {
        producer.produce("u", &with_headers("", &"v".repeat(30_000), &[])).await;
    }
    let taken = named(&broker, "c1").await.fetch("t", "g", 10_000).await.len();
    assert!((1..=5).contains(&taken), "{taken} records of 4000 bytes at 20000 a second");
    let mut other = named(&broker, "c2").await;
    assert_eq!(other.fetch("t", "h", 10_000).await.len(), 100, "others are not bounded");
    let large = named(&broker, "c1").await.fetch("u", "g", 10_000).await.len();
    assert_eq!(large, 1, "what is larger than the quota goes alone");
}

#[tokio::test]
async fn what_is_sent_again_is_not_billed_again() {
    let quota = "headwater.client.quotas=client-id=c1:producer_byte_rate=30000";
    let broker = TestBroker::with(&[ONE_SECOND, quota]).await;
    let mut client = named(&broker, "c1").await;
    client.create_topic("t", 1).await;
    let Reply::ProducerIdentity(of) = client.call(&InitProducerId::default()).await else { panic!() };
    let batch = ProduceBatch {
        codec: ValueCodec::None,
        topic: "t".into(),
        producer: Some(BatchProducer {
            producer_id: of.producer_id,
            base_sequence: 0,
            producer_epoch: of.producer_epoch,
        }),
        records: vec![with_headers("", "v", &[("h", &"x".repeat(25_000))])],
    };
    let first = client.call(&batch).await;
    for _ in 0..4 {
        assert_eq!(client.call(&batch).await, first);
    }
    assert!(hesitation(&mut client).await < Duration::from_millis(250), "it was billed five times");
}

//! NACK and dead-letter topics.

use bytes::Bytes;
use headwater_codec::ErrorCode as KafkaCode;
use headwater_native::{
    DeadLetter, ErrorCode, Reply,
    messages::{CreateTopic, FetchFlags, NackAck},
};
use headwater_records::BatchBuilder;

use super::{BAD_FRAME, NativeClient, fetch, headers_of, record, values, with_headers};
use crate::harness::{Place, TestBroker, now_ms, values_of};

impl NativeClient {
    async fn nacked(&mut self, topic: &str, partition: u32, offset: i64, reason: &str) -> NackAck {
        match self.nack(topic, partition, offset, reason).await {
            Reply::NackAck(ack) => ack,
            other => panic!("not counted: {other:?}"),
        }
    }

    /// Fails at a record until it is dead.
    async fn kill(&mut self, topic: &str, partition: u32, offset: i64, reason: &str) -> NackAck {
        for _ in 0..3 {
            let ack = self.nacked(topic, partition, offset, reason).await;
            if ack.dead_lettered {
                return ack;
            }
        }
        panic!("it does not die");
    }
}

fn ack(dead_lettered: bool, attempts: u16, dlq_topic: &str) -> NackAck {
    NackAck { dead_lettered, attempts, dlq_topic: dlq_topic.into() }
}

fn envelope(value: &Bytes) -> DeadLetter {
    DeadLetter::decode(value.clone()).unwrap()
}

#[tokio::test]
async fn the_third_failure_makes_a_dead_letter_with_its_headers() {
    let broker = TestBroker::start().await;
    let mut client = NativeClient::open(&broker).await;
    client.create_topic("orders", 2).await;
    let headers = [("retry", "1"), ("retry", "2"), ("empty", "")];
    client.produce("orders", &with_headers("k1", "poison", &headers)).await;
    client.produce("orders", &record("k1", "good")).await;
    let first = client.fetch("orders", "g1", 10).await;
    assert_eq!(values(&first), ["poison", "good"]);
    let partition = first[0].partition.get();
    for attempt in 1..=2 {
        assert_eq!(client.nacked("orders", partition, 0, "boom").await, ack(false, attempt, ""));
        let again = client.fetch("orders", "g1", 10).await;
        assert_eq!(values(&again), ["poison", "good"], "delivered again, its neighbour with it");
    }
    let create = CreateTopic { name: "orders.dlq".into(), partitions: 1 };
    assert_eq!(client.nacked("orders", partition, 0, "boom").await, ack(true, 3, "orders.dlq"));
    assert_eq!(client.refused(&create).await.code, BAD_FRAME, "it exists by now");
    assert!(client.fetch("orders", "g1", 10).await.is_empty(), "the group goes on behind what it has read");

    let mut reader = NativeClient::open(&broker).await;
    let dead = reader.fetch("orders.dlq", "ops", 10).await;
    assert_eq!(dead.len(), 1);
    assert_eq!((dead[0].partition.get(), &dead[0].key[..]), (partition, &b"k1"[..]));
    assert_eq!(headers_of(&dead[0]), headers.map(|(name, value)| (name.to_owned(), value.to_owned())));
    let letter = envelope(&dead[0].value);
    assert_eq!(
        (letter.topic.as_str(), letter.partition.get(), letter.offset.get()),
        ("orders", partition, 0)
    );
    assert_eq!((letter.timestamp, letter.group.as_str(), letter.attempts), (first[0].timestamp, "g1", 3));
    assert_eq!((&letter.reason[..], &letter.value[..]), (&b"boom"[..], &b"poison"[..]));
    // The counter is back at the start.
    assert_eq!(client.nacked("orders", partition, 0, "").await, ack(false, 1, ""));
}

#[tokio::test]
async fn counters_survive_a_restart_and_groups_count_separately() {
    let mut broker = TestBroker::start().await;
    let mut client = NativeClient::open(&broker).await;
    client.create_topic("t", 1).await;
    client.produce("t", &record("k", "v")).await;
    client.fetch("t", "g", 10).await;
    client.nacked("t", 1, 0, "").await;
    assert_eq!(client.nacked("t", 1, 0, "").await, ack(false, 2, ""));
    broker.restart().await;
    let mut client = NativeClient::open(&broker).await;
    let mut other = NativeClient::open(&broker).await;
    assert_eq!(values(&other.fetch("t", "h", 10).await), ["v"]);
    assert_eq!(other.nacked("t", 1, 0, "").await, ack(false, 1, ""));
    assert_eq!(values(&client.fetch("t", "g", 10).await), ["v"], "the group was set back");
    assert_eq!(client.nacked("t", 1, 0, "").await, ack(true, 3, "t.dlq"));
}

#[tokio::test]
async fn what_cannot_be_refused_is_not_counted() {
    let broker = TestBroker::with(&["headwater.dlq.attempts.max=1"]).await;
    let mut client = NativeClient::open(&broker).await;
    client.create_topic("t", 1).await;
    client.produce("t", &record("k", "v")).await;
    let code = |reply: Reply| match reply {
        Reply::Failure(failure) => failure.code,
        other => panic!("not refused: {other:?}"),
    };
    assert_eq!(code(client.nack("t", 1, 0, "").await), ErrorCode::BAD_PROTOCOL, "no group yet");
    client.fetch("t", "g", 10).await;
    assert_eq!(code(client.nack("none", 1, 0, "").await), ErrorCode::TOPIC_MISSING);
    for partition in [0, 9] {
        assert_eq!(code(client.nack("t", partition, 0, "").await), ErrorCode::TOPIC_MISSING, "{partition}");
    }
    for offset in [1, 99] {
        assert_eq!(code(client.nack("t", 1, offset, "").await), BAD_FRAME, "{offset}");
    }
    assert_eq!(client.nacked("t", 1, 0, "").await, ack(true, 1, "t.dlq"));
}

#[tokio::test]
async fn suffix_and_attempts_are_configured() {
    let settings = ["headwater.dlq.attempts.max=2", "headwater.dlq.suffix=-dead"];
    let broker = TestBroker::with(&settings).await;
    let mut client = NativeClient::open(&broker).await;
    client.create_topic("t", 1).await;
    client.produce("t", &record("k", "v")).await;
    client.fetch("t", "g", 10).await;
    assert_eq!(client.nacked("t", 1, 0, "").await, ack(false, 1, ""));
    assert_eq!(client.nacked("t", 1, 0, "").await, ack(true, 2, "t-dead"));
}

/// C10: a record that fails, is put back as it lies in the dead-letter topic, and fails again, fifty times. In this protocol
/// provenance and error text stand in the value's envelope, so it is the value that has to settle.
#[tokio::test]
async fn a_poison_record_does_not_grow_over_fifty_rounds() {
    let broker = TestBroker::with(&["headwater.dlq.attempts.max=1"]).await;
    let mut native = NativeClient::open(&broker).await;
    let mut kafka = broker.client().await;
    native.create_topic("t", 1).await;
    let place = Place::new(&kafka.create_topic("t").await, 0);
    let produce = async |kafka: &mut crate::harness::Client, value: &[u8]| {
        let mut builder = BatchBuilder::new();
        let headers: [(&[u8], Option<&[u8]>); 2] = [(b"mine", Some(b"1")), (b"mine", Some(b"2"))];
        builder.push(now_ms(), Some(b"k"), Some(value), &headers).unwrap();
        let produced = kafka.produce(9, &place, builder.build().unwrap().to_bytes()).await;
        assert_eq!(produced.error_code, KafkaCode::None);
    };
    let original = vec![b'p'; 900_000];
    produce(&mut kafka, &original).await;
    let reason = "e".repeat(1024);
    let mut reader = NativeClient::open(&broker).await;
    let mut settled = None;
    for hop in 0..50 {
        assert_eq!(native.fetch("t", "g", 1).await.len(), 1, "hop {hop}");
        assert_eq!(native.nacked("t", 1, hop, &reason).await, ack(true, 1, "t.dlq"), "hop {hop}");
        let dead = reader.fetch("t.dlq", "ops", 1).await.remove(0);
        assert_eq!(headers_of(&dead).len(), 2, "hop {hop}");
        let letter = envelope(&dead.value);
        assert_eq!(
            (letter.offset.get(), letter.value.len(), letter.reason.len()),
            (0, 900_000, 1024),
            "hop {hop}"
        );
        assert_eq!(*settled.get_or_insert(dead.value.len()), dead.value.len(), "hop {hop}");
        produce(&mut kafka, &dead.value).await;
    }
}

/// C11: nulls, repeated names, no reason, log append time. What the case wants in headers stands in the envelope, and an
/// empty reason is no bytes there.
#[tokio::test]
async fn provenance_and_nulls_are_kept() {
    let broker = TestBroker::with(&["headwater.dlq.attempts.max=1"]).await;
    let mut native = NativeClient::open(&broker).await;
    let mut kafka = broker.client().await;
    let place = kafka.create_topic_with("t", 1, &[("message.timestamp.type", "LogAppendTime")]).await;
    let mut builder = BatchBuilder::new();
    let headers: [(&[u8], Option<&[u8]>); 3] = [(b"a", None), (b"a", Some(b"")), (b"a", Some(b"1"))];
    builder.push(1, None, Some(b"null key"), &headers).unwrap();
    builder.push(2, Some(b""), None, &[]).unwrap();
    let produced = kafka.produce(9, &place, builder.build().unwrap().to_bytes()).await;
    let appended_at = produced.log_append_time_ms;
    assert!(appended_at > 0);
    native.fetch("t", "g", 10).await;
    native.kill("t", 1, 0, "").await;
    native.kill("t", 1, 1, "").await;
    let dlq = Place::new(&kafka.create_topic("t.dlq").await, 0);
    let data = kafka.fetch(12, &dlq, 0).await;
    assert_eq!(values_of_raw(&data).len(), 2);
    let (first, second) = (&values_of_raw(&data)[0], &values_of_raw(&data)[1]);
    assert_eq!(first.0, None);
    let expected = [("a", None), ("a", Some(&b""[..])), ("a", Some(b"1"))];
    let expected: Vec<_> =
        expected.iter().map(|(name, value)| (name.as_bytes().to_vec(), value.map(<[u8]>::to_vec))).collect();
    assert_eq!(first.2, expected);
    assert_eq!((second.0.as_deref(), &second.2[..]), (Some(&b""[..]), &[][..]), "an empty key is not null");
    for (at, (_, value, _)) in [first, second].into_iter().enumerate() {
        let letter = envelope(&Bytes::from(value.clone()));
        assert_eq!((letter.offset.get(), letter.timestamp), (at as i64, appended_at));
        assert!(letter.reason.is_empty());
    }
    assert_eq!(envelope(&Bytes::from(second.1.clone())).value.len(), 0);
}

type Raw = (Option<Vec<u8>>, Vec<u8>, Vec<(Vec<u8>, Option<Vec<u8>>)>);

fn values_of_raw(data: &headwater_codec::messages::fetch::PartitionData) -> Vec<Raw> {
    let mut raw = Vec::new();
    for batch in headwater_records::Batches::new(crate::harness::bytes_of(data)) {
        for record in &batch.unwrap().records(1 << 20).unwrap() {
            let record = record.unwrap();
            let headers = record.headers.map(|(name, value)| (name.to_vec(), value.map(<[u8]>::to_vec)));
            raw.push((record.key.map(<[u8]>::to_vec), record.value.unwrap().to_vec(), headers.collect()));
        }
    }
    raw
}

#[tokio::test]
async fn a_dead_letter_that_fails_stays_where_it_is() {
    let broker = TestBroker::with(&["headwater.dlq.attempts.max=1"]).await;
    let mut client = NativeClient::open(&broker).await;
    client.create_topic("t", 1).await;
    client.produce("t", &record("k", "v")).await;
    client.fetch("t", "g", 10).await;
    client.kill("t", 1, 0, "").await;
    let mut ops = NativeClient::open(&broker).await;
    assert_eq!(ops.fetch("t.dlq", "ops", 10).await.len(), 1);
    assert_eq!(ops.nacked("t.dlq", 1, 0, "still").await, ack(true, 1, "t.dlq"));
    assert!(ops.fetch("t.dlq", "ops", 10).await.is_empty(), "the group goes on");
    let mut later = NativeClient::open(&broker).await;
    assert_eq!(later.fetch("t.dlq", "others", 10).await.len(), 1, "it is still there, once");
}

#[tokio::test]
async fn a_record_that_fits_no_dead_letter_topic_is_passed_over_and_its_neighbours_are_not() {
    let broker = TestBroker::with(&["headwater.dlq.attempts.max=1"]).await;
    let mut native = NativeClient::open(&broker).await;
    let mut kafka = broker.client().await;
    native.create_topic("t", 1).await;
    kafka.create_topic_with("t.dlq", 1, &[("max.message.bytes", "400")]).await;
    // Values that do not pack well.
    let noise: String =
        (0..3000_u32).map(|n| char::from(b'!' + (n.wrapping_mul(2_654_435_761) >> 26) as u8)).collect();
    native.produce("t", &record("k", &noise)).await;
    native.produce("t", &record("k", "small")).await;
    native.fetch("t", "g", 10).await;
    assert_eq!(native.nacked("t", 1, 0, "boom").await, ack(true, 1, ""), "no topic has it");
    assert_eq!(native.nacked("t", 1, 1, "boom").await, ack(true, 1, "t.dlq"), "its neighbour is not lost");
    let dlq = Place::new(&kafka.create_topic("t.dlq").await, 0);
    assert_eq!(kafka.log_end(&dlq).await, 1);
    let mut reader = NativeClient::open(&broker).await;
    assert_eq!(values(&reader.fetch("t", "others", 10).await)[0], noise, "it is still in its topic");
}

#[tokio::test]
async fn a_letter_wraps_when_the_dead_letter_topic_has_fewer_partitions() {
    let broker = TestBroker::with(&["headwater.dlq.attempts.max=1"]).await;
    let mut native = NativeClient::open(&broker).await;
    let mut kafka = broker.client().await;
    native.create_topic("t", 4).await;
    native.create_topic("t.dlq", 2).await;
    let acked = native.produce("t", &record("key-1", "v")).await;
    assert_eq!(acked.partition.get(), 3);
    native.fetch("t", "g", 10).await;
    native.kill("t", 3, 0, "").await;
    let dlq = Place::new(&kafka.create_topic("t.dlq").await, 0);
    assert_eq!(kafka.log_end(&dlq).await, 1, "((3 - 1) mod 2) + 1 is 1");
    assert!(values_of(&kafka.fetch(12, &Place { partition: 1, ..dlq }, 0).await).is_empty());
}

#[tokio::test]
async fn a_dead_letter_leaves_an_earlier_record_its_next_delivery() {
    let broker = TestBroker::start().await;
    let mut client = NativeClient::open(&broker).await;
    client.create_topic("t", 1).await;
    for n in 0..10 {
        client.produce("t", &record("k", &n.to_string())).await;
    }
    assert_eq!(client.fetch("t", "g", 10).await.len(), 10);
    client.nacked("t", 1, 5, "").await;
    client.nacked("t", 1, 5, "").await;
    assert_eq!(client.nacked("t", 1, 3, "").await, ack(false, 1, ""));
    assert_eq!(client.nacked("t", 1, 5, "").await, ack(true, 3, "t.dlq"));
    let mut other = NativeClient::open(&broker).await;
    let rest = ["3", "4", "5", "6", "7", "8", "9"];
    assert_eq!(values(&other.fetch("t", "g", 10).await), rest, "the group is at the record that waits");
    assert_eq!(values(&client.fetch("t", "g", 10).await), rest, "the connection is there, too");
    // It was delivered, so it holds up no other.
    client.kill("t", 1, 7, "").await;
    assert_eq!(values(&client.fetch("t", "g", 10).await), ["8", "9"]);
}

const RAISED: [(&str, &str); 4] = [
    ("headwater.record.format", "native"),
    ("headwater.headers.count.max", "1000"),
    ("headwater.headers.bytes.max", "200000"),
    ("headwater.header.name.bytes.max", "400"),
];

/// A record that only a topic with raised limits of headers takes.
fn many_headers() -> headwater_native::messages::RecordToProduce {
    let (name, value) = ("n".repeat(300), "v".repeat(100));
    with_headers("k", "v", &vec![(name.as_str(), value.as_str()); 300])
}

#[tokio::test]
async fn a_dead_letter_topic_takes_the_headers_that_its_source_takes() {
    let broker = TestBroker::with(&["headwater.dlq.attempts.max=1"]).await;
    let mut native = NativeClient::open(&broker).await;
    broker.client().await.create_topic_with("t", 1, &RAISED).await;
    native.produce("t", &many_headers()).await;
    let source = native.fetch("t", "g", 10).await;
    assert_eq!(native.nacked("t", 1, 0, "").await, ack(true, 1, "t.dlq"));
    let dead = NativeClient::open(&broker).await.fetch("t.dlq", "ops", 10).await;
    assert_eq!(headers_of(&dead[0]).len(), 300);
    assert_eq!(headers_of(&dead[0]), headers_of(&source[0]));
}

#[tokio::test]
async fn a_letter_that_its_topic_refuses_is_passed_over() {
    let broker = TestBroker::with(&["headwater.dlq.attempts.max=1"]).await;
    let mut native = NativeClient::open(&broker).await;
    let mut kafka = broker.client().await;
    kafka.create_topic_with("t", 1, &RAISED).await;
    let dlq = kafka.create_topic_with("t.dlq", 1, &RAISED[..1]).await;
    native.produce("t", &many_headers()).await;
    native.produce("t", &record("k", "small")).await;
    native.fetch("t", "g", 10).await;
    assert_eq!(native.nacked("t", 1, 0, "").await, ack(true, 1, ""), "no topic has it");
    assert_eq!(native.nacked("t", 1, 1, "").await, ack(true, 1, "t.dlq"), "its neighbour is not lost");
    assert_eq!(kafka.log_end(&dlq).await, 1);
    assert!(native.fetch("t", "g", 10).await.is_empty(), "the group goes on");
}

/// C41: names that differ in `.` and `_` alone are one name to metrics, however a topic comes into being.
#[tokio::test]
async fn no_dead_letter_topic_collides_with_another_name() {
    let broker = TestBroker::with(&["headwater.dlq.attempts.max=1"]).await;
    let mut client = NativeClient::open(&broker).await;
    client.create_topic("a.b_dlq", 1).await;
    client.create_topic("a.b", 1).await;
    client.produce("a.b", &record("k", "v")).await;
    client.fetch("a.b", "g", 10).await;
    assert_eq!(client.nacked("a.b", 1, 0, "").await, ack(true, 1, ""), "no topic has it");
    let created = client.refused(&fetch("a.b.dlq", "ops", 1, FetchFlags::BATCHED)).await;
    assert_eq!(created.code, ErrorCode::TOPIC_MISSING);
    assert!(client.fetch("a.b", "g", 10).await.is_empty(), "the group goes on");
}

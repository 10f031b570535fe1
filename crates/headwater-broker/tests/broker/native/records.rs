//! Records: produced here and fetched here, and through Kafka's door, with their headers.

use bytes::{BufMut, Bytes, BytesMut};
use headwater_codec::ErrorCode as KafkaCode;
use headwater_native::{
    ErrorCode, Opcode, Reply,
    messages::{Commit, DeleteTopic, ProduceBatch, RecordToProduce, Subscribe},
};
use headwater_records::{BatchBuilder, Batches, Compression, native::ValueCodec};

use super::{BAD_FRAME, FetchFlags, NativeClient, at, fetch, headers_of, record, values, with_headers};
use crate::harness::{Place, TestBroker, bytes_of, hex, now_ms};

fn batch(topic: &str, codec: ValueCodec, records: Vec<RecordToProduce>) -> ProduceBatch {
    ProduceBatch { codec, topic: topic.into(), producer: None, records }
}

#[tokio::test]
async fn keys_choose_partitions_as_the_original_does() {
    let broker = TestBroker::start().await;
    let mut client = NativeClient::open(&broker).await;
    client.create_topic("orders", 4).await;
    assert_eq!(client.produce("orders", &record("k1", "v")).await, at(2, 0));
    assert_eq!(client.produce("orders", &record("key-1", "v")).await, at(3, 0));
    assert_eq!(client.produce("orders", &record("k1", "w")).await, at(2, 1));
}

#[tokio::test]
async fn headers_go_both_ways_between_the_doors_whatever_the_format() {
    for format in ["native", "kafka"] {
        let broker = TestBroker::with(&[&format!("headwater.native.topic.format={format}")]).await;
        headers_go_both_ways(&broker).await;
    }
}

async fn headers_go_both_ways(broker: &TestBroker) {
    let mut native = NativeClient::open(broker).await;
    let mut kafka = broker.client().await;
    native.create_topic("t", 1).await;
    let headers = [("retry", "1"), ("retry", "2"), ("empty", "")];
    native.produce("t", &with_headers("k", "v", &headers)).await;
    native.produce("t", &record("", "")).await;
    let place = Place { partition: 0, ..place(&mut kafka, "t").await };
    let data = kafka.fetch(12, &place, 0).await;
    let mut seen = Vec::new();
    for batch in Batches::new(bytes_of(&data)) {
        for record in &batch.unwrap().records(1 << 20).unwrap() {
            let record = record.unwrap();
            let headers: Vec<_> =
                record.headers.map(|(name, value)| (name.to_vec(), value.map(<[u8]>::to_vec))).collect();
            seen.push((record.key.map(<[u8]>::to_vec), record.value.map(<[u8]>::to_vec), headers));
        }
    }
    let named = |name: &str, value: Option<&[u8]>| (name.as_bytes().to_vec(), value.map(<[u8]>::to_vec));
    let expected = vec![named("retry", Some(b"1")), named("retry", Some(b"2")), named("empty", None)];
    assert_eq!(seen[0], (Some(b"k".to_vec()), Some(b"v".to_vec()), expected));
    assert_eq!(seen[1], (None, None, Vec::new()), "no bytes are null");

    let mut builder = BatchBuilder::new().compression(Compression::Lz4);
    let headers: [(&[u8], Option<&[u8]>); 3] = [(b"a", Some(b"1")), (b"\xff", None), (b"a", Some(b""))];
    builder.push(now_ms(), None, Some(b"from kafka"), &headers).unwrap();
    let produced = kafka.produce(9, &place, builder.build().unwrap().to_bytes()).await;
    assert_eq!(produced.error_code, KafkaCode::None);
    let records = native.fetch("t", "g", 10).await;
    assert_eq!(values(&records), ["v", "", "from kafka"]);
    assert_eq!(headers_of(&records[0]), [("retry", "1"), ("retry", "2"), ("empty", "")].map(owned));
    let third: Vec<_> = records[2].headers.iter().collect();
    assert_eq!(third, [(&b"a"[..], &b"1"[..]), (b"\xff", b""), (b"a", b"")]);
}

fn owned((name, value): (&str, &str)) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

async fn place(kafka: &mut crate::harness::Client, topic: &str) -> Place {
    Place::new(&kafka.create_topic(topic).await, 0)
}

/// A reader of the layout before headers, written from that layout alone.
fn old_record(mut payload: &[u8]) -> (String, u32, u64, Vec<u8>, Vec<u8>, usize) {
    fn take<'a>(payload: &mut &'a [u8], count: usize) -> &'a [u8] {
        let (taken, rest) = payload.split_at(count);
        *payload = rest;
        taken
    }
    fn int(payload: &mut &[u8]) -> u32 {
        u32::from_be_bytes(take(payload, 4).try_into().unwrap())
    }
    fn long(payload: &mut &[u8]) -> u64 {
        u64::from_be_bytes(take(payload, 8).try_into().unwrap())
    }
    let payload = &mut payload;
    let length = int(payload) as usize;
    let topic = String::from_utf8(take(payload, length).to_vec()).unwrap();
    let (partition, offset, _timestamp) = (int(payload), long(payload), long(payload));
    let length = int(payload) as usize;
    let key = take(payload, length).to_vec();
    let length = int(payload) as usize;
    let value = take(payload, length).to_vec();
    (topic, partition, offset, key, value, payload.len())
}

#[tokio::test]
async fn whoever_does_not_ask_for_headers_gets_the_old_layout() {
    let broker = TestBroker::start().await;
    let mut client = NativeClient::open(&broker).await;
    client.create_topic("orders", 1).await;
    client.produce("orders", &with_headers("k1", "v1", &[("trace", "abc")])).await;
    // FETCH orders g 10 without isolation and without flags, as the first clients sent it.
    let mut frame = BytesMut::from(&hex("00000024 04 07070707070707070707070707070707 00000006")[..]);
    frame.put_slice(b"orders");
    frame.put_slice(&hex("00000001 67 0000000a"));
    client.send_raw(&frame).await;
    let frame = client.frame().await.unwrap();
    assert_eq!(frame.opcode, Opcode::Record.code());
    let old = old_record(&frame.payload);
    assert_eq!(old, ("orders".to_owned(), 1, 0, b"k1".to_vec(), b"v1".to_vec(), 0), "not a byte more");
    assert_eq!(client.frame().await.unwrap().opcode, Opcode::Ok.code());
}

#[tokio::test]
async fn a_batch_is_acknowledged_record_by_record_with_every_codec() {
    let broker = TestBroker::start().await;
    let mut client = NativeClient::open(&broker).await;
    for (codec, name) in
        [(ValueCodec::None, "n"), (ValueCodec::Gzip, "g"), (ValueCodec::Snappy, "s"), (ValueCodec::Zstd, "z")]
    {
        client.create_topic(name, 4).await;
        let records =
            vec![record("k1", "a"), record("key-1", "b"), record("same-key", "c"), record("k1", "d")];
        let Reply::ProduceBatchAck(ack) = client.call(&batch(name, codec, records)).await else {
            panic!("{name}")
        };
        assert_eq!(ack.code, ErrorCode::NONE);
        assert_eq!(ack.acks, [at(2, 0), at(3, 0), at(2, 1), at(2, 2)]);
        let mut fetched = NativeClient::open(&broker).await.fetch(name, "g", 100).await;
        fetched.sort_by_key(|record| (record.partition, record.offset));
        assert_eq!(values(&fetched), ["a", "c", "d", "b"], "{name}");
    }
}

#[tokio::test]
async fn a_batch_stops_at_the_first_record_that_is_refused() {
    let broker = TestBroker::start().await;
    let mut client = NativeClient::open(&broker).await;
    client.create_topic("t", 1).await;
    let long_name = "n".repeat(256);
    let records = vec![record("k", "a"), with_headers("k", "b", &[(&long_name, "v")]), record("k", "c")];
    let Reply::ProduceBatchAck(ack) = client.call(&batch("t", ValueCodec::None, records)).await else {
        panic!()
    };
    assert_eq!((ack.code, &ack.acks[..]), (BAD_FRAME, &[at(1, 0)][..]));
    assert_eq!(values(&client.fetch("t", "g", 10).await), ["a"], "nothing behind it was appended");
}

#[tokio::test]
async fn header_limits_hold_for_single_records() {
    let broker = TestBroker::start().await;
    let mut client = NativeClient::open(&broker).await;
    client.create_topic("t", 1).await;
    let many: Vec<(&str, &str)> = vec![("n", ""); 257];
    for refused in [with_headers("k", "v", &many), with_headers("k", "v", &[("", "v")])] {
        let request = batch("t", ValueCodec::None, vec![refused]);
        assert_eq!(client.refused(&request).await.code, BAD_FRAME);
    }
    assert!(client.fetch("t", "g", 10).await.is_empty());
}

#[tokio::test]
async fn topics_that_do_not_exist_or_are_the_brokers_take_nothing() {
    let broker = TestBroker::start().await;
    let mut client = NativeClient::open(&broker).await;
    client.create_topic("t", 1).await;
    client.produce("t", &record("k", "v")).await;
    client.fetch("t", "g", 1).await;
    for (topic, code) in
        [("none", ErrorCode::TOPIC_MISSING), ("__consumer_offsets", ErrorCode::TOPIC_FORBIDDEN)]
    {
        let request = batch(topic, ValueCodec::None, vec![record("k", "v")]);
        assert_eq!(client.refused(&request).await.code, code, "{topic}");
    }
}

#[tokio::test]
async fn produced_records_are_answered_in_order_however_many_are_under_way() {
    let broker = TestBroker::start().await;
    let mut client = NativeClient::open(&broker).await;
    client.create_topic("t", 1).await;
    let mut sent = Vec::new();
    for number in 0..100 {
        let record = record("k", &number.to_string());
        sent.push(client.send(&batch("t", ValueCodec::None, vec![record])).await);
    }
    for (id, offset) in sent.into_iter().zip(0..) {
        let (answered, reply) = client.receive().await;
        let Reply::ProduceBatchAck(ack) = reply else { panic!("{reply:?}") };
        assert_eq!((answered, &ack.acks[..]), (id, &[at(1, offset)][..]));
    }
}

#[tokio::test]
async fn each_partition_gives_its_share_and_nothing_twice() {
    let broker = TestBroker::start().await;
    let mut client = NativeClient::open(&broker).await;
    client.create_topic("t", 4).await;
    // Keys of every partition, ten records each.
    let keys: Vec<String> = (0..200).map(|number| number.to_string()).collect();
    for partition in 0..4 {
        let of = |key: &&String| headwater_native::fnv1a(key.as_bytes()) % 4 == partition;
        let records = keys.iter().filter(of).take(10).map(|key| record(key, "v")).collect();
        client.call(&batch("t", ValueCodec::None, records)).await;
    }
    let mut seen = std::collections::BTreeSet::new();
    let first = client.fetch("t", "g", 12).await;
    for partition in 1..=4 {
        assert_eq!(first.iter().filter(|record| record.partition.get() == partition).count(), 3);
    }
    seen.extend(first.iter().map(|record| (record.partition, record.offset)));
    while seen.len() < 40 {
        let more = client.fetch("t", "g", 12).await;
        assert!(!more.is_empty(), "only {} of 40", seen.len());
        for record in more {
            assert!(seen.insert((record.partition, record.offset)), "{record:?} came twice");
        }
    }
    assert!(client.fetch("t", "g", 12).await.is_empty());
    assert!(client.fetch("t", "g", 0).await.is_empty());
}

#[tokio::test]
async fn a_fetch_covers_every_topic_that_the_connection_named() {
    let broker = TestBroker::start().await;
    let mut client = NativeClient::open(&broker).await;
    client.create_topic("a", 1).await;
    client.create_topic("b", 1).await;
    assert!(client.fetch("a", "g", 10).await.is_empty());
    client.produce("a", &record("k", "1")).await;
    client.produce("b", &record("k", "2")).await;
    let mut records = client.fetch("b", "g", 10).await;
    records.sort_by_key(|record| record.topic.as_str().to_owned());
    assert_eq!(values(&records), ["1", "2"]);
}

#[tokio::test]
async fn a_group_goes_on_where_it_was_and_a_commit_sets_it_back() {
    let broker = TestBroker::start().await;
    let mut client = NativeClient::open(&broker).await;
    client.create_topic("t", 1).await;
    for value in ["a", "b", "c"] {
        client.produce("t", &record("k", value)).await;
    }
    assert_eq!(values(&client.fetch("t", "g", 2).await), ["a", "b"]);
    let mut other = NativeClient::open(&broker).await;
    assert_eq!(values(&other.fetch("t", "g", 2).await), ["c"]);
    let commit = Commit { topic: "t".into(), partition: at(1, 1).partition, offset: at(1, 1).offset };
    other.done(&commit).await;
    assert_eq!(values(&other.fetch("t", "g", 5).await), ["b", "c"]);
    let far = Commit { topic: "t".into(), partition: at(1, 99).partition, offset: at(1, 99).offset };
    other.done(&far).await;
    assert!(other.fetch("t", "g", 5).await.is_empty());
    client.produce("t", &record("k", "d")).await;
    assert_eq!(values(&other.fetch("t", "g", 5).await), ["d"], "beyond the end it goes on at the end");
    let wrong = Commit { topic: "t".into(), partition: at(2, 0).partition, offset: at(2, 0).offset };
    assert_eq!(other.refused(&wrong).await.code, ErrorCode::TOPIC_MISSING);
}

#[tokio::test]
async fn records_are_pushed_with_the_zero_id_and_committed() {
    let broker = TestBroker::start().await;
    let mut producer = NativeClient::open(&broker).await;
    producer.create_topic("t", 2).await;
    producer.produce("t", &record("k1", "before")).await;
    let mut client = NativeClient::open(&broker).await;
    let subscribe = Subscribe {
        topic: "t".into(),
        group: "g".into(),
        flags: FetchFlags::HEADERS,
        ..Subscribe::default()
    };
    client.done(&subscribe).await;
    let pushed = async |client: &mut NativeClient| match client.receive().await {
        (id, Reply::Record(record)) => (id == headwater_native::CorrelationId::ZERO, record),
        other => panic!("not pushed: {other:?}"),
    };
    let (zero, first) = pushed(&mut client).await;
    assert!(zero);
    assert_eq!(values(&[first]), ["before"]);
    for number in 0..300 {
        producer.produce("t", &with_headers(&number.to_string(), "v", &[("n", &number.to_string())])).await;
    }
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..300 {
        let (_, record) = pushed(&mut client).await;
        assert_eq!(headers_of(&record)[0].1.as_bytes(), &record.key[..]);
        assert!(seen.insert(record.key.clone()));
    }
    // What was pushed is committed once it has reached the socket.
    let mut kafka = broker.client().await;
    let committed =
        async |kafka: &mut crate::harness::Client| super::groups::committed(kafka, "g", "t").await;
    let deadline = tokio::time::Instant::now() + crate::harness::PATIENCE;
    while committed(&mut kafka).await.iter().sum::<i64>() < 301 {
        assert!(tokio::time::Instant::now() < deadline, "what was pushed is never committed");
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_record_that_fits_no_frame_is_told_and_can_be_passed_over() {
    let broker = TestBroker::with(&["message.max.bytes=40000000"]).await;
    let mut native = NativeClient::open(&broker).await;
    let mut kafka = broker.client().await;
    native.create_topic("t", 1).await;
    let place = place(&mut kafka, "t").await;
    for value in [vec![b'x'; 17 << 20], b"small".to_vec()] {
        let mut builder = BatchBuilder::new();
        builder.push(now_ms(), None, Some(&value), &[]).unwrap();
        let produced = kafka.produce(9, &place, builder.build().unwrap().to_bytes()).await;
        assert_eq!(produced.error_code, KafkaCode::None);
    }
    let refused = native.refused(&fetch("t", "g", 10, FetchFlags::BATCHED)).await;
    assert_eq!(refused.code, ErrorCode::FRAME_TOO_LARGE);
    assert!(refused.message.contains("offset 0"), "{}", refused.message);
    native.done(&Commit { topic: "t".into(), partition: at(1, 1).partition, offset: at(1, 1).offset }).await;
    assert_eq!(values(&native.fetch("t", "g", 10).await), ["small"]);
}

/// Makes a topic of one partition with values of these sizes.
async fn of_sizes(broker: &TestBroker, native: &mut NativeClient, topic: &str, sizes: &[usize]) {
    let mut kafka = broker.client().await;
    native.create_topic(topic, 1).await;
    let place = place(&mut kafka, topic).await;
    for size in sizes {
        let mut builder = BatchBuilder::new();
        builder.push(now_ms(), None, Some(&vec![b'x'; *size]), &[]).unwrap();
        let produced = kafka.produce(9, &place, builder.build().unwrap().to_bytes()).await;
        assert_eq!(produced.error_code, KafkaCode::None);
    }
}

#[tokio::test]
async fn fetches_wait_for_a_client_that_has_not_read_what_it_was_sent() {
    let broker = TestBroker::with(&["message.max.bytes=9000000"]).await;
    let mut native = NativeClient::open(&broker).await;
    of_sizes(&broker, &mut native, "t", &[6 << 20; 6]).await;
    let fetch = fetch("t", "g", 10, FetchFlags::BATCHED | FetchFlags::HEADERS);
    let mut sent = Vec::new();
    for _ in 0..6 {
        sent.push(native.send(&fetch).await);
    }
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    let mut offsets = Vec::new();
    for expected in sent {
        loop {
            let (id, reply) = native.receive().await;
            assert_eq!(id, expected);
            match reply {
                Reply::RecordBatch(batch) => {
                    offsets.extend(batch.records.iter().map(|record| record.offset.get()));
                }
                Reply::Done(_) => break,
                other => panic!("not fetched: {other:?}"),
            }
        }
    }
    assert_eq!(offsets, [0, 1, 2, 3, 4, 5]);
}

#[tokio::test]
async fn a_record_as_large_as_a_fetch_may_give_is_pushed_too() {
    let broker = TestBroker::with(&["message.max.bytes=16000000"]).await;
    let mut native = NativeClient::open(&broker).await;
    of_sizes(&broker, &mut native, "t", &[1, 6 << 20, 15 << 20, 2]).await;
    let subscribe = Subscribe {
        topic: "t".into(),
        group: "g".into(),
        flags: FetchFlags::HEADERS,
        ..Subscribe::default()
    };
    native.done(&subscribe).await;
    for size in [1, 6 << 20, 15 << 20, 2] {
        match native.receive().await.1 {
            Reply::Record(record) => assert_eq!(record.value.len(), size),
            other => panic!("not pushed: {other:?}"),
        }
    }
}

/// A broker whose topic `ill` cannot be read, and `well` with five records.
async fn with_an_ill_topic() -> TestBroker {
    let mut broker = TestBroker::start().await;
    let mut native = NativeClient::open(&broker).await;
    for topic in ["ill", "well"] {
        native.create_topic(topic, 1).await;
        for value in ["a", "b", "c", "d", "e"] {
            native.produce(topic, &record("k", value)).await;
        }
    }
    broker.stop().await;
    let log = broker.dir().join("data-native/ill-0/00000000000000000000.log");
    let mut bytes = std::fs::read(&log).unwrap();
    bytes[30] ^= 0xff;
    std::fs::write(&log, bytes).unwrap();
    broker.crash().await;
    broker
}

#[tokio::test]
async fn a_partition_that_cannot_be_read_takes_no_record_of_another_with_it() {
    let broker = with_an_ill_topic().await;
    let mut client = NativeClient::open(&broker).await;
    let ill = client.refused(&fetch("ill", "g", 10, FetchFlags::BATCHED)).await;
    assert_ne!(ill.code, ErrorCode::TOPIC_MISSING, "{}", ill.message);
    assert_eq!(values(&client.fetch("well", "g", 100).await), ["a", "b", "c", "d", "e"]);
    let again = client.refused(&fetch("well", "g", 10, FetchFlags::BATCHED)).await;
    assert_eq!(again.code, ill.code, "told when nothing else is there");
    client.produce("well", &record("k", "f")).await;
    assert_eq!(values(&client.fetch("well", "g", 100).await), ["f"]);
    client.done(&DeleteTopic { name: "ill".into() }).await;
    assert!(client.fetch("well", "g", 100).await.is_empty());
}

#[tokio::test]
async fn a_fetch_begins_at_the_first_partition() {
    let broker = TestBroker::start().await;
    let mut client = NativeClient::open(&broker).await;
    client.create_topic("t", 4).await;
    let records = vec![record("k1", "third"), record("key-1", "fourth"), record("1", "first")];
    client.call(&batch("t", ValueCodec::None, records)).await;
    let partitions: Vec<u32> =
        client.fetch("t", "g", 100).await.iter().map(|record| record.partition.get()).collect();
    assert!(partitions.len() == 3 && partitions.is_sorted(), "{partitions:?}");
}

#[tokio::test]
async fn a_fetch_ends_before_its_answer_is_too_large() {
    let broker = TestBroker::with(&["message.max.bytes=9000000"]).await;
    let mut native = NativeClient::open(&broker).await;
    let mut kafka = broker.client().await;
    native.create_topic("t", 1).await;
    let place = place(&mut kafka, "t").await;
    for _ in 0..5 {
        let mut builder = BatchBuilder::new();
        builder.push(now_ms(), None, Some(&vec![b'x'; 5 << 20]), &[]).unwrap();
        kafka.produce(9, &place, builder.build().unwrap().to_bytes()).await;
    }
    let mut offsets = Vec::new();
    while offsets.len() < 5 {
        let records = native.fetch("t", "g", 10).await;
        assert!((1..=3).contains(&records.len()), "{}", records.len());
        offsets.extend(records.iter().map(|record| record.offset.get()));
    }
    assert_eq!(offsets, [0, 1, 2, 3, 4]);
}

#[tokio::test]
async fn values_leave_room_for_an_envelope() {
    let broker = TestBroker::start().await;
    let mut client = NativeClient::open(&broker).await;
    client.create_topic("t", 1).await;
    let value = Bytes::from(vec![b'x'; 65_536]);
    let request = batch("t", ValueCodec::None, vec![RecordToProduce { value, ..RecordToProduce::default() }]);
    assert_eq!(client.refused(&request).await.code, ErrorCode::BATCH_TOO_LARGE);
}

use headwater_client::{
    ConnectOptions, ErrorCode, FetchOptions, Headers, Offset, PartitionId, ProducerKind, RecordToProduce,
    ValueCodec,
};

use crate::served::{Served, drain};

fn traced(key: &'static str, value: impl Into<bytes::Bytes>) -> RecordToProduce {
    let headers = [("z", "1"), ("a", ""), ("z", "2")];
    RecordToProduce::new(key, value).with_headers(headers).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn headers_come_back_by_fetch_and_by_push() {
    let broker = Served::start().await;
    let codecs = [ValueCodec::None, ValueCodec::Gzip, ValueCodec::Snappy, ValueCodec::Zstd];
    let client = broker.client().await;
    client.create_topic("orders", 1).await.unwrap();
    for codec in codecs {
        let producer = broker.connect(ConnectOptions { codec, ..ConnectOptions::default() }).await.unwrap();
        producer.produce("orders", traced("k", "single")).await.unwrap();
        let batch = vec![traced("k", "first"), RecordToProduce::new("", "plain")];
        producer.produce_batch("orders", batch).await.unwrap().all().unwrap();
    }
    let expected: Vec<(&[u8], &[u8], Headers)> = [("k", "single"), ("k", "first"), ("", "plain")]
        .into_iter()
        .map(|(key, value)| {
            let headers = if key.is_empty() { Headers::default() } else { traced("", "").headers };
            (key.as_bytes(), value.as_bytes(), headers)
        })
        .collect();
    let expected: Vec<_> = codecs.iter().flat_map(|_| expected.clone()).collect();

    let fetched = drain(&client, "orders", "fetching").await;
    let seen: Vec<_> = fetched.iter().map(|r| (&r.key[..], &r.value[..], r.headers.clone())).collect();
    assert_eq!(seen, expected);

    let pushed = broker.client().await;
    pushed.subscribe("orders", "pushed").await.unwrap();
    for record in &fetched {
        assert_eq!(pushed.next_record().await.unwrap(), *record);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_named_producer_goes_on_after_a_restart_and_loses_nothing() {
    let mut broker = Served::start().await;
    let named =
        || ConnectOptions { producer: ProducerKind::Named("till".to_owned()), ..ConnectOptions::default() };
    let producer = broker.connect(named()).await.unwrap();
    let (id, epoch) = producer.producer_id().await.unwrap();
    producer.create_topic("sales", 3).await.unwrap();
    let records =
        |from: usize| (from..from + 2500).map(|n| RecordToProduce::new(n.to_string(), n.to_string()));
    let produced = producer.produce_batch("sales", records(0).collect()).await.unwrap().all().unwrap();
    assert_eq!(produced.len(), 2500);
    assert_eq!(produced[2499].sequence, Some(2499));
    let old = RecordToProduce::new("", "old");
    let refused = producer.produce_at_sequence("sales", old, 2498).await.unwrap_err();
    assert_eq!(refused.code(), Some(ErrorCode::OUT_OF_ORDER_SEQUENCE));

    broker.restart().await;
    assert!(producer.list_topics().await.is_err(), "the old connection is gone");
    let again = broker.connect(named()).await.unwrap();
    let (same_id, next_epoch) = again.producer_id().await.unwrap();
    assert_eq!((same_id, next_epoch), (id, epoch + 1));
    again.produce_batch("sales", records(2500).collect()).await.unwrap().all().unwrap();
    let newest = broker.connect(named()).await.unwrap();
    let fenced = again.produce("sales", RecordToProduce::new("", "late")).await.unwrap_err();
    assert_eq!(fenced.code(), Some(ErrorCode::PRODUCER_FENCED));
    newest.close().await;

    let mut seen: Vec<usize> = drain(&broker.client().await, "sales", "audit")
        .await
        .iter()
        .map(|record| std::str::from_utf8(&record.value).unwrap().parse().unwrap())
        .collect();
    seen.sort_unstable();
    assert_eq!(seen, (0..5000).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_are_answered_while_pushed_records_wait_to_be_taken() {
    let broker = Served::start().await;
    let client = broker.client().await;
    client.create_topic("events", 1).await.unwrap();
    let count = 200;
    let records = vec![RecordToProduce::new("", vec![7; 60_000]); count];
    client.produce_batch("events", records).await.unwrap().all().unwrap();
    client.subscribe("events", "slow").await.unwrap();
    // 12 MB are on their way, and nobody takes them.
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    assert_eq!(client.list_topics().await.unwrap(), ["events".into()]);
    for offset in 0..count {
        assert_eq!(client.next_record().await.unwrap().offset.get(), offset as i64);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn members_share_a_topic_and_a_refused_record_becomes_a_dead_letter() {
    let broker = Served::start().await;
    let (one, two) = (broker.client().await, broker.client().await);
    one.create_topic("work", 2).await.unwrap();
    one.join_group("team", ["work"], "a").await.unwrap();
    let second = two.join_group("team", ["work"], "b").await.unwrap();
    assert_eq!(second.assignment[0].partitions, [PartitionId::new(2)]);
    let first = one.join_group("team", ["work"], "a").await.unwrap();
    assert_eq!(first.assignment[0].partitions, [PartitionId::new(1)]);
    one.heartbeat(&first).await.unwrap();
    two.leave_group(&second).await.unwrap();
    let first = one.join_group("team", ["work"], "a").await.unwrap();
    assert_eq!(first.assignment[0].partitions, [PartitionId::new(1), PartitionId::new(2)]);

    let produced = one.produce("work", traced("k", "poison")).await.unwrap();
    let (partition, offset) = (produced.partition, produced.offset);
    for attempt in 1..=3 {
        let fetched = one.fetch("work", "team", FetchOptions::default()).await.unwrap();
        assert_eq!(fetched[0].offset, offset);
        let verdict = one.nack("work", partition, offset, "no").await.unwrap();
        assert_eq!((verdict.attempts, verdict.dead_lettered), (attempt, attempt == 3));
    }
    let undertaker = broker.client().await;
    let dead = drain(&undertaker, "work.dlq", "undertaker").await.remove(0);
    assert_eq!((&dead.key[..], &dead.headers), (&b"k"[..], &traced("", "").headers));
    let letter = headwater_client::DeadLetter::decode(dead.value).unwrap();
    assert_eq!((letter.offset, &letter.value[..], &letter.reason[..]), (offset, &b"poison"[..], &b"no"[..]));
    assert_eq!(letter.offset, Offset::ZERO);
}

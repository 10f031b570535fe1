//! Fetch: what is read, how much, and when it is told.

use std::time::{Duration, Instant};

use headwater_codec::{
    ErrorCode, Uuid,
    messages::{
        fetch::{FetchRequest, FetchResponse},
        offset_for_leader_epoch::{
            OffsetForLeaderEpochRequest, OffsetForLeaderPartition, OffsetForLeaderTopic,
        },
    },
};

use crate::harness::{Client, Place, TestBroker, batch, bytes_of, fetch_request, fetch_topic, values_of};

fn sizes(response: &FetchResponse) -> Vec<usize> {
    response.responses.iter().flat_map(|topic| &topic.partitions).map(|data| bytes_of(data).len()).collect()
}

/// C20. KIP-74.
#[tokio::test]
async fn first_batch_comes_whole_whatever_the_limits_are() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let topic = client.create_topic_with("t", 2, &[]).await;
    let places = [Place { partition: 0, ..topic.clone() }, Place { partition: 1, ..topic.clone() }];
    let value = "v".repeat(9000);
    let big = batch(&[value.as_str(); 100]);
    let small = batch(&["small"]);
    for place in &places {
        client.produce(9, place, big.clone()).await;
        client.produce(9, place, small.clone()).await;
    }
    let request = |order: &[usize], offset| FetchRequest {
        max_bytes: 100,
        topics: order.iter().map(|index| fetch_topic(&places[*index], offset, 100)).collect(),
        ..fetch_request(&[])
    };
    for version in [4, 12, 13, 18] {
        assert_eq!(sizes(&client.call(version, &request(&[0], 0)).await), [big.len()]);
        assert_eq!(sizes(&client.call(version, &request(&[0, 1], 0)).await), [big.len(), 0]);
        let answer = client.call(version, &request(&[1, 0], 0)).await;
        assert_eq!(sizes(&answer), [big.len(), 0], "the order of the request decides");
        let first = answer.responses[0].partitions[0].partition_index;
        assert_eq!(first, 1);
        assert_eq!(
            sizes(&client.call(version, &request(&[0], 50)).await),
            [big.len()],
            "from the middle of a batch"
        );
        assert_eq!(sizes(&client.call(version, &request(&[0], 100)).await), [small.len()]);
    }
    let roomy = FetchRequest {
        max_bytes: 10 << 20,
        topics: vec![fetch_topic(&places[0], 0, 100), fetch_topic(&places[1], 0, 100)],
        ..fetch_request(&[])
    };
    assert_eq!(sizes(&client.call(12, &roomy).await), [big.len(), 0], "the others keep to their own limit");
}

#[tokio::test]
async fn offsets_outside_the_log_are_out_of_range() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("t").await, 0);
    client.produce(9, &place, batch(&["a", "b"])).await;
    for version in [4, 11, 12, 18] {
        for outside in [3, -1, i64::MAX, i64::MIN] {
            let data = client.fetch(version, &place, outside).await;
            assert_eq!(
                (data.error_code, data.high_watermark),
                (ErrorCode::OffsetOutOfRange, -1),
                "{outside}"
            );
            assert_eq!(bytes_of(&data), b"", "never null");
        }
        let data = client.fetch(version, &place, 2).await;
        assert_eq!((data.error_code, bytes_of(&data).len(), data.high_watermark), (ErrorCode::None, 0, 2));
    }
}

#[tokio::test]
async fn places_that_are_not_there_are_told_apart() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("t").await, 0);
    let unknown = Place { topic: "u".into(), topic_id: Uuid::from_u128(4711), partition: 0 };
    let beyond = Place { partition: 7, ..place.clone() };
    assert_eq!(client.fetch(12, &unknown, 0).await.error_code, ErrorCode::UnknownTopicOrPartition);
    assert_eq!(client.fetch(13, &unknown, 0).await.error_code, ErrorCode::UnknownTopicId);
    for version in [4, 12, 13, 18] {
        assert_eq!(client.fetch(version, &beyond, 0).await.error_code, ErrorCode::UnknownTopicOrPartition);
    }
    let began = Instant::now();
    let waiting = FetchRequest { max_wait_ms: 60_000, ..fetch_request(&[(&place, 0), (&unknown, 0)]) };
    let answer = client.call(12, &waiting).await;
    assert_eq!(answer.responses.len(), 2);
    assert!(began.elapsed() < Duration::from_secs(10), "an error does not wait");
}

#[tokio::test]
async fn fetch_waits_for_bytes_and_for_no_longer_than_asked() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("t").await, 0);
    let began = Instant::now();
    let empty = client.call(12, &FetchRequest { max_wait_ms: 300, ..fetch_request(&[(&place, 0)]) }).await;
    assert!((Duration::from_millis(300)..Duration::from_secs(5)).contains(&began.elapsed()));
    assert_eq!(sizes(&empty), [0]);

    let mut waiting = Client::connect(broker.address()).await;
    let request = FetchRequest { max_wait_ms: 20_000, ..fetch_request(&[(&place, 0)]) };
    let id = waiting.send(12, &request).await;
    client.produce(9, &place, batch(&["a"])).await;
    let answer = waiting.receive::<FetchRequest>(12, id).await;
    assert_eq!(values_of(&answer.responses[0].partitions[0]), ["a"]);

    let size = batch(&["a"]).len();
    let both = FetchRequest { min_bytes: i32::try_from(2 * size).unwrap(), ..request };
    let id = waiting.send(12, &both).await;
    client.produce(9, &place, batch(&["b"])).await;
    let answer = waiting.receive::<FetchRequest>(12, id).await;
    assert_eq!(values_of(&answer.responses[0].partitions[0]), ["a", "b"]);
    assert!(began.elapsed() < Duration::from_secs(15));
}

#[tokio::test]
async fn fetch_of_many_partitions_wakes_for_any() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let topic = client.create_topic_with("t", 50, &[]).await;
    let places: Vec<_> = (0..50).map(|partition| Place { partition, ..topic.clone() }).collect();
    let all: Vec<_> = places.iter().map(|place| (place, 0)).collect();
    let mut waiting = Client::connect(broker.address()).await;
    let id = waiting.send(13, &FetchRequest { max_wait_ms: 20_000, ..fetch_request(&all) }).await;
    client.produce(9, &places[33], batch(&["a"])).await;
    let answer = waiting.receive::<FetchRequest>(13, id).await;
    let with_records: Vec<_> = answer
        .responses
        .iter()
        .flat_map(|topic| &topic.partitions)
        .filter(|data| !bytes_of(data).is_empty())
        .map(|data| data.partition_index)
        .collect();
    assert_eq!(with_records, [33]);
}

#[tokio::test]
async fn deleted_topic_ends_the_wait() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = client.create_topic_with("t", 1, &[]).await;
    let mut waiting = Client::connect(broker.address()).await;
    let began = Instant::now();
    let id = waiting.send(13, &FetchRequest { max_wait_ms: 60_000, ..fetch_request(&[(&place, 0)]) }).await;
    client.delete_topic(&place.topic).await;
    let answer = waiting.receive::<FetchRequest>(13, id).await;
    assert_eq!(answer.responses[0].partitions[0].error_code, ErrorCode::UnknownTopicId);
    assert!(began.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn read_committed_gets_a_list_of_aborted_transactions() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("t").await, 0);
    client.produce(9, &place, batch(&["a"])).await;
    let answer = client.call(12, &FetchRequest { isolation_level: 1, ..fetch_request(&[(&place, 0)]) }).await;
    let data = &answer.responses[0].partitions[0];
    assert_eq!((data.aborted_transactions.as_deref(), data.last_stable_offset), (Some(&[][..]), 1));
    assert_eq!(values_of(data), ["a"]);
}

/// KIP-320, KIP-595.
#[tokio::test]
async fn leader_epochs_are_compared_and_divergence_is_told() {
    let mut broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let old = client.create_topic("t").await;
    let place = Place::new(&old, 0);
    client.produce(9, &place, batch(&["a", "b"])).await;
    broker.restart().await;
    client = broker.client().await;
    let old_epoch = old.partitions[0].leader_epoch;
    let epoch = client.create_topic("t").await.partitions[0].leader_epoch;
    assert!(epoch > old_epoch);
    client.produce(9, &place, batch(&["c"])).await;
    let request = |current, last, offset| {
        let mut request = fetch_request(&[(&place, offset)]);
        request.topics[0].partitions[0].current_leader_epoch = current;
        request.topics[0].partitions[0].last_fetched_epoch = last;
        request
    };
    let mut answer = client.call(16, &request(old_epoch, -1, 0)).await;
    let data = answer.responses.remove(0).partitions.remove(0);
    assert_eq!(data.error_code, ErrorCode::FencedLeaderEpoch);
    let node = broker.broker().node_id();
    assert_eq!((data.current_leader.leader_id, data.current_leader.leader_epoch), (node, epoch), "KIP-951");
    assert_eq!((answer.node_endpoints.len(), answer.node_endpoints[0].node_id), (1, node));
    let code = |answer: FetchResponse| answer.responses[0].partitions[0].error_code;
    assert_eq!(code(client.call(12, &request(epoch + 1, -1, 0)).await), ErrorCode::UnknownLeaderEpoch);
    assert_eq!(code(client.call(9, &request(old_epoch, -1, 0)).await), ErrorCode::FencedLeaderEpoch);
    assert_eq!(code(client.call(12, &request(epoch, -1, 0)).await), ErrorCode::None);

    let diverging =
        client.call(12, &request(epoch, old_epoch, 3)).await.responses.remove(0).partitions.remove(0);
    assert_eq!((diverging.error_code, bytes_of(&diverging).len()), (ErrorCode::None, 0));
    assert_eq!((diverging.diverging_epoch.epoch, diverging.diverging_epoch.end_offset), (old_epoch, 2));
    let sound = client.call(12, &request(epoch, old_epoch, 2)).await.responses.remove(0).partitions.remove(0);
    assert_eq!((sound.diverging_epoch.end_offset, values_of(&sound)), (-1, vec!["c".to_owned()]));

    let ends = OffsetForLeaderEpochRequest {
        replica_id: headwater_codec::BrokerId::NONE,
        topics: vec![OffsetForLeaderTopic {
            topic: place.topic.clone(),
            partitions: [
                (old_epoch, -1),
                (epoch, epoch),
                (epoch + 1, -1),
                (-1, -1),
                (epoch, epoch + 1),
                (epoch, old_epoch),
            ]
            .map(|(leader_epoch, current_leader_epoch)| OffsetForLeaderPartition {
                partition: 0,
                leader_epoch,
                current_leader_epoch,
                ..Default::default()
            })
            .to_vec(),
            ..Default::default()
        }],
        ..Default::default()
    };
    for version in 2..=4 {
        let answer = client.call(version, &ends).await;
        let ends: Vec<_> = answer.topics[0]
            .partitions
            .iter()
            .map(|end| (end.error_code, end.leader_epoch, end.end_offset))
            .collect();
        let expected = [
            (ErrorCode::None, old_epoch, 2),
            (ErrorCode::None, epoch, 3),
            (ErrorCode::None, -1, -1),
            (ErrorCode::None, -1, -1),
            (ErrorCode::UnknownLeaderEpoch, -1, -1),
            (ErrorCode::FencedLeaderEpoch, -1, -1),
        ];
        assert_eq!(ends, expected, "version {version}");
    }
}

#[tokio::test]
async fn records_survive_a_restart() {
    let mut broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("t").await, 0);
    client.produce(9, &place, batch(&["a", "b"])).await;
    broker.restart().await;
    client = broker.client().await;
    let data = client.fetch(12, &place, 0).await;
    assert_eq!((values_of(&data), data.high_watermark), (vec!["a".to_owned(), "b".to_owned()], 2));
    assert_eq!(client.produce(9, &place, batch(&["c"])).await.base_offset, 2);
}

#[tokio::test]
async fn many_segments_are_read_in_order() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = client.create_topic_with("t", 1, &[("segment.bytes", "1048576")]).await;
    let value = "v".repeat(100_000);
    for _ in 0..40 {
        client.produce(9, &place, batch(&[&value])).await;
    }
    let mut offset = 0;
    while offset < 40 {
        let data = client.fetch(12, &place, offset).await;
        let count = i64::try_from(values_of(&data).len()).unwrap();
        assert!(count > 0, "nothing at offset {offset}");
        offset += count;
    }
    assert_eq!(offset, 40);
}

#[tokio::test]
async fn largest_answer_is_a_setting_too() {
    let broker = TestBroker::with(&["fetch.max.bytes=2000"]).await;
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("t").await, 0);
    let one = batch(&[&"v".repeat(800)]);
    for _ in 0..5 {
        client.produce(9, &place, one.clone()).await;
    }
    let fetched = client.fetch(12, &place, 0).await;
    assert_eq!(bytes_of(&fetched).len(), 2 * one.len(), "whole batches, up to the limit");
}

#[tokio::test]
async fn nobody_waits_for_more_than_would_be_given() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("t").await, 0);
    let one = batch(&[&"v".repeat(800)]);
    for _ in 0..3 {
        client.produce(9, &place, one.clone()).await;
    }
    let began = Instant::now();
    let max_bytes = i32::try_from(one.len()).unwrap();
    let request =
        FetchRequest { max_wait_ms: 60_000, min_bytes: i32::MAX, max_bytes, ..fetch_request(&[(&place, 0)]) };
    assert_eq!(sizes(&client.call(12, &request).await), [one.len()]);
    assert!(began.elapsed() < Duration::from_secs(10));
}

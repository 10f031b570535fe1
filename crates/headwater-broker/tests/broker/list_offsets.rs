//! ListOffsets: by time and by name.

use headwater_codec::{ErrorCode, messages::delete_records::*};
use headwater_records::Compression;

use crate::harness::{Client, Place, TestBroker, batch, batch_at, list_offsets_request};

async fn check_times(client: &mut Client, place: &Place, expected: &[(i64, i64, i64)], what: &str) {
    for version in [1, 4, 7, 11] {
        for (target, offset, timestamp) in expected {
            let found = client.offset_at(version, place, *target).await;
            assert_eq!(
                (found.error_code, found.offset, found.timestamp),
                (ErrorCode::None, *offset, *timestamp),
                "{what}, version {version}, target {target}"
            );
        }
    }
}

/// C17. KIP-79.
#[tokio::test]
async fn time_finds_the_first_record_at_or_after_it() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let in_order = [(1, 0, 2), (2, 0, 2), (3, 1, 4), (4, 1, 4), (5, 2, 6), (8, 3, 8), (9, -1, -1)];
    let out_of_order = [(2, 0, 6), (6, 0, 6), (7, 2, 8), (8, 2, 8), (9, -1, -1)];
    for codec in
        [Compression::None, Compression::Gzip, Compression::Snappy, Compression::Lz4, Compression::Zstd]
    {
        for (times, expected) in [([2, 4, 6, 8], &in_order[..]), ([6, 2, 8, 4], &out_of_order[..])] {
            let name = format!("{codec}-{}", times[0]);
            let one = Place::new(&client.create_topic(&format!("one-{name}")).await, 0);
            client.produce(9, &one, batch_at(codec, &times)).await;
            check_times(&mut client, &one, expected, &format!("one batch, {name}")).await;
            let four = Place::new(&client.create_topic(&format!("four-{name}")).await, 0);
            for time in times {
                client.produce(9, &four, batch_at(codec, &[time])).await;
            }
            check_times(&mut client, &four, expected, &format!("four batches, {name}")).await;
        }
    }
}

/// C18. KIP-405, KIP-1005, KIP-1023.
#[tokio::test]
async fn special_targets_depend_on_the_version() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("t").await, 0);
    client.produce(9, &place, batch_at(Compression::None, &[1, 2, 3, 4, 5, 6, 50, 8, 50])).await;
    let request = DeleteRecordsRequest {
        topics: vec![DeleteRecordsTopic {
            name: place.topic.clone(),
            partitions: vec![DeleteRecordsPartition { partition_index: 0, offset: 5, ..Default::default() }],
            ..Default::default()
        }],
        timeout_ms: 1000,
        ..Default::default()
    };
    client.call(2, &request).await;
    let unsupported = (ErrorCode::UnsupportedVersion, -1, -1);
    let found = |offset, timestamp| (ErrorCode::None, offset, timestamp);
    for (version, target, expected) in [
        (1, -1, found(9, -1)),
        (11, -1, found(9, -1)),
        (1, -2, found(5, -1)),
        (11, -2, found(5, -1)),
        (6, -3, unsupported),
        (7, -3, found(6, 50)),
        (7, -4, unsupported),
        (8, -4, found(5, -1)),
        (8, -5, unsupported),
        (9, -5, found(-1, -1)),
        (10, -6, unsupported),
        (11, -6, found(-1, -1)),
        (9, -100, unsupported),
        (11, i64::MIN, unsupported),
    ] {
        let answer = client.offset_at(version, &place, target).await;
        let answer = (answer.error_code, answer.offset, answer.timestamp);
        assert_eq!(answer, expected, "version {version}, target {target}");
    }
    let mixed = client
        .call(9, &list_offsets_request(&[(&place, -100), (&Place { partition: 7, ..place.clone() }, -1)]))
        .await;
    let codes: Vec<_> = mixed.topics.iter().map(|topic| topic.partitions[0].error_code).collect();
    assert_eq!(codes, [ErrorCode::UnsupportedVersion, ErrorCode::UnknownTopicOrPartition]);
}

#[tokio::test]
async fn latest_is_where_fetch_ends_for_both_isolation_levels() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("t").await, 0);
    client.produce(9, &place, batch(&["a", "b", "c"])).await;
    for isolation_level in [0, 1] {
        let mut request = list_offsets_request(&[(&place, -1)]);
        request.isolation_level = isolation_level;
        let answer = client.call(7, &request).await;
        assert_eq!(answer.topics[0].partitions[0].offset, 3);
    }
    assert_eq!(client.fetch(12, &place, 3).await.high_watermark, 3);
}

#[tokio::test]
async fn leader_epochs_are_compared() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let topic = client.create_topic("t").await;
    let place = Place::new(&topic, 0);
    let epoch = topic.partitions[0].leader_epoch;
    for (known, code) in [
        (epoch, ErrorCode::None),
        (-1, ErrorCode::None),
        (-2, ErrorCode::FencedLeaderEpoch),
        (epoch + 1, ErrorCode::UnknownLeaderEpoch),
    ] {
        let mut request = list_offsets_request(&[(&place, -1)]);
        request.topics[0].partitions[0].current_leader_epoch = known;
        let answer = client.call(7, &request).await.topics.remove(0).partitions.remove(0);
        assert_eq!(answer.error_code, code);
        if code == ErrorCode::None {
            assert_eq!(answer.leader_epoch, epoch);
        }
    }
}

#[tokio::test]
async fn partition_that_is_named_twice_is_an_invalid_request() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("t").await, 0);
    let other = Place::new(&client.create_topic("u").await, 0);
    let answer = client.call(7, &list_offsets_request(&[(&place, -1), (&other, -1), (&place, -2)])).await;
    let codes: Vec<_> = answer.topics.iter().map(|topic| topic.partitions[0].error_code).collect();
    assert_eq!(codes, [ErrorCode::InvalidRequest, ErrorCode::None, ErrorCode::InvalidRequest]);
}

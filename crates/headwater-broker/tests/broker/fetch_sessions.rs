//! Incremental fetch sessions through a socket (KIP-227). The rules themselves are tested beside the code.

use std::time::{Duration, Instant};

use headwater_codec::{
    ErrorCode,
    messages::fetch::{FetchRequest, FetchResponse, ForgottenTopic},
};

use crate::harness::{Client, Place, TestBroker, batch, fetch_request, values_of};

fn in_session(id: i32, epoch: i32, places: &[(&Place, i64)]) -> FetchRequest {
    FetchRequest { session_id: id, session_epoch: epoch, ..fetch_request(places) }
}

fn partitions(response: &FetchResponse) -> Vec<i32> {
    response.responses.iter().flat_map(|topic| &topic.partitions).map(|data| data.partition_index).collect()
}

/// C21.
#[tokio::test]
async fn request_without_partitions_waits_for_those_of_the_session() {
    let broker = TestBroker::start().await;
    for version in [7, 12, 13, 18] {
        let mut client = broker.client().await;
        let place = Place::new(&client.create_topic(&format!("t{version}")).await, 0);
        let opened = client.call(version, &in_session(0, 0, &[(&place, 0)])).await;
        assert_eq!((opened.error_code, partitions(&opened)), (ErrorCode::None, vec![0]));
        let id = opened.session_id;
        assert_ne!(id, 0);

        let began = Instant::now();
        let waiting = FetchRequest { max_wait_ms: 20_000, ..in_session(id, 1, &[]) };
        let sent = client.send(version, &waiting).await;
        broker.client().await.produce(9, &place, batch(&["a"])).await;
        let woken = client.receive::<FetchRequest>(version, sent).await;
        assert!(began.elapsed() < Duration::from_secs(10));
        assert_eq!((woken.session_id, partitions(&woken)), (id, vec![0]));
        assert_eq!(values_of(&woken.responses[0].partitions[0]), ["a"]);

        let moved = client.call(version, &in_session(id, 2, &[(&place, 1)])).await;
        assert_eq!((moved.session_id, partitions(&moved)), (id, vec![]), "its high watermark was told");
        let began = Instant::now();
        let idle = FetchRequest { max_wait_ms: 300, ..in_session(id, 3, &[]) };
        let idle = client.call(version, &idle).await;
        assert!(began.elapsed() >= Duration::from_millis(300), "nothing to do is no reason to hurry");
        assert_eq!((idle.session_id, partitions(&idle)), (id, vec![]));
    }
}

#[tokio::test]
async fn faults_of_a_session_are_told_at_the_top() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("t").await, 0);
    let id = client.call(12, &in_session(0, 0, &[(&place, 0)])).await.session_id;
    for (version, request, code) in [
        (12, in_session(id ^ 1, 1, &[]), ErrorCode::FetchSessionIdNotFound),
        (12, in_session(id, 2, &[]), ErrorCode::InvalidFetchSessionEpoch),
        (13, in_session(id, 1, &[]), ErrorCode::FetchSessionTopicIdError),
        (12, in_session(0, 1, &[]), ErrorCode::FetchSessionIdNotFound),
    ] {
        let answer = client.call(version, &request).await;
        assert_eq!((answer.error_code, answer.session_id, answer.responses.len()), (code, 0, 0));
    }
    assert_eq!(client.call(12, &in_session(id, -1, &[(&place, 0)])).await.session_id, 0, "closed");
    assert_eq!(client.call(12, &in_session(id, 1, &[])).await.error_code, ErrorCode::FetchSessionIdNotFound);
}

#[tokio::test]
async fn forgotten_partitions_are_told_no_more() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let topic = client.create_topic_with("t", 3, &[]).await;
    let places: Vec<_> = (0..3).map(|partition| Place { partition, ..topic.clone() }).collect();
    let all: Vec<_> = places.iter().map(|place| (place, 0)).collect();
    let id = client.call(13, &in_session(0, 0, &all)).await.session_id;
    for place in &places {
        client.produce(9, place, batch(&["a"])).await;
    }
    let forgotten = ForgottenTopic {
        topic: topic.topic.clone(),
        topic_id: topic.topic_id,
        partitions: vec![1],
        ..Default::default()
    };
    let request = FetchRequest { forgotten_topics_data: vec![forgotten], ..in_session(id, 1, &[]) };
    assert_eq!(partitions(&client.call(13, &request).await), [0, 2]);
}

#[tokio::test]
async fn sessions_can_be_declined() {
    let broker = TestBroker::with(&["max.incremental.fetch.session.cache.slots=0"]).await;
    let mut client: Client = broker.client().await;
    let place = Place::new(&client.create_topic("t").await, 0);
    let answer = client.call(12, &in_session(0, 0, &[(&place, 0)])).await;
    assert_eq!((answer.error_code, answer.session_id, partitions(&answer)), (ErrorCode::None, 0, vec![0]));
}

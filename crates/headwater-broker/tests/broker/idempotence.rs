//! Idempotent producers (KIP-98, KIP-360).

use std::collections::HashSet;

use headwater_codec::{
    ErrorCode, ProducerEpoch, ProducerId,
    messages::{
        delete_records::{DeleteRecordsPartition, DeleteRecordsRequest, DeleteRecordsTopic},
        init_producer_id::{InitProducerIdRequest, InitProducerIdResponse},
    },
};

use crate::harness::{Client, Place, TestBroker, batch_of, produce_request, values_of};

fn init() -> InitProducerIdRequest {
    InitProducerIdRequest {
        transactional_id: None,
        transaction_timeout_ms: i32::MAX,
        producer_id: ProducerId::NONE,
        producer_epoch: ProducerEpoch::NONE,
        ..Default::default()
    }
}

async fn produce(client: &mut Client, place: &Place, batch: bytes::Bytes) -> (ErrorCode, i64) {
    let answer = client.produce(9, place, batch).await;
    (answer.error_code, answer.base_offset)
}

/// The producer's half of C27.
#[tokio::test]
async fn producer_ids_are_never_given_twice() {
    let mut broker = TestBroker::start().await;
    let mut given = HashSet::new();
    for _ in 0..3 {
        let mut client = broker.client().await;
        for version in 0..=5 {
            let answer = client.call(version, &init()).await;
            assert_eq!(
                (answer.error_code, answer.producer_epoch),
                (ErrorCode::None, ProducerEpoch::new(0)),
                "version {version}"
            );
            assert!(answer.producer_id.get() >= 0);
            assert!(given.insert(answer.producer_id), "{} was given before", answer.producer_id);
        }
        broker.restart().await;
    }
}

#[tokio::test]
async fn init_producer_id_refuses_what_it_cannot_serve() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let of = |answer: InitProducerIdResponse| (answer.error_code, answer.producer_id);
    let transactional = InitProducerIdRequest { transactional_id: Some("tx".into()), ..init() };
    let empty = InitProducerIdRequest { transactional_id: Some("".into()), ..init() };
    for version in 0..=5 {
        let answer = of(client.call(version, &transactional).await);
        assert_eq!(
            answer,
            (ErrorCode::UnsupportedVersion, ProducerId::NONE),
            "at once, until transactions are served"
        );
        assert_eq!(of(client.call(version, &empty).await).0, ErrorCode::InvalidRequest);
    }
    let half = InitProducerIdRequest { producer_id: ProducerId::new(3), ..init() };
    assert_eq!(of(client.call(4, &half).await).0, ErrorCode::InvalidRequest);
}

/// C23.
#[tokio::test]
async fn last_five_batches_are_recognised() {
    let mut broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("t").await, 0);
    for sequence in 0..=6 {
        let answer = produce(&mut client, &place, batch_of(7, 0, sequence..=sequence)).await;
        assert_eq!(answer, (ErrorCode::None, i64::from(sequence)));
    }
    for restarted in [false, true] {
        if restarted {
            broker.restart().await;
            client = broker.client().await;
        }
        for sequence in [6, 4, 2] {
            let answer = produce(&mut client, &place, batch_of(7, 0, sequence..=sequence)).await;
            assert_eq!(answer, (ErrorCode::None, i64::from(sequence)), "the original offset");
        }
        for sequences in [1..=1, 5..=6, 8..=8, 6..=7] {
            let what = format!("{sequences:?}");
            let answer = produce(&mut client, &place, batch_of(7, 0, sequences)).await;
            assert_eq!(answer, (ErrorCode::OutOfOrderSequenceNumber, -1), "{what}");
        }
        assert_eq!(client.log_end(&place).await, 7);
    }
    assert_eq!(produce(&mut client, &place, batch_of(7, 0, 7..=7)).await, (ErrorCode::None, 7));
}

/// C24. KIP-360.
#[tokio::test]
async fn producer_goes_on_when_its_records_are_deleted() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("t").await, 0);
    assert_eq!(produce(&mut client, &place, batch_of(7, 0, 0..=9)).await, (ErrorCode::None, 0));
    let request = DeleteRecordsRequest {
        topics: vec![DeleteRecordsTopic {
            name: place.topic.clone(),
            partitions: vec![DeleteRecordsPartition { partition_index: 0, offset: -1, ..Default::default() }],
            ..Default::default()
        }],
        ..Default::default()
    };
    assert_eq!(client.call(2, &request).await.topics[0].partitions[0].low_watermark, 10);
    assert_eq!(
        produce(&mut client, &place, batch_of(7, 0, 0..=9)).await,
        (ErrorCode::None, 0),
        "still recognised"
    );
    assert_eq!(produce(&mut client, &place, batch_of(7, 0, 10..=10)).await, (ErrorCode::None, 10));
}

#[tokio::test]
async fn unknown_producer_may_begin_anywhere_and_is_held_to_it() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("t").await, 0);
    assert_eq!(produce(&mut client, &place, batch_of(9, 0, 100..=101)).await, (ErrorCode::None, 0));
    let gap = produce(&mut client, &place, batch_of(9, 0, 103..=103)).await;
    assert_eq!(gap.0, ErrorCode::OutOfOrderSequenceNumber);
    assert_eq!(produce(&mut client, &place, batch_of(9, 0, 102..=102)).await, (ErrorCode::None, 2));
}

#[tokio::test]
async fn older_epoch_is_refused_and_newer_one_begins_at_0() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("t").await, 0);
    assert_eq!(produce(&mut client, &place, batch_of(9, 1, 0..=0)).await.0, ErrorCode::None);
    assert_eq!(produce(&mut client, &place, batch_of(9, 0, 1..=1)).await.0, ErrorCode::InvalidProducerEpoch);
    assert_eq!(
        produce(&mut client, &place, batch_of(9, 2, 5..=5)).await.0,
        ErrorCode::OutOfOrderSequenceNumber
    );
    assert_eq!(produce(&mut client, &place, batch_of(9, 2, 0..=0)).await.0, ErrorCode::None);
}

#[tokio::test]
async fn sequences_wrap_to_0() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("t").await, 0);
    assert_eq!(produce(&mut client, &place, batch_of(9, 0, i32::MAX..=i32::MAX)).await.0, ErrorCode::None);
    assert_eq!(produce(&mut client, &place, batch_of(9, 0, 0..=0)).await, (ErrorCode::None, 1));
    assert_eq!(
        produce(&mut client, &place, batch_of(9, 0, 0..=0)).await,
        (ErrorCode::None, 1),
        "and is recognised"
    );
}

#[tokio::test]
async fn pipelined_batches_keep_their_order() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("t").await, 0);
    let mut ids = Vec::new();
    for sequence in 0..200 {
        ids.push(
            client.send(9, &produce_request(-1, &[(&place, batch_of(7, 0, sequence..=sequence))])).await,
        );
    }
    for (id, offset) in ids.into_iter().zip(0..) {
        let answer = client.receive::<headwater_codec::messages::produce::ProduceRequest>(9, id).await;
        let answer = &answer.responses[0].partition_responses[0];
        assert_eq!((answer.error_code, answer.base_offset), (ErrorCode::None, offset));
    }
    let expected: Vec<_> = (0..200).map(|sequence| sequence.to_string()).collect();
    assert_eq!(values_of(&client.fetch(12, &place, 0).await), expected);
}

/// The other half of C24.
#[tokio::test]
async fn producer_that_was_forgotten_goes_on() {
    let broker =
        TestBroker::with(&["producer.id.expiration.ms=100", "producer.id.expiration.check.interval.ms=50"])
            .await;
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("t").await, 0);
    assert_eq!(produce(&mut client, &place, batch_of(7, 0, 0..=9)).await, (ErrorCode::None, 0));
    let forgotten = async {
        // A gap is refused as long as the producer is known.
        while produce(&mut client, &place, batch_of(7, 0, 20..=20)).await.0 != ErrorCode::None {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(crate::harness::PATIENCE, forgotten).await.unwrap();
    assert_eq!(client.log_end(&place).await, 11);
    assert_eq!(produce(&mut client, &place, batch_of(7, 0, 21..=21)).await, (ErrorCode::None, 11));
}

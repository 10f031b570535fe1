//! Records are appended once, however often they are sent.

use headwater_client::{
    ClientError, ConnectOptions, Ended, ErrorCode, Offset, PartitionId, ProducerKind, RecordToProduce,
};
use headwater_native::{
    Request,
    messages::{Failure, ProduceAck, ProduceBatch, ProduceBatchAck},
};

use crate::scripted::{Server, WITH_HEADERS, hasty, play};

fn idempotent(options: ConnectOptions) -> ConnectOptions {
    ConnectOptions { producer: ProducerKind::Idempotent, ..options }
}

fn ack(offset: i64) -> ProduceAck {
    ProduceAck { partition: PartitionId::new(1), offset: Offset::new(offset).unwrap() }
}

fn batch_ack(offsets: std::ops::Range<i64>, code: ErrorCode) -> ProduceBatchAck {
    ProduceBatchAck { acks: offsets.map(ack).collect(), code, message: "".into() }
}

fn records(values: impl IntoIterator<Item = u32>) -> Vec<RecordToProduce> {
    values.into_iter().map(|value| RecordToProduce::new("", value.to_string())).collect()
}

/// Sequence number and value of a single record.
fn single(request: Request) -> (u32, String) {
    let Request::ProduceIdempotent(produce) = request else { panic!("{request:?}") };
    assert_eq!((produce.producer_id.get(), produce.producer_epoch), (7, 3));
    (produce.sequence, String::from_utf8(produce.value.to_vec()).unwrap())
}

/// Base sequence number and values of a batch.
fn batch(request: Request) -> (u32, Vec<String>) {
    let Request::ProduceBatch(ProduceBatch { producer: Some(producer), records, .. }) = request else {
        panic!("{request:?}")
    };
    let values = records.iter().map(|record| String::from_utf8(record.value.to_vec()).unwrap());
    (producer.base_sequence, values.collect())
}

fn text(values: impl IntoIterator<Item = u32>) -> Vec<String> {
    values.into_iter().map(|value| value.to_string()).collect()
}

#[tokio::test]
async fn each_topic_counts_for_itself_and_a_refusal_does_not_count() {
    let script = async |mut server: Server| {
        server.greet_producer(WITH_HEADERS).await;
        assert_eq!(single(server.answer(&ack(0)).await), (0, "0".to_owned()));
        assert_eq!(single(server.answer(&ack(0)).await), (0, "1".to_owned()));
        let missing = Failure::new(ErrorCode::TOPIC_MISSING, "");
        assert_eq!(single(server.answer(&missing).await), (1, "2".to_owned()));
        assert_eq!(single(server.answer(&ack(1)).await), (1, "3".to_owned()));
        assert_eq!(single(server.answer(&ack(9)).await), (40, "4".to_owned()));
        assert_eq!(single(server.answer(&ack(2)).await), (2, "5".to_owned()));
    };
    play(idempotent(ConnectOptions::default()), script, async |client| {
        let client = client.unwrap();
        let mut next = records(0..6).into_iter();
        let mut next = || next.next().unwrap();
        assert_eq!(client.produce("a", next()).await.unwrap().sequence, Some(0));
        assert_eq!(client.produce("b", next()).await.unwrap().sequence, Some(0));
        client.produce("a", next()).await.unwrap_err();
        assert_eq!(client.produce("a", next()).await.unwrap().sequence, Some(1));
        let at = client.produce_at_sequence("a", next(), 40).await.unwrap();
        assert_eq!((at.sequence, at.offset.get()), (Some(40), 9));
        assert_eq!(client.produce("a", next()).await.unwrap().sequence, Some(2));
    })
    .await;
}

#[tokio::test]
async fn what_has_no_answer_is_sent_again_before_what_follows() {
    let script = async |mut server: Server| {
        server.greet_producer(WITH_HEADERS).await;
        assert_eq!(single(server.request().await.1), (0, "0".to_owned()), "and no answer");
        assert_eq!(single(server.answer(&ack(0)).await), (0, "0".to_owned()));
        assert_eq!(single(server.answer(&ack(1)).await), (1, "1".to_owned()));
        assert_eq!(batch(server.request().await.1), (2, text(2..4)), "and no answer");
        assert_eq!(batch(server.answer(&batch_ack(2..4, ErrorCode::NONE)).await), (2, text(2..4)));
        assert_eq!(single(server.answer(&ack(4)).await), (4, "4".to_owned()));
    };
    play(idempotent(hasty()), script, async |client| {
        let client = client.unwrap();
        let unanswered = client.produce("a", records([0]).remove(0)).await;
        assert!(matches!(unanswered, Err(ClientError::Timeout)));
        assert_eq!(client.produce("a", records([1]).remove(0)).await.unwrap().sequence, Some(1));
        let unanswered = client.produce_batch("a", records(2..4)).await.unwrap();
        assert!(matches!(unanswered.failure, Some(ClientError::Timeout)));
        assert_eq!(client.produce("a", records([4]).remove(0)).await.unwrap().sequence, Some(4));
    })
    .await;
}

#[tokio::test]
async fn who_tries_the_same_record_again_has_the_first_attempts_answer() {
    let script = async |mut server: Server| {
        server.greet_producer(WITH_HEADERS).await;
        assert_eq!(single(server.request().await.1), (0, "0".to_owned()), "and no answer");
        assert_eq!(single(server.answer(&ack(0)).await), (0, "0".to_owned()));
        let failed = Failure::new(ErrorCode::INTERNAL, "perhaps appended");
        assert_eq!(batch(server.answer(&failed).await), (1, text(1..4)));
        assert_eq!(batch(server.answer(&batch_ack(1..4, ErrorCode::NONE)).await), (1, text(1..4)));
        assert_eq!(single(server.answer(&ack(4)).await), (4, "9".to_owned()));
    };
    play(idempotent(hasty()), script, async |client| {
        let client = client.unwrap();
        client.produce("a", records([0]).remove(0)).await.unwrap_err();
        assert_eq!(client.produce("a", records([0]).remove(0)).await.unwrap().offset, Offset::ZERO);
        client.produce_batch("a", records(1..4)).await.unwrap().all().unwrap_err();
        let produced = client.produce_batch("a", records(1..4)).await.unwrap().all().unwrap();
        assert_eq!(produced.iter().map(|one| one.sequence.unwrap()).collect::<Vec<_>>(), [1, 2, 3]);
        client.produce("a", records([9]).remove(0)).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_server_over_a_limit_is_sent_the_rest_again() {
    let script = async |mut server: Server| {
        server.greet_producer(WITH_HEADERS).await;
        assert_eq!(batch(server.answer(&batch_ack(0..2, ErrorCode::RATE_LIMITED)).await), (0, text(0..5)));
        let limited = Failure::new(ErrorCode::RATE_LIMITED, "not yet");
        assert_eq!(batch(server.answer(&limited).await), (2, text(2..5)));
        assert_eq!(batch(server.answer(&batch_ack(2..5, ErrorCode::NONE)).await), (2, text(2..5)));
    };
    play(idempotent(ConnectOptions::default()), script, async |client| {
        let produced = client.unwrap().produce_batch("a", records(0..5)).await.unwrap().all().unwrap();
        let places: Vec<_> = produced.iter().map(|one| (one.offset.get(), one.sequence)).collect();
        assert_eq!(places, [(0, Some(0)), (1, Some(1)), (2, Some(2)), (3, Some(3)), (4, Some(4))]);
    })
    .await;
}

#[tokio::test]
async fn a_partial_append_says_what_is_there_and_why_not_more() {
    let script = async |mut server: Server| {
        server.greet_producer(WITH_HEADERS).await;
        server.answer(&batch_ack(0..3, ErrorCode::INTERNAL)).await;
        assert_eq!(single(server.answer(&ack(3)).await), (3, "7".to_owned()));
        server.request().await;
    };
    play(idempotent(ConnectOptions::default()), script, async |client| {
        let client = client.unwrap();
        let outcome = client.produce_batch("a", records(0..6)).await.unwrap();
        assert_eq!(outcome.produced.len(), 3);
        assert_eq!(outcome.failure.unwrap().code(), Some(ErrorCode::INTERNAL));
        client.produce("a", records([7]).remove(0)).await.unwrap();
        let ended = client.produce("a", records([8]).remove(0)).await.unwrap_err();
        assert!(matches!(ended, ClientError::Ended(Ended::ByServer)), "{ended}");
    })
    .await;
}

#[tokio::test]
async fn large_batches_take_several_requests() {
    let script = async |mut server: Server| {
        server.greet_producer(WITH_HEADERS).await;
        assert_eq!(batch(server.answer(&batch_ack(0..1024, ErrorCode::NONE)).await), (0, text(0..1024)));
        assert_eq!(
            batch(server.answer(&batch_ack(1024..1500, ErrorCode::NONE)).await),
            (1024, text(1024..1500))
        );
        // Forty values of 60 kB do not fit a frame of 1 MiB.
        let mut left = 40;
        while left > 0 {
            let (id, request) = server.request().await;
            let Request::ProduceBatch(batch) = request else { panic!("no PRODUCE_BATCH") };
            let count = batch.records.len();
            assert!((1..=17).contains(&count), "{count}");
            server.send(id, &batch_ack(0..count as i64, ErrorCode::NONE)).await;
            left -= count;
        }
    };
    play(idempotent(ConnectOptions::default()), script, async |client| {
        let client = client.unwrap();
        let produced = client.produce_batch("a", records(0..1500)).await.unwrap().all().unwrap();
        assert_eq!(produced.last().unwrap().sequence, Some(1499));
        let large = vec![RecordToProduce::new("", vec![0; 60_000]); 40];
        assert_eq!(client.produce_batch("a", large).await.unwrap().all().unwrap().len(), 40);
    })
    .await;
}

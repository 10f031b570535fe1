//! Producers whose records are appended once, however often they are sent.

use headwater_codec::{ProducerId, Str};
use headwater_native::{
    ErrorCode, Reply,
    messages::{
        BatchProducer, InitProducerId, ProduceAck, ProduceBatch, ProduceIdempotent, ProducerIdentity,
        RecordToProduce,
    },
};
use headwater_records::native::ValueCodec;

use super::{NativeClient, record, values};
use crate::harness::{Place, TestBroker, batch_of};

impl NativeClient {
    async fn init(&mut self, name: Option<&str>) -> ProducerIdentity {
        match self.call(&InitProducerId { producer_name: name.map(Str::from) }).await {
            Reply::ProducerIdentity(identity) => identity,
            other => panic!("no producer: {other:?}"),
        }
    }

    async fn once(
        &mut self,
        of: &ProducerIdentity,
        base: u32,
        records: &[RecordToProduce],
    ) -> Vec<ProduceAck> {
        match self.call(&batch(of, base, records)).await {
            Reply::ProduceBatchAck(ack) => {
                assert_eq!(ack.code, ErrorCode::NONE, "{}", ack.message);
                ack.acks
            }
            other => panic!("not produced: {other:?}"),
        }
    }
}

fn batch(of: &ProducerIdentity, base_sequence: u32, records: &[RecordToProduce]) -> ProduceBatch {
    let producer =
        BatchProducer { producer_id: of.producer_id, base_sequence, producer_epoch: of.producer_epoch };
    ProduceBatch {
        codec: ValueCodec::None,
        topic: "t".into(),
        producer: Some(producer),
        records: records.to_vec(),
    }
}

fn single(of: &ProducerIdentity, sequence: u32) -> ProduceIdempotent {
    ProduceIdempotent {
        producer_id: of.producer_id,
        sequence,
        producer_epoch: of.producer_epoch,
        codec: ValueCodec::None,
        topic: "t".into(),
        key: "k".into(),
        value: "single".into(),
        headers: headwater_native::Headers::default(),
    }
}

/// Records with and without keys: they spread over all partitions.
fn records(count: usize) -> Vec<RecordToProduce> {
    (0..count)
        .map(|number| record(if number % 3 == 0 { "" } else { ["a", "b"][number % 2] }, &number.to_string()))
        .collect()
}

async fn count(broker: &TestBroker, group: &str) -> usize {
    let mut client = NativeClient::open(broker).await;
    let mut count = 0;
    loop {
        let fetched = client.fetch("t", group, 10_000).await;
        if fetched.is_empty() {
            return count;
        }
        count += fetched.len();
    }
}

#[tokio::test]
async fn an_exact_repeat_is_answered_alike_and_appends_nothing() {
    let broker = TestBroker::start().await;
    let mut client = NativeClient::open(&broker).await;
    client.create_topic("t", 4).await;
    let of = client.init(None).await;
    let first = client.once(&of, 0, &records(40)).await;
    assert_eq!(first.len(), 40);
    assert_eq!(client.once(&of, 0, &records(40)).await, first);
    for base in [39, 41, 5] {
        let refused = client.refused(&batch(&of, base, &records(3))).await;
        assert_eq!(refused.code, ErrorCode::OUT_OF_ORDER_SEQUENCE, "{base}");
    }
    let Reply::ProduceAck(ack) = client.call(&single(&of, 40)).await else { panic!() };
    assert_eq!(
        client.call(&single(&of, 40)).await,
        Reply::ProduceAck(ack),
        "single and batch share one count"
    );
    assert_eq!(client.refused(&single(&of, 39)).await.code, ErrorCode::OUT_OF_ORDER_SEQUENCE);
    client.once(&of, 41, &records(2)).await;
    assert_eq!(count(&broker, "g").await, 43);
}

#[tokio::test]
async fn a_named_producer_is_remembered_over_a_restart() {
    let mut broker = TestBroker::start().await;
    let mut client = NativeClient::open(&broker).await;
    client.create_topic("t", 4).await;
    let of = client.init(Some("p")).await;
    assert_eq!(of.producer_epoch, 0);
    let first = client.once(&of, 0, &records(10)).await;
    let second = client.once(&of, 10, &records(7)).await;
    broker.restart().await;
    let mut client = NativeClient::open(&broker).await;
    let again = client.init(Some("p")).await;
    assert_eq!((again.producer_id, again.producer_epoch), (of.producer_id, 1), "same id, next epoch");
    let refused = client.refused(&batch(&of, 10, &records(7))).await;
    assert_eq!(refused.code, ErrorCode::PRODUCER_FENCED, "the old epoch is over");
    let anew = client.once(&again, 0, &records(5)).await;
    assert_eq!(client.once(&again, 0, &records(5)).await, anew);
    assert_eq!(count(&broker, "g").await, 22);
    assert_ne!(first, second);
}

/// As after a crash between the records and the memo of them: the log has them, the producer's memory does not.
#[tokio::test]
async fn records_that_landed_before_a_crash_are_recognised_by_the_log() {
    for format in ["native", "kafka"] {
        let broker = TestBroker::with(&[&format!("headwater.native.topic.format={format}")]).await;
        landed_records_are_recognised(&broker).await;
    }
}

async fn landed_records_are_recognised(broker: &TestBroker) {
    let mut client = NativeClient::open(broker).await;
    let mut kafka = broker.client().await;
    client.create_topic("t", 1).await;
    let of = client.init(Some("p")).await;
    client.once(&of, 0, &records(3)).await;
    let place = Place::new(&kafka.create_topic("t").await, 0);
    let epoch = i16::try_from(of.producer_epoch).unwrap();
    let landed = kafka.produce(9, &place, batch_of(of.producer_id.get(), epoch, 3..=6)).await;
    assert_eq!((landed.error_code, landed.base_offset), (headwater_codec::ErrorCode::None, 3));
    let again = client.once(&of, 3, &records(4)).await;
    let offsets: Vec<i64> = again.iter().map(|ack| ack.offset.get()).collect();
    assert_eq!(offsets, [3, 4, 5, 6], "they are where they were");
    assert_eq!(kafka.log_end(&place).await, 7, "and nowhere else");
    client.once(&of, 7, &records(1)).await;
    assert_eq!(kafka.log_end(&place).await, 8);
}

#[tokio::test]
async fn a_newer_connection_of_a_name_fences_the_older_one() {
    let broker = TestBroker::start().await;
    let (mut older, mut newer) = (NativeClient::open(&broker).await, NativeClient::open(&broker).await);
    older.create_topic("t", 1).await;
    let first = older.init(Some("p")).await;
    older.once(&first, 0, &records(2)).await;
    let second = newer.init(Some("p")).await;
    assert_eq!(older.refused(&single(&first, 2)).await.code, ErrorCode::PRODUCER_FENCED);
    newer.once(&second, 0, &records(1)).await;
    assert_eq!(count(&broker, "g").await, 3);
}

#[tokio::test]
async fn what_is_wrong_with_a_producer_has_its_code() {
    let broker = TestBroker::start().await;
    let mut client = NativeClient::open(&broker).await;
    client.create_topic("t", 1).await;
    let nobody = ProducerIdentity { producer_id: ProducerId::new(7), producer_epoch: 0 };
    assert_eq!(client.refused(&single(&nobody, 0)).await.code, ErrorCode::NO_PRODUCER_ID);
    let of = client.init(None).await;
    let other = ProducerIdentity { producer_id: ProducerId::new(of.producer_id.get() + 1), ..of.clone() };
    assert_eq!(client.refused(&single(&other, 0)).await.code, ErrorCode::BAD_PROTOCOL);
    assert_eq!(client.refused(&batch(&of, 0, &records(1025))).await.code, ErrorCode::BATCH_TOO_LARGE);
    assert_eq!(
        client.once(&of, 0, &records(1024)).await.len(),
        1024,
        "nothing of the larger one was written"
    );
}

#[tokio::test]
async fn two_producers_without_a_name_do_not_share_a_count() {
    let broker = TestBroker::start().await;
    let (mut one, mut two) = (NativeClient::open(&broker).await, NativeClient::open(&broker).await);
    one.create_topic("t", 1).await;
    let (first, second) = (one.init(None).await, two.init(None).await);
    assert_ne!(first.producer_id, second.producer_id);
    one.once(&first, 0, &records(1)).await;
    two.once(&second, 0, &records(1)).await;
    let mut reader = NativeClient::open(&broker).await;
    assert_eq!(values(&reader.fetch("t", "g", 10).await), ["0", "0"]);
}

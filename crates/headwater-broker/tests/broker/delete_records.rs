//! DeleteRecords (KIP-107).

use headwater_codec::{
    ErrorCode, TopicName,
    messages::delete_records::{DeleteRecordsPartition, DeleteRecordsRequest, DeleteRecordsTopic},
};

use crate::harness::{Client, Place, TestBroker, batch, values_of};

async fn delete(
    client: &mut Client,
    topic: &TopicName,
    partition_index: i32,
    offset: i64,
) -> (ErrorCode, i64) {
    let request = DeleteRecordsRequest {
        topics: vec![DeleteRecordsTopic {
            name: topic.clone(),
            partitions: vec![DeleteRecordsPartition { partition_index, offset, ..Default::default() }],
            ..Default::default()
        }],
        timeout_ms: 1000,
        ..Default::default()
    };
    let answer = client.call(2, &request).await.topics.remove(0).partitions.remove(0);
    (answer.error_code, answer.low_watermark)
}

/// C36.
#[tokio::test]
async fn log_start_goes_up_and_never_down() {
    let mut broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("t").await, 0);
    for number in 0..100 {
        client.produce(9, &place, batch(&[&number.to_string()])).await;
    }
    let out_of_range = (ErrorCode::OffsetOutOfRange, -1);
    for (offset, expected, log_start) in [
        (30, (ErrorCode::None, 30), 30),
        (30, (ErrorCode::None, 30), 30),
        (10, (ErrorCode::None, 30), 30),
        (101, out_of_range, 30),
        (-2, out_of_range, 30),
    ] {
        assert_eq!(delete(&mut client, &place.topic, 0, offset).await, expected, "offset {offset}");
        assert_eq!(client.offset_at(7, &place, -2).await.offset, log_start, "offset {offset}");
    }
    assert_eq!(client.fetch(12, &place, 29).await.error_code, ErrorCode::OffsetOutOfRange);
    assert_eq!(values_of(&client.fetch(12, &place, 30).await)[0], "30");
    broker.restart().await;
    client = broker.client().await;
    assert_eq!(client.offset_at(7, &place, -2).await.offset, 30, "it survives");
    assert_eq!(
        delete(&mut client, &place.topic, 0, -1).await,
        (ErrorCode::None, 100),
        "up to the high watermark"
    );
    assert_eq!(client.log_end(&place).await, 100);
    assert_eq!(client.produce(9, &place, batch(&["next"])).await.base_offset, 100);
}

#[tokio::test]
async fn some_topics_keep_their_records() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let compact = client.create_topic_with("compact", 1, &[("cleanup.policy", "compact")]).await;
    let both = client.create_topic_with("both", 1, &[("cleanup.policy", "compact,delete")]).await;
    client.create_topic("__consumer_offsets").await;
    for place in [&compact, &both] {
        client.produce(9, place, batch(&["a", "b"])).await;
    }
    assert_eq!(delete(&mut client, &compact.topic, 0, 1).await, (ErrorCode::PolicyViolation, -1));
    assert_eq!(delete(&mut client, &both.topic, 0, 1).await, (ErrorCode::None, 1));
    assert_eq!(
        delete(&mut client, &"__consumer_offsets".into(), 0, 0).await.0,
        ErrorCode::InvalidTopicException
    );
    assert_eq!(delete(&mut client, &"unknown".into(), 0, 0).await.0, ErrorCode::UnknownTopicOrPartition);
    assert_eq!(delete(&mut client, &both.topic, 1, 0).await.0, ErrorCode::UnknownTopicOrPartition);
}

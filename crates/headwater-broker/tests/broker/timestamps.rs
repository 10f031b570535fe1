//! Whose time it is, and how far from ours it may be.

use headwater_codec::ErrorCode;
use headwater_records::{Attributes, BatchHeader, Compression, TimestampType};

use crate::harness::{Place, TestBroker, batch, batch_at, bytes_of, now_ms, resealed, values_of};

/// C19.
#[tokio::test]
async fn log_append_time_lives_in_the_batch() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = client.create_topic_with("t", 1, &[("message.timestamp.type", "LogAppendTime")]).await;
    let ten_days = 10 * 24 * 3_600_000;
    for codec in [Compression::None, Compression::Gzip] {
        let before = now_ms();
        let answer = client.produce(9, &place, batch_at(codec, &[0, now_ms() + ten_days])).await;
        assert_eq!(answer.error_code, ErrorCode::None, "times of the client do not matter");
        assert!((before..=now_ms()).contains(&answer.log_append_time_ms));
        let fetched = client.fetch(12, &place, answer.base_offset).await;
        let header = BatchHeader::parse(bytes_of(&fetched)).unwrap();
        assert_eq!(header.attributes.timestamp_type(), TimestampType::LogAppendTime);
        assert_eq!(header.max_timestamp, answer.log_append_time_ms);
        assert_eq!(values_of(&fetched).len(), 2, "and the checksum fits");
        let found = client.offset_at(7, &place, answer.log_append_time_ms).await;
        assert_eq!(found.timestamp, answer.log_append_time_ms, "all records count as that time");
    }
}

#[tokio::test]
async fn clients_do_not_set_log_append_time() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let ours = client.create_topic_with("ours", 1, &[("message.timestamp.type", "LogAppendTime")]).await;
    let theirs = Place::new(&client.create_topic("theirs").await, 0);
    let with_bit = resealed(&batch(&["a"]), |header| {
        header.attributes = Attributes::default().with_timestamp_type(TimestampType::LogAppendTime);
    });
    for place in [&ours, &theirs] {
        let answer = client.produce(9, place, with_bit.clone()).await;
        assert_eq!(answer.error_code, ErrorCode::InvalidTimestamp);
        assert_eq!(client.log_end(place).await, 0);
    }
}

/// C35. KIP-937, KIP-1030.
#[tokio::test]
async fn times_far_ahead_are_refused_by_default() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("t").await, 0);
    let (hour, now) = (3_600_000, now_ms());
    for far in [now + 2 * hour, now * 1000, i64::MAX / 2] {
        let answer = client.produce(9, &place, batch_at(Compression::None, &[now, far])).await;
        assert_eq!((answer.error_code, answer.base_offset), (ErrorCode::InvalidTimestamp, -1));
        assert_eq!(answer.record_errors.iter().map(|error| error.batch_index).collect::<Vec<_>>(), [1]);
    }
    for fine in [0, now - 1000 * hour, now + hour / 2] {
        assert_eq!(
            client.produce(9, &place, batch_at(Compression::None, &[fine])).await.error_code,
            ErrorCode::None
        );
    }
    client.set_topic_config(&place.topic, "message.timestamp.before.max.ms", "3600000").await;
    let answer = client.produce(9, &place, batch_at(Compression::None, &[now - 2 * hour])).await;
    assert_eq!(answer.error_code, ErrorCode::InvalidTimestamp);
    client.set_topic_config(&place.topic, "message.timestamp.after.max.ms", "360000000").await;
    let answer = client.produce(9, &place, batch_at(Compression::None, &[now + 2 * hour])).await;
    assert_eq!(answer.error_code, ErrorCode::None, "the topic decides");
}

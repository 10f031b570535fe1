//! Produce: what is taken, what is refused and how it is told.

use bytes::Bytes;
use headwater_codec::{ErrorCode, Uuid, messages::produce::ProduceRequest};
use headwater_records::{BatchBuilder, Compression};

use crate::harness::{
    Client, Place, TestBroker, batch, batch_with, bytes_of, hex, now_ms, produce_request, resealed, values_of,
};

/// Sends `records`, expects that code and nothing appended.
async fn refused(client: &mut Client, place: &Place, records: impl Into<Bytes>, code: ErrorCode, why: &str) {
    let before = client.log_end(place).await;
    let answer = client.produce(9, place, records).await;
    assert_eq!((answer.error_code, answer.base_offset), (code, -1), "{why}");
    assert_eq!(client.log_end(place).await, before, "{why}: nothing is appended");
}

#[tokio::test]
async fn what_is_produced_is_fetched_in_every_version() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("t").await, 0);
    for (version, offset) in (3..=13).zip(0..) {
        let answer = client.produce(version, &place, batch(&[&format!("v{version}")])).await;
        assert_eq!((answer.error_code, answer.base_offset), (ErrorCode::None, offset), "version {version}");
        assert_eq!(answer.log_append_time_ms, -1, "CreateTime");
        assert_eq!(answer.log_start_offset, if version >= 5 { 0 } else { -1 });
    }
    let expected: Vec<_> = (3..=13).map(|version| format!("v{version}")).collect();
    for version in 4..=18 {
        let fetched = client.fetch(version, &place, 0).await;
        assert_eq!(values_of(&fetched), expected, "version {version}");
        assert_eq!((fetched.high_watermark, fetched.last_stable_offset), (11, 11));
        assert_eq!(fetched.log_start_offset, if version >= 5 { 0 } else { -1 });
        assert_eq!(fetched.aborted_transactions, None);
    }
}

#[tokio::test]
async fn base_offsets_of_clients_do_not_matter_and_epochs_are_stamped() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let topic = client.create_topic("t").await;
    let place = Place::new(&topic, 0);
    for offset in [0, 2] {
        assert_eq!(client.produce(9, &place, batch(&["a", "b"])).await.base_offset, offset);
    }
    let fetched = client.fetch(12, &place, 0).await;
    let headers: Vec<_> =
        headwater_records::Batches::new(bytes_of(&fetched)).map(|batch| *batch.unwrap().header()).collect();
    let facts: Vec<_> =
        headers.iter().map(|header| (header.base_offset.get(), header.leader_epoch.get())).collect();
    let epoch = topic.partitions[0].leader_epoch;
    assert_eq!(facts, [(0, epoch), (2, epoch)]);
}

/// C14. The bytes are those of the case.
#[tokio::test]
async fn counts_that_disagree_are_invalid_records() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("t").await, 0);
    client.produce(9, &place, batch(&["a"])).await;
    let invalid = ErrorCode::InvalidRecord;
    let count_2 =
        hex("00000000000000000000003affffffff02b18d77c60000000000000000018bcfe568000000018bcfe56800\
         ffffffffffffffffffffffffffff0000000210000000026b027600");
    refused(&mut client, &place, count_2, invalid, "count 2 with one record").await;
    let delta_5 =
        hex("00000000000000000000003affffffff020d624fea0000000000050000018bcfe568000000018bcfe56800\
         ffffffffffffffffffffffffffff0000000110000000026b027600");
    refused(&mut client, &place, delta_5, invalid, "last offset delta 5").await;
    let good = batch(&["a"]);
    for count in [0, -1, i32::MAX] {
        let bad = resealed(&good, |header| header.record_count = count);
        refused(&mut client, &place, bad, invalid, &format!("count {count}")).await;
    }
    refused(&mut client, &place, [&good[..], &good[..]].concat(), invalid, "two batches").await;
    refused(&mut client, &place, Bytes::new(), invalid, "no batch").await;
    refused(&mut client, &place, good.slice(..good.len() - 1), invalid, "cut short").await;
    let shifted = resealed(&good, |header| header.base_offset = headwater_codec::Offset::ZERO.plus(7));
    refused(&mut client, &place, shifted, invalid, "base offset 7").await;
    assert_eq!(client.produce(9, &place, good).await.base_offset, 1, "a good batch goes on where it was");
}

#[tokio::test]
async fn damaged_and_old_batches_are_refused() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("t").await, 0);
    let good = batch(&["abc"]);
    let mut flipped = good.to_vec();
    *flipped.last_mut().unwrap() ^= 1;
    refused(&mut client, &place, flipped, ErrorCode::CorruptMessage, "a flipped bit").await;
    for (magic, code) in
        [(0, ErrorCode::InvalidRecord), (1, ErrorCode::InvalidRecord), (3, ErrorCode::CorruptMessage)]
    {
        let mut old = good.to_vec();
        old[16] = magic;
        refused(&mut client, &place, old, code, &format!("magic {magic}")).await;
    }
    let null = ProduceRequest { ..produce_request(-1, &[(&place, Bytes::new())]) };
    let mut null = null;
    null.topic_data[0].partition_data[0].records = None;
    let answer = client.call(9, &null).await;
    assert_eq!(
        answer.responses[0].partition_responses[0].error_code,
        ErrorCode::InvalidRecord,
        "null records"
    );
}

/// C16. The bytes are those of the case.
#[tokio::test]
async fn clients_write_no_control_batches() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("t").await, 0);
    let control = hex("000000000000000000000042ffffffff020f98c3d80030000000000000018bcfe568000000018bcfe568\
         000000000000000007000000000000000000012000000008000000010c00000000000000");
    refused(&mut client, &place, control, ErrorCode::InvalidRecord, "a commit marker").await;
    let no_sequence = resealed(&batch(&["a"]), |header| {
        header.producer_id = headwater_codec::ProducerId::new(7);
        header.producer_epoch = headwater_codec::ProducerEpoch::new(0);
    });
    refused(&mut client, &place, no_sequence, ErrorCode::InvalidRecord, "a producer without sequence").await;
}

/// Until transactions are served.
#[tokio::test]
async fn transactions_are_unsupported_at_once() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("t").await, 0);
    let mut transactional = BatchBuilder::new()
        .producer(headwater_codec::ProducerId::new(7), headwater_codec::ProducerEpoch::new(0), 0)
        .transactional(true);
    transactional.push(now_ms(), None, Some(b"v"), &[]).unwrap();
    let transactional = transactional.build().unwrap().to_bytes();
    refused(&mut client, &place, transactional, ErrorCode::UnsupportedVersion, "a transactional batch").await;
    let request = ProduceRequest {
        transactional_id: Some("tx".into()),
        ..produce_request(-1, &[(&place, batch(&["a"]))])
    };
    let answer = client.call(9, &request).await;
    assert_eq!(answer.responses[0].partition_responses[0].error_code, ErrorCode::UnsupportedVersion);
}

/// C15.
#[tokio::test]
async fn size_limit_counts_the_batch_as_it_comes_and_the_topic_decides() {
    let broker = TestBroker::with(&["message.max.bytes=1000000"]).await;
    let mut client = broker.client().await;
    let place = client.create_topic_with("t", 1, &[("max.message.bytes", "2000")]).await;
    let ten: Vec<String> = (0..10).map(|_| "x".repeat(300)).collect();
    let ten: Vec<&str> = ten.iter().map(String::as_str).collect();
    let too_large = ErrorCode::MessageTooLarge;
    refused(&mut client, &place, batch(&ten), too_large, "ten small records in a large batch").await;
    let taken = |answer: headwater_codec::messages::produce::PartitionProduceResponse| {
        answer.error_code == ErrorCode::None
    };
    assert!(taken(client.produce(9, &place, batch_with(Compression::Gzip, &ten)).await), "small when packed");
    let long = "y".repeat(5000);
    assert!(taken(client.produce(9, &place, batch_with(Compression::Gzip, &[&long])).await));
    let overhead = batch(&[&"z".repeat(1900)]).len() - 1900;
    let exact = batch(&[&"z".repeat(2000 - overhead)]);
    assert_eq!(exact.len(), 2000, "with its 61 bytes of header");
    assert!(taken(client.produce(9, &place, exact).await));
    refused(&mut client, &place, batch(&[&"z".repeat(2001 - overhead)]), too_large, "one byte more").await;
    client.set_topic_config(&place.topic, "max.message.bytes", "10000").await;
    assert!(taken(client.produce(9, &place, batch(&ten)).await), "without a restart");
}

#[tokio::test]
async fn places_that_are_not_there_are_told_apart() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("t").await, 0);
    let unknown_topic = Place { topic: "u".into(), topic_id: Uuid::from_u128(4711), partition: 0 };
    for partition in [1, -1, i32::MAX] {
        let beyond = Place { partition, ..place.clone() };
        for version in [9, 13] {
            let answer = client.produce(version, &beyond, batch(&["a"])).await;
            assert_eq!((answer.error_code, answer.index), (ErrorCode::UnknownTopicOrPartition, partition));
        }
    }
    let code = |answer: headwater_codec::messages::produce::PartitionProduceResponse| answer.error_code;
    assert_eq!(
        code(client.produce(12, &unknown_topic, batch(&["a"])).await),
        ErrorCode::UnknownTopicOrPartition
    );
    assert_eq!(code(client.produce(13, &unknown_topic, batch(&["a"])).await), ErrorCode::UnknownTopicId);
    let internal = Place { topic: "__consumer_offsets".into(), ..unknown_topic.clone() };
    client.create_topic("__consumer_offsets").await;
    assert_eq!(code(client.produce(9, &internal, batch(&["a"])).await), ErrorCode::InvalidTopicException);
    let both = produce_request(-1, &[(&unknown_topic, batch(&["a"])), (&place, batch(&["a"]))]);
    let codes: Vec<_> = client
        .call(9, &both)
        .await
        .responses
        .iter()
        .map(|topic| topic.partition_responses[0].error_code)
        .collect();
    assert_eq!(
        codes,
        [ErrorCode::UnknownTopicOrPartition, ErrorCode::None],
        "one failure does not touch the others"
    );
}

#[tokio::test]
async fn acks_are_0_1_or_all() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("t").await, 0);
    for acks in [2, -2, i16::MAX] {
        let answer = client.call(9, &produce_request(acks, &[(&place, batch(&["a"]))])).await;
        let answer = &answer.responses[0].partition_responses[0];
        assert_eq!((answer.error_code, answer.base_offset), (ErrorCode::InvalidRequiredAcks, -1));
    }
    assert_eq!(client.log_end(&place).await, 0);
    for acks in [-1, 1] {
        let answer = client.call(9, &produce_request(acks, &[(&place, batch(&["a"]))])).await;
        assert_eq!(answer.responses[0].partition_responses[0].error_code, ErrorCode::None);
    }
}

#[tokio::test]
async fn compacted_topic_names_each_record_without_a_key() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = client.create_topic_with("t", 1, &[("cleanup.policy", "compact")]).await;
    let mut builder = BatchBuilder::new();
    for key in [Some(&b"k"[..]), None, Some(b""), None] {
        builder.push(now_ms(), key, Some(b"v"), &[]).unwrap();
    }
    let keyless = builder.build().unwrap().to_bytes();
    let answer = client.produce(9, &place, keyless).await;
    assert_eq!((answer.error_code, answer.base_offset), (ErrorCode::InvalidRecord, -1));
    let records: Vec<_> = answer.record_errors.iter().map(|error| error.batch_index).collect();
    assert_eq!(records, [1, 3]);
    assert!(answer.record_errors[0].batch_index_error_message.is_some() && answer.error_message.is_some());
}

/// C06, C07: header values that are null or empty, and bytes that are no text. The bytes are those of the cases.
#[tokio::test]
async fn headers_come_back_byte_for_byte_after_a_restart_too() {
    let mut broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("t").await, 0);
    let null_and_empty =
        hex("000000000000000000000040ffffffff02689680cb0000000000000000018bcfe568000000018bcfe56800\
         ffffffffffffffffffffffffffff000000011c000000026b027604026e01026500");
    let not_text =
        hex("000000000000000000000040ffffffff0213c9d0900000000000000000018bcfe568000000018bcfe56800\
         ffffffffffffffffffffffffffff000000011c000000026b02760204fffe04c328");
    for sent in [&null_and_empty, &not_text] {
        assert_eq!(client.produce(9, &place, sent.clone()).await.error_code, ErrorCode::None);
    }
    for restarted in [false, true] {
        if restarted {
            broker.restart().await;
        }
        let fetched = broker.client().await.fetch(12, &place, 0).await;
        let fetched = bytes_of(&fetched);
        assert_eq!(fetched.len(), null_and_empty.len() + not_text.len());
        let (first, second) = fetched.split_at(null_and_empty.len());
        assert_eq!((&first[16..], &second[16..]), (&null_and_empty[16..], &not_text[16..]));
    }
}

#[tokio::test]
async fn recreated_topic_starts_afresh() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let old = client.create_topic_with("t", 1, &[]).await;
    client.produce(9, &old, batch(&["a", "b"])).await;
    client.delete_topic(&old.topic).await;
    let answer = client.produce(13, &old, batch(&["a"])).await;
    assert_eq!(answer.error_code, ErrorCode::UnknownTopicId);
    let new = client.create_topic_with("t", 1, &[]).await;
    assert_ne!(new.topic_id, old.topic_id);
    assert_eq!(client.log_end(&new).await, 0);
    assert_eq!(client.produce(13, &new, batch(&["c"])).await.base_offset, 0);
    assert_eq!(client.fetch(13, &old, 0).await.error_code, ErrorCode::UnknownTopicId);
    assert_eq!(values_of(&client.fetch(13, &new, 0).await), ["c"]);
}

/// A producer's timeout is for replicas. Kafka on one node answers such a produce, and so do we, after the sync.
#[tokio::test]
async fn a_timeout_of_nothing_still_waits_for_the_disk() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("t").await, 0);
    for timeout_ms in [0, -1] {
        let request = ProduceRequest { timeout_ms, ..produce_request(-1, &[(&place, batch(&["a"]))]) };
        let answer = client.call(9, &request).await;
        assert_eq!(answer.responses[0].partition_responses[0].error_code, ErrorCode::None);
    }
}

//! Compressed batches: taken as they come, given as they came, never unpacked without bound.

use bytes::Bytes;
use headwater_codec::ErrorCode;
use headwater_records::{BatchBuilder, BatchHeader, Batches, Compression};

use crate::harness::{Place, TestBroker, batch, batch_at, batch_with, bytes_of, now_ms, sealed, values_of};

const CODECS: [Compression; 5] =
    [Compression::None, Compression::Gzip, Compression::Snappy, Compression::Lz4, Compression::Zstd];

/// C02.
#[tokio::test]
async fn codec_is_kept_and_bytes_are_not_touched() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("t").await, 0);
    let values = ["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"];
    for codec in CODECS {
        let sent = batch_with(codec, &values);
        let answer = client.produce(9, &place, sent.clone()).await;
        assert_eq!(answer.error_code, ErrorCode::None, "{codec}");
        let fetched = client.fetch(12, &place, answer.base_offset).await;
        assert_eq!(bytes_of(&fetched)[16..], sent[16..], "{codec}");
        let header = BatchHeader::parse(bytes_of(&fetched)).unwrap();
        assert_eq!(Batches::new(bytes_of(&fetched)).next().unwrap().unwrap().codec().unwrap(), codec);
        assert_eq!(header.record_count, 2);
        assert_eq!(values_of(&fetched), values);
    }
}

/// KIP-110.
#[tokio::test]
async fn zstd_is_for_those_who_know_it() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("t").await, 0);
    let zstd = batch_with(Compression::Zstd, &["zzzzzzzzzzzzzzzzzzzzzzzzzzzzzz"]);
    for version in [3, 6] {
        let answer = client.produce(version, &place, zstd.clone()).await;
        assert_eq!(answer.error_code, ErrorCode::UnsupportedCompressionType, "produce {version}");
    }
    assert_eq!(client.produce(9, &place, batch(&["plain"])).await.error_code, ErrorCode::None);
    assert_eq!(client.produce(7, &place, zstd).await.error_code, ErrorCode::None);
    // What counts for a fetch is the topic's config, as in Apache Kafka 4.3.
    assert_eq!(values_of(&client.fetch(4, &place, 0).await).len(), 2);
    client.set_topic_config(&place.topic, "compression.type", "zstd").await;
    for version in [4, 9] {
        let fetched = client.fetch(version, &place, 0).await;
        assert_eq!(fetched.error_code, ErrorCode::UnsupportedCompressionType, "fetch {version}");
        assert_eq!(bytes_of(&fetched), b"");
    }
    assert_eq!(client.fetch(10, &place, 0).await.error_code, ErrorCode::None);
}

#[tokio::test]
async fn a_topic_that_asks_for_a_codec_stores_it() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let topic = client.create_topic("t").await;
    let place = Place::new(&topic, 0);
    for (name, stored) in
        [("gzip", Compression::Gzip), ("uncompressed", Compression::None), ("zstd", Compression::Zstd)]
    {
        client.set_topic_config(&place.topic, "compression.type", name).await;
        let end = client.log_end(&place).await;
        let sent = batch_with(Compression::Lz4, &["one", "two"]);
        assert_eq!(client.produce(9, &place, sent).await.error_code, ErrorCode::None);
        let fetched = client.fetch(12, &place, end).await;
        let header = BatchHeader::parse(bytes_of(&fetched)).expect("a batch");
        assert_eq!(header.attributes.codec(), Some(stored), "{name}");
        assert_eq!(values_of(&fetched), ["one", "two"], "{name}");
    }
}

/// A batch whose records are these bytes, said to be packed with snappy.
fn snappy(records: &[u8]) -> Bytes {
    let template = batch_with(Compression::Snappy, &["v"]);
    sealed([&template[..BatchHeader::LEN], records].concat())
}

/// C12.
#[tokio::test]
async fn snappy_comes_in_two_framings() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("t").await, 0);
    let plain = batch(&["v"]);
    let plain = &plain[BatchHeader::LEN..];
    let xerial = [&hex_magic()[..], &[0, 0, 0, 1, 0, 0, 0, 1]].concat();
    let block = |bytes: &[u8]| {
        // One raw snappy block: its length, then one literal.
        let mut raw = vec![u8::try_from(bytes.len()).unwrap(), u8::try_from((bytes.len() - 1) << 2).unwrap()];
        raw.extend_from_slice(bytes);
        raw
    };
    let framed = |bytes: &[u8]| {
        let block = block(bytes);
        [&u32::try_from(block.len()).unwrap().to_be_bytes()[..], &block].concat()
    };
    let (head, rest) = plain.split_at(2);
    let (middle, tail) = rest.split_at(3);
    for (what, records) in [
        ("raw", block(plain)),
        ("xerial", [xerial.clone(), framed(plain)].concat()),
        ("three blocks", [xerial.clone(), framed(head), framed(middle), framed(tail)].concat()),
    ] {
        let sent = snappy(&records);
        let answer = client.produce(9, &place, sent.clone()).await;
        assert_eq!(answer.error_code, ErrorCode::None, "{what}: {:?}", answer.error_message);
        let fetched = client.fetch(12, &place, answer.base_offset).await;
        assert_eq!(bytes_of(&fetched)[16..], sent[16..], "{what}");
        assert_eq!(values_of(&fetched), ["v"], "{what}");
    }
    let beyond = [xerial, vec![0, 0, 1, 0], block(plain)].concat();
    let answer = client.produce(9, &place, snappy(&beyond)).await;
    assert_eq!(answer.error_code, ErrorCode::InvalidRecord);
    assert_eq!(client.log_end(&place).await, 3);
}

fn hex_magic() -> [u8; 8] {
    *b"\x82SNAPPY\0"
}

/// C13: what unpacks to more than the bound is refused, and not for a retry; what is large and legal is taken.
#[tokio::test]
async fn unpacking_is_bounded() {
    let broker =
        TestBroker::with(&["max.decompressed.message.bytes=30000000", "message.max.bytes=10000000"]).await;
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("t").await, 0);
    for codec in [Compression::Gzip, Compression::Snappy, Compression::Lz4, Compression::Zstd] {
        let build = |length: usize| {
            let mut builder = BatchBuilder::new().compression(codec);
            builder.push(now_ms(), Some(b"k"), Some(&vec![0; length]), &[]).unwrap();
            builder.build().unwrap().to_bytes()
        };
        let legal = build(20_000_000);
        if legal.len() < 1_000_000 {
            assert_eq!(client.produce(9, &place, legal).await.error_code, ErrorCode::None, "{codec}");
        }
        let end = client.log_end(&place).await;
        let bomb = build(60_000_000);
        let answer = client.produce(9, &place, bomb).await;
        assert_eq!(answer.error_code, ErrorCode::InvalidRecord, "{codec}");
        assert!(!answer.error_code.is_retriable());
        assert_eq!(client.log_end(&place).await, end, "{codec}");
    }
}

#[tokio::test]
async fn packed_garbage_is_refused() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("t").await, 0);
    for codec in [Compression::Gzip, Compression::Snappy, Compression::Lz4, Compression::Zstd] {
        let whole = batch_at(codec, &[now_ms(); 50]);
        let half = BatchHeader::LEN + (whole.len() - BatchHeader::LEN) / 2;
        let cut = sealed(whole[..half].to_vec());
        let answer = client.produce(9, &place, cut).await;
        assert_eq!(answer.error_code, ErrorCode::InvalidRecord, "{codec}");
    }
    assert_eq!(client.log_end(&place).await, 0);
}

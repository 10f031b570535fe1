//! Compaction as clients see it: C06, C22 and C34 through the front door.

use std::time::Duration;

use headwater_codec::ErrorCode;
use headwater_records::{BatchBuilder, Batches, Compression, HeaderRef};

use crate::harness::*;

/// A record: offset, key, value, number of headers.
type Read = (i64, String, Option<String>, usize);

const TOPIC: [(&str, &str); 4] = [
    ("cleanup.policy", "compact"),
    ("internal.segment.bytes", "200"),
    ("min.cleanable.dirty.ratio", "0"),
    ("delete.retention.ms", "300"),
];

async fn broker() -> TestBroker {
    TestBroker::with(&["log.cleaner.backoff.ms=20"]).await
}

async fn set(client: &mut Client, place: &Place, key: &str, value: Option<&str>, headers: &[HeaderRef<'_>]) {
    let mut builder = BatchBuilder::new().compression(Compression::Gzip);
    builder.push(now_ms(), Some(key.as_bytes()), value.map(str::as_bytes), headers).unwrap();
    let answer = client.produce(9, place, builder.build().unwrap().to_bytes()).await;
    assert_eq!(answer.error_code, ErrorCode::None);
}

/// Every record from `from` on, as a consumer gets them that reads to the end.
async fn read(client: &mut Client, place: &Place, mut from: i64) -> Vec<Read> {
    let mut found = Vec::new();
    let end = client.log_end(place).await;
    while from < end {
        let data = client.fetch(12, place, from).await;
        assert_eq!(data.error_code, ErrorCode::None);
        let mut next = from;
        for batch in Batches::new(bytes_of(&data)) {
            let batch = batch.unwrap();
            batch.check_crc().unwrap();
            assert!(batch.header().last_offset().get() >= from, "a batch that ends before what is asked for");
            for record in &batch.records(1 << 20).unwrap() {
                let record = record.unwrap();
                let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
                if record.offset.get() >= from {
                    let (key, value) = (text(record.key.unwrap()), record.value.map(text));
                    found.push((record.offset.get(), key, value, record.headers.count()));
                }
            }
            next = batch.header().next_offset().get();
        }
        assert!(next > from, "nothing is given at {from}, below the end {end}");
        from = next;
    }
    found
}

/// Reads until it finds what it waits for.
async fn read_until(
    client: &mut Client,
    place: &Place,
    what: &str,
    is_there: impl Fn(&[Read]) -> bool,
) -> Vec<Read> {
    for _ in 0..500 {
        let found = read(client, place, 0).await;
        if is_there(&found) {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{what} does not come to pass");
}

fn has(found: &[Read], key: &str, value: Option<&str>) -> bool {
    found.iter().any(|(_, k, v, _)| k == key && v.as_deref() == value)
}

#[tokio::test]
async fn old_values_go_and_a_tombstone_with_headers_goes_after_its_time() {
    tombstone_goes("kafka").await;
}

#[tokio::test]
async fn old_values_and_tombstones_go_from_native_topics_too() {
    tombstone_goes("native").await;
}

async fn tombstone_goes(format: &str) {
    let mut broker = broker().await;
    let mut client = broker.client().await;
    let configs = [&TOPIC[..], &[("headwater.record.format", format)]].concat();
    let place = client.create_topic_with("t", 1, &configs).await;
    let headers: [HeaderRef<'_>; 3] = [(b"n", None), (b"e", Some(b"")), (b"n", Some(b"1"))];
    set(&mut client, &place, "stay", Some(""), &headers).await;
    set(&mut client, &place, "k", Some("old"), &[]).await;
    set(&mut client, &place, "k", None, &headers).await;
    for round in 0..4 {
        set(&mut client, &place, "other", Some(&round.to_string()), &[]).await;
    }
    let gone = |found: &[Read]| !has(found, "k", Some("old"));
    let found = read_until(&mut client, &place, "the old value's end", gone).await;
    assert_eq!(found[0], (0, "stay".into(), Some(String::new()), 3), "an empty value is a value");
    let gone = |found: &[Read]| !has(found, "k", None);
    let found = read_until(&mut client, &place, "the tombstone's end, without a write", gone).await;
    assert_eq!(found[0], (0, "stay".into(), Some(String::new()), 3));
    assert!(has(&found, "other", Some("3")), "the active segment stays");
    broker.restart().await;
    let mut client = broker.client().await;
    assert_eq!(read(&mut client, &place, 0).await, found);
    set(&mut client, &place, "k", Some("new"), &[]).await;
    assert!(has(&read(&mut client, &place, 0).await, "k", Some("new")));
}

#[tokio::test]
async fn offsets_that_are_gone_are_read_on_from() {
    let broker = broker().await;
    let mut client = broker.client().await;
    let place = client.create_topic_with("t", 1, &TOPIC).await;
    for round in 0..60 {
        let key = ["a", "b", "c"][round % 3];
        set(&mut client, &place, key, Some(&format!("{round}")), &[]).await;
    }
    let mut kept = read_until(&mut client, &place, "compaction", |found| found.len() < 10).await;
    // The cleaner goes on until nothing changes any more.
    for _ in 0..50 {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let before = std::mem::replace(&mut kept, read(&mut client, &place, 0).await);
        if before == kept {
            break;
        }
    }
    for from in 0..60 {
        let expected: Vec<_> = kept.iter().filter(|(offset, ..)| *offset >= from).cloned().collect();
        assert_eq!(read(&mut client, &place, from).await, expected, "from {from}");
    }
    assert_eq!(client.log_end(&place).await, 60);
}

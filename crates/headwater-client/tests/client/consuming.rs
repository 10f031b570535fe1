//! Fetching and being pushed to, with and without headers.

use bytes::BytesMut;
use futures_util::{StreamExt, pin_mut};
use headwater_client::{
    ClientError, ConnectOptions, Ended, FetchOptions, Headers, Offset, PartitionId, RecordToProduce,
};
use headwater_native::{
    CorrelationId, Request,
    messages::{Done, Fetch, FetchFlags, Isolation, ProduceAck, RecordBatch, RecordLayout},
};

use crate::scripted::{Server, WITH_HEADERS, play, push, record};

fn headers() -> Headers {
    Headers::encode([("retry", "1"), ("retry", "2"), ("empty", "")]).unwrap()
}

#[tokio::test]
async fn fetched_records_bring_their_headers() {
    let sent = vec![headwater_client::Record { headers: headers(), ..record(4, "a") }, record(5, "b")];
    let expected = sent.clone();
    let script = async move |mut server: Server| {
        server.greet(WITH_HEADERS).await;
        let (id, request) = server.request().await;
        let fetch = Fetch {
            topic: "orders".into(),
            group: "billing".into(),
            max_records: 100,
            isolation: Isolation::ReadUncommitted,
            flags: FetchFlags::BATCHED | FetchFlags::HEADERS,
        };
        assert_eq!(request, fetch.into());
        server.send(id, &RecordBatch { records: sent.clone() }.laid_out(RecordLayout::Headers)).await;
        server.send(id, &Done {}).await;
        // One by one and without headers, because that is what is asked for then.
        let (id, request) = server.request().await;
        assert!(matches!(request, Request::Fetch(fetch) if fetch.flags == FetchFlags::NONE));
        for record in &sent {
            server.send(id, &record.laid_out(RecordLayout::Plain)).await;
        }
        server.send(id, &Done {}).await;
        // Nothing to fetch: no batch at all.
        server.answer(&Done {}).await;
    };
    play(ConnectOptions::default(), script, async |client| {
        let client = client.unwrap();
        let fetched = client.fetch("orders", "billing", FetchOptions::default()).await.unwrap();
        assert_eq!(fetched, expected);
        let plain = FetchOptions { batched: false, headers: false, ..FetchOptions::default() };
        let fetched = client.fetch("orders", "billing", plain).await.unwrap();
        let values: Vec<_> =
            fetched.iter().map(|record| (&record.value[..], record.headers.is_empty())).collect();
        assert_eq!(values, [(&b"a"[..], true), (b"b", true)]);
        assert_eq!(client.fetch("orders", "billing", FetchOptions::default()).await.unwrap(), []);
    })
    .await;
}

#[tokio::test]
async fn a_server_without_headers_is_not_asked_for_them_and_given_none() {
    let script = async |mut server: Server| {
        server.greet("v0.01").await;
        let (id, request) = server.request().await;
        assert!(matches!(request, Request::Fetch(fetch) if fetch.flags == FetchFlags::BATCHED));
        let batch = RecordBatch { records: vec![record(0, "a")] };
        server.send(id, &batch.laid_out(RecordLayout::Plain)).await;
        server.send(id, &Done {}).await;
        // The next request that comes is the one without headers.
        let ack = ProduceAck { partition: PartitionId::new(1), offset: Offset::ZERO };
        let Request::Produce(produce) = server.answer(&ack).await else { panic!("no PRODUCE") };
        assert_eq!(&produce.value[..], b"plain");
    };
    play(ConnectOptions::default(), script, async |client| {
        let client = client.unwrap();
        let fetched = client.fetch("orders", "billing", FetchOptions::default()).await.unwrap();
        assert_eq!(fetched, [record(0, "a")]);
        let traced = RecordToProduce::new("", "traced").with_headers([("trace-id", "1")]).unwrap();
        let refused = client.produce("orders", traced.clone()).await;
        assert!(matches!(refused, Err(ClientError::HeadersNotKept)));
        let plain = RecordToProduce::new("", "plain");
        let refused = client.produce_batch("orders", vec![plain.clone(), traced]).await;
        assert!(matches!(refused, Err(ClientError::HeadersNotKept)), "nothing of the batch is sent");
        client.produce("orders", plain).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn more_records_than_asked_for_end_the_connection() {
    let script = async |mut server: Server| {
        server.greet("1").await;
        let (id, _) = server.request().await;
        for offset in 0..3 {
            server.send(id, &record(offset, "").laid_out(RecordLayout::Plain)).await;
        }
        assert!(server.next().await.is_none());
    };
    play(ConnectOptions::default(), script, async |client| {
        let two = FetchOptions { max_records: 2, batched: false, ..FetchOptions::default() };
        let error = client.unwrap().fetch("orders", "g", two).await.unwrap_err();
        assert!(matches!(error, ClientError::Ended(Ended::TooManyRecords)), "{error}");
    })
    .await;
}

#[tokio::test]
async fn pushed_records_are_a_stream_that_ends_with_the_reason() {
    let script = async |mut server: Server| {
        server.greet(WITH_HEADERS).await;
        let Request::Subscribe(subscribe) = server.answer(&Done {}).await else { panic!("no SUBSCRIBE") };
        assert_eq!(subscribe.flags, FetchFlags::HEADERS);
        push(&mut server, &headwater_client::Record { headers: headers(), ..record(0, "a") }).await;
        push(&mut server, &record(1, "b")).await;
    };
    play(ConnectOptions::default(), script, async |client| {
        let client = client.unwrap();
        client.subscribe("orders", "billing").await.unwrap();
        let records = client.records();
        pin_mut!(records);
        assert_eq!(records.next().await.unwrap().unwrap().headers, headers());
        assert_eq!(records.next().await.unwrap().unwrap(), record(1, "b"));
        let end = records.next().await.unwrap().unwrap_err();
        assert!(matches!(end, ClientError::Ended(Ended::ByServer)), "{end}");
        assert!(records.next().await.is_none());
    })
    .await;
}

/// Far more than the client takes unasked, and than two sockets' buffers hold.
const PUSHED: i64 = 256;
const PUSHED_BYTES: usize = 128 << 10;

#[tokio::test(flavor = "multi_thread")]
async fn a_server_is_held_back_while_records_are_not_taken_but_calls_are_answered() {
    let script = async |mut server: Server| {
        server.greet(WITH_HEADERS).await;
        server.answer(&Done {}).await;
        let (mut reading, mut writing) = server.stream.into_split();
        let pushing = tokio::spawn(async move {
            let (mut sent, mut held_back) = (0_usize, false);
            for offset in 0..PUSHED {
                let mut out = BytesMut::new();
                let pushed = record(offset, vec![0; PUSHED_BYTES]);
                let layout = RecordLayout::Headers;
                headwater_native::Frame::encode(
                    CorrelationId::ZERO,
                    &pushed.laid_out(layout),
                    1 << 24,
                    &mut out,
                )
                .unwrap();
                let write = tokio::io::AsyncWriteExt::write_all(&mut writing, &out);
                let patience = std::time::Duration::from_millis(300);
                tokio::pin!(write);
                if held_back {
                    write.await.unwrap();
                } else if tokio::time::timeout(patience, &mut write).await.is_err() {
                    held_back = true;
                    // Held back. Wait for the COMMIT, whose answer must get through behind all this.
                    assert!(sent < PUSHED_BYTES * PUSHED as usize);
                    let mut buffer = BytesMut::new();
                    let frame = loop {
                        if let Some(frame) = headwater_native::Frame::take(&mut buffer, 1 << 20).unwrap() {
                            break frame;
                        }
                        let read =
                            tokio::io::AsyncReadExt::read_buf(&mut reading, &mut buffer).await.unwrap();
                        assert_ne!(read, 0);
                    };
                    write.await.unwrap();
                    let mut out = BytesMut::new();
                    headwater_native::Frame::encode(frame.correlation_id, &Done {}, 1 << 20, &mut out)
                        .unwrap();
                    tokio::io::AsyncWriteExt::write_all(&mut writing, &out).await.unwrap();
                }
                sent += PUSHED_BYTES;
            }
            assert!(held_back);
        });
        pushing.await.unwrap();
    };
    play(ConnectOptions::default(), script, async |client| {
        let client = client.unwrap();
        client.subscribe("orders", "billing").await.unwrap();
        // Long enough for the server to be held back.
        tokio::time::sleep(std::time::Duration::from_millis(900)).await;
        client.commit("orders", PartitionId::new(1), Offset::ZERO).await.unwrap();
        for offset in 0..PUSHED {
            let taken = client.next_record().await.unwrap();
            assert_eq!((taken.offset.get(), taken.value.len()), (offset, PUSHED_BYTES));
        }
    })
    .await;
}

//! The native door: a client made of the protocol's codec, and what such clients can observe.

mod administration;
mod authentication;
mod dead_letters;
mod groups;
mod idempotence;
mod quotas;
mod records;
mod sessions;

use std::net::SocketAddr;

use bytes::{Bytes, BytesMut};
use headwater_codec::{Offset, Str};
use headwater_native::{
    CorrelationId, ErrorCode, Frame, Headers, PartitionId, Payload, Reply, limits,
    messages::{
        Auth, CreateTopic, Done, Failure, Fetch, FetchFlags, Hello, IdentifyClient, Nack, Produce,
        ProduceAck, Record, RecordLayout, RecordToProduce,
    },
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

use crate::harness::{PATIENCE, TestBroker};

/// One native connection.
pub(crate) struct NativeClient {
    stream: TcpStream,
    buffer: BytesMut,
    layout: RecordLayout,
    next_id: u64,
}

impl NativeClient {
    /// Connects and says nothing.
    pub(crate) async fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        Self { stream, buffer: BytesMut::new(), layout: RecordLayout::Headers, next_id: 0 }
    }

    /// Connects, greets and authenticates.
    pub(crate) async fn open(broker: &TestBroker) -> Self {
        let mut client = Self::connect(broker.native_address()).await;
        assert!(matches!(client.call(&Hello { version: 1 }).await, Reply::Welcome(_)));
        let auth = Auth { user: "anybody".into(), password: Bytes::from_static(b"anything") };
        assert!(matches!(client.call(&auth).await, Reply::AuthOk(_)));
        client
    }

    pub(crate) async fn send(&mut self, message: &impl Payload) -> CorrelationId {
        self.next_id += 1;
        let mut id = [0xab; 16];
        id[..8].copy_from_slice(&self.next_id.to_be_bytes());
        let id = CorrelationId::new(id);
        let mut frame = BytesMut::new();
        Frame::encode(id, message, limits::SERVER_FRAME_BYTES_MAX, &mut frame).unwrap();
        self.send_raw(&frame).await;
        id
    }

    pub(crate) async fn send_raw(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.unwrap();
    }

    /// The next frame as it came; `None` when the connection is closed.
    pub(crate) async fn frame(&mut self) -> Option<Frame> {
        let read = async {
            loop {
                if let Some(frame) = Frame::take(&mut self.buffer, limits::CLIENT_FRAME_BYTES_MAX).unwrap() {
                    return Some(frame);
                }
                if self.stream.read_buf(&mut self.buffer).await.unwrap_or(0) == 0 {
                    return None;
                }
            }
        };
        timeout(PATIENCE, read).await.expect("a frame or the end, in time")
    }

    /// The next reply with its id.
    pub(crate) async fn receive(&mut self) -> (CorrelationId, Reply) {
        let frame = self.frame().await.expect("a reply");
        (frame.correlation_id, Reply::decode(frame, self.layout).unwrap())
    }

    /// Sends a request and waits for its answer.
    pub(crate) async fn call(&mut self, message: &impl Payload) -> Reply {
        let sent = self.send(message).await;
        let (id, reply) = self.receive().await;
        assert_eq!(id, sent, "{reply:?}");
        reply
    }

    /// Sends a request that is to be answered with OK.
    pub(crate) async fn done(&mut self, message: &impl Payload) {
        assert_eq!(self.call(message).await, Reply::Done(Done {}));
    }

    /// Sends a request that is to be refused, and gives the refusal.
    pub(crate) async fn refused(&mut self, message: &impl Payload) -> Failure {
        match self.call(message).await {
            Reply::Failure(failure) => failure,
            other => panic!("not refused: {other:?}"),
        }
    }

    pub(crate) async fn create_topic(&mut self, name: &str, partitions: u32) {
        self.done(&CreateTopic { name: name.into(), partitions }).await;
    }

    pub(crate) async fn produce(&mut self, topic: &str, record: &RecordToProduce) -> ProduceAck {
        let request = Produce {
            codec: headwater_records::native::ValueCodec::None,
            topic: topic.into(),
            key: record.key.clone(),
            value: record.value.clone(),
            headers: record.headers.clone(),
        };
        match self.call(&request).await {
            Reply::ProduceAck(ack) => ack,
            other => panic!("not produced: {other:?}"),
        }
    }

    /// Fetches in one batch, headers included.
    pub(crate) async fn fetch(&mut self, topic: &str, group: &str, max_records: u32) -> Vec<Record> {
        let fetch = fetch(topic, group, max_records, FetchFlags::BATCHED | FetchFlags::HEADERS);
        let sent = self.send(&fetch).await;
        let mut records = Vec::new();
        loop {
            let (id, reply) = self.receive().await;
            assert_eq!(id, sent, "{reply:?}");
            match reply {
                Reply::RecordBatch(batch) => records.extend(batch.records),
                Reply::Done(_) => return records,
                other => panic!("not fetched: {other:?}"),
            }
        }
    }

    pub(crate) async fn nack(&mut self, topic: &str, partition: u32, offset: i64, reason: &str) -> Reply {
        let nack = Nack {
            topic: topic.into(),
            partition: PartitionId::new(partition),
            offset: Offset::new(offset).unwrap(),
            reason: Bytes::copy_from_slice(reason.as_bytes()),
        };
        self.call(&nack).await
    }
}

fn fetch(topic: &str, group: &str, max_records: u32, flags: FetchFlags) -> Fetch {
    Fetch { topic: topic.into(), group: group.into(), max_records, flags, ..Fetch::default() }
}

fn record(key: &str, value: &str) -> RecordToProduce {
    with_headers(key, value, &[])
}

fn with_headers(key: &str, value: &str, headers: &[(&str, &str)]) -> RecordToProduce {
    RecordToProduce {
        key: Bytes::copy_from_slice(key.as_bytes()),
        value: Bytes::copy_from_slice(value.as_bytes()),
        headers: Headers::encode(headers.iter().copied()).unwrap(),
    }
}

fn headers_of(record: &Record) -> Vec<(String, String)> {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    record.headers.iter().map(|(name, value)| (text(name), text(value))).collect()
}

fn values(records: &[Record]) -> Vec<&str> {
    records.iter().map(|record| std::str::from_utf8(&record.value).unwrap()).collect()
}

fn at(partition: u32, offset: i64) -> ProduceAck {
    ProduceAck { partition: PartitionId::new(partition), offset: Offset::new(offset).unwrap() }
}

fn identify() -> IdentifyClient {
    IdentifyClient { name: Str::from("test"), version: Str::from("1") }
}

const BAD_FRAME: ErrorCode = ErrorCode::BAD_FRAME;

//! A server that does what a test says, step by step.

use std::time::Duration;

use bytes::BytesMut;
use headwater_client::{Client, ClientError, ConnectOptions, Offset, PartitionId, Record};
use headwater_native::{
    CorrelationId, Frame, Payload, Request, limits,
    messages::{AuthOk, Hello, IdentifyAck, ProducerIdentity, RecordLayout, Welcome},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

/// The server's end of one connection.
pub(crate) struct Server {
    pub(crate) stream: TcpStream,
    buffer: BytesMut,
}

impl Server {
    pub(crate) async fn accept(listener: &TcpListener) -> Self {
        Self { stream: listener.accept().await.unwrap().0, buffer: BytesMut::new() }
    }

    /// The next request; `None` when the client has closed.
    pub(crate) async fn next(&mut self) -> Option<(CorrelationId, Request)> {
        loop {
            if let Some(frame) = Frame::take(&mut self.buffer, limits::SERVER_FRAME_BYTES_MAX).unwrap() {
                return Some((frame.correlation_id, Request::decode(frame).unwrap()));
            }
            if self.stream.read_buf(&mut self.buffer).await.unwrap() == 0 {
                return None;
            }
        }
    }

    /// The next request, which comes.
    pub(crate) async fn request(&mut self) -> (CorrelationId, Request) {
        self.next().await.expect("a request")
    }

    pub(crate) async fn send(&mut self, id: CorrelationId, message: &impl Payload) {
        let mut out = BytesMut::new();
        Frame::encode(id, message, limits::CLIENT_FRAME_BYTES_MAX, &mut out).unwrap();
        self.stream.write_all(&out).await.unwrap();
    }

    /// Answers the next request, whatever it is, and gives it.
    pub(crate) async fn answer(&mut self, message: &impl Payload) -> Request {
        let (id, request) = self.request().await;
        self.send(id, message).await;
        request
    }

    /// Plays the whole handshake of a client without a producer.
    pub(crate) async fn greet(&mut self, version: &str) {
        let hello = self.answer(&Welcome { version: 1 }).await;
        assert_eq!(hello, Hello { version: 1 }.into());
        assert!(matches!(self.answer(&AuthOk::default()).await, Request::Auth(_)));
        let ack = IdentifyAck { server: "Scripted".into(), version: version.into() };
        assert!(matches!(self.answer(&ack).await, Request::IdentifyClient(_)));
    }

    /// The same, and then the answer to INIT_PRODUCER_ID.
    pub(crate) async fn greet_producer(&mut self, version: &str) {
        self.greet(version).await;
        let identity = ProducerIdentity { producer_id: 7.into(), producer_epoch: 3 };
        assert!(matches!(self.answer(&identity).await, Request::InitProducerId(_)));
    }
}

/// Runs a client against a script of the server.
pub(crate) async fn play<S: Future<Output = ()> + Send + 'static, C: Future<Output = ()>>(
    options: ConnectOptions,
    script: impl FnOnce(Server) -> S + Send + 'static,
    client: impl FnOnce(Result<Client, ClientError>) -> C,
) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let server = tokio::spawn(async move { script(Server::accept(&listener).await).await });
    let connected = Client::connect(ConnectOptions { hosts: vec![address], ..options }).await;
    client(connected).await;
    server.await.unwrap();
}

/// Options of a client that does not wait for long.
pub(crate) fn hasty() -> ConnectOptions {
    ConnectOptions { timeout: Duration::from_secs(1), ..ConnectOptions::default() }
}

pub(crate) fn record(offset: i64, value: impl Into<bytes::Bytes>) -> Record {
    Record {
        topic: "orders".into(),
        partition: PartitionId::new(1),
        offset: Offset::new(offset).unwrap(),
        timestamp: 1,
        value: value.into(),
        ..Record::default()
    }
}

/// Pushes a record with its headers.
pub(crate) async fn push(server: &mut Server, record: &Record) {
    server.send(CorrelationId::ZERO, &record.laid_out(RecordLayout::Headers)).await;
}

pub(crate) const WITH_HEADERS: &str = "0.1.0 capabilities=headers";

//! A broker in this process, and a small client made of the codec.

use std::{net::SocketAddr, time::Duration};

use bytes::{Bytes, BytesMut};
use headwater_broker::{Broker, Config};
use headwater_codec::{
    BrokerId, CorrelationId, ErrorCode, Message, ProducerEpoch, ProducerId, Request, Str, TopicName, Uuid,
    decode_response, encode_request,
    messages::{
        create_topics::{CreatableTopic, CreatableTopicConfig, CreateTopicsRequest},
        delete_topics::DeleteTopicsRequest,
        fetch::{FetchPartition, FetchRequest, FetchResponse, FetchTopic, PartitionData},
        incremental_alter_configs::{AlterConfigsResource, AlterableConfig, IncrementalAlterConfigsRequest},
        list_offsets::{
            ListOffsetsPartition, ListOffsetsPartitionResponse, ListOffsetsRequest, ListOffsetsTopic,
        },
        metadata::{MetadataRequest, MetadataRequestTopic, MetadataResponseTopic},
        produce::{PartitionProduceData, PartitionProduceResponse, ProduceRequest, TopicProduceData},
    },
};
use headwater_records::{BatchBuilder, BatchHeader, Batches, Compression};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

/// A broker on a free port with a directory of its own.
pub(crate) struct TestBroker {
    broker: Option<Broker>,
    settings: Vec<String>,
    dir: TempDir,
}

impl TestBroker {
    /// A broker with defaults.
    pub(crate) async fn start() -> Self {
        Self::with(&[]).await
    }

    /// A broker with these settings on top.
    pub(crate) async fn with(settings: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let settings = settings.iter().map(|setting| (*setting).to_owned()).collect();
        let mut started = Self { broker: None, settings, dir };
        started.broker = Some(started.launch().await);
        started
    }

    async fn launch(&self) -> Broker {
        let mut config = Config::builder()
            .set("listeners=PLAINTEXT://127.0.0.1:0")
            .set("admin.listener=")
            .set("native.listeners=127.0.0.1:0")
            .set(&format!("log.dirs={}", self.dir.path().join("data").display()));
        for setting in &self.settings {
            config = config.set(setting);
        }
        Broker::start(config.build().unwrap()).await.unwrap()
    }

    pub(crate) fn broker(&self) -> &Broker {
        self.broker.as_ref().unwrap()
    }

    /// The directory that holds the log directory.
    pub(crate) fn dir(&self) -> &std::path::Path {
        self.dir.path()
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.broker().addresses()[0]
    }

    /// Where the native door listens.
    pub(crate) fn native_address(&self) -> SocketAddr {
        self.broker().native_addresses()[0]
    }

    pub(crate) async fn client(&self) -> Client {
        Client::connect(self.address()).await
    }

    /// Stops the broker in good order.
    pub(crate) async fn stop(&mut self) {
        self.broker.take().unwrap().shutdown().await.unwrap();
    }

    /// Drops it, which stops it as a crash would, and starts another one on the same directory.
    pub(crate) async fn crash(&mut self) {
        drop(self.broker.take());
        // What was under way ends by itself, and with it the hold on the directories.
        for dir in ["data", "data-native"].map(|name| self.dir.path().join(name)) {
            while dir.exists() && headwater_storage::DirLock::acquire(&dir).is_err() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
        self.broker = Some(self.launch().await);
    }

    /// Stops it and starts another one on the same directory.
    pub(crate) async fn restart(&mut self) {
        self.stop().await;
        self.broker = Some(self.launch().await);
    }
}

/// One connection.
pub(crate) struct Client {
    stream: TcpStream,
    correlation_id: i32,
    client_id: Str,
}

impl Client {
    pub(crate) async fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream, correlation_id: 0, client_id: Str::from_static("test") }
    }

    /// The same connection by another name.
    pub(crate) fn named(self, client_id: &str) -> Self {
        Self { client_id: client_id.into(), ..self }
    }

    /// Sends a request and waits for its answer.
    pub(crate) async fn call<R: Request>(&mut self, version: i16, request: &R) -> R::Response {
        let correlation_id = self.send(version, request).await;
        self.receive::<R>(version, correlation_id).await
    }

    /// Sends a request and gives the number of its answer.
    pub(crate) async fn send<R: Request>(&mut self, version: i16, request: &R) -> CorrelationId {
        self.correlation_id += 1;
        let id = CorrelationId::new(self.correlation_id);
        let frame =
            encode_request(id, Some(self.client_id.clone()), version, request, &mut BytesMut::new()).unwrap();
        self.send_raw(&frame.to_bytes().unwrap()).await;
        id
    }

    /// Waits for the answer with that number, which must be the next one.
    pub(crate) async fn receive<R: Request>(&mut self, version: i16, expected: CorrelationId) -> R::Response {
        let frame = self.receive_raw().await.expect("an answer");
        let (id, response) = decode_response::<R::Response>(R::KEY, version, frame).unwrap();
        assert_eq!(id, expected, "answers come in the order of the requests");
        response
    }

    pub(crate) async fn send_raw(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.unwrap();
    }

    /// The next frame without its length; `None` when the broker has closed the connection.
    pub(crate) async fn receive_raw(&mut self) -> Option<Bytes> {
        let read = async {
            let length = self.stream.read_u32().await.ok()?;
            let mut frame = vec![0; length as usize];
            self.stream.read_exact(&mut frame).await.ok()?;
            Some(Bytes::from(frame))
        };
        timeout(PATIENCE, read).await.expect("an answer or the end, in time")
    }

    /// Whether the broker closes the connection without another answer.
    pub(crate) async fn is_closed(&mut self) -> bool {
        self.receive_raw().await.is_none()
    }

    /// Creates a topic by asking for it, and gives what is known of it.
    pub(crate) async fn create_topic(&mut self, name: &str) -> MetadataResponseTopic {
        let topics = Some(vec![MetadataRequestTopic { name: Some(name.into()), ..Default::default() }]);
        let request = MetadataRequest { topics, allow_auto_topic_creation: true, ..Default::default() };
        let mut response = self.call(12, &request).await;
        let topic = response.topics.remove(0);
        assert_eq!(topic.error_code, ErrorCode::None, "{name}");
        topic
    }

    /// Creates a topic with configs.
    pub(crate) async fn create_topic_with(
        &mut self,
        name: &str,
        partitions: i32,
        configs: &[(&str, &str)],
    ) -> Place {
        let config = |(name, value): &(&str, &str)| CreatableTopicConfig {
            name: (*name).into(),
            value: Some((*value).into()),
            ..Default::default()
        };
        let topic = CreatableTopic {
            name: name.into(),
            num_partitions: partitions,
            replication_factor: 1,
            configs: configs.iter().map(config).collect(),
            ..Default::default()
        };
        let request = CreateTopicsRequest { topics: vec![topic], timeout_ms: 10_000, ..Default::default() };
        let answer = self.call(7, &request).await;
        assert_eq!(answer.topics[0].error_code, ErrorCode::None, "{:?}", answer.topics[0].error_message);
        Place { topic: name.into(), topic_id: answer.topics[0].topic_id, partition: 0 }
    }

    /// Sets one config of a topic.
    pub(crate) async fn set_topic_config(&mut self, topic: &TopicName, name: &str, value: &str) {
        let config = AlterableConfig { name: name.into(), value: Some(value.into()), ..Default::default() };
        let resource = AlterConfigsResource {
            resource_type: 2,
            resource_name: topic.as_str().into(),
            configs: vec![config],
            ..Default::default()
        };
        let request = IncrementalAlterConfigsRequest { resources: vec![resource], ..Default::default() };
        let answer = self.call(1, &request).await;
        assert_eq!(
            answer.responses[0].error_code,
            ErrorCode::None,
            "{:?}",
            answer.responses[0].error_message
        );
    }

    /// Deletes a topic by name.
    pub(crate) async fn delete_topic(&mut self, topic: &TopicName) {
        let request = DeleteTopicsRequest {
            topic_names: vec![topic.clone()],
            timeout_ms: 10_000,
            ..Default::default()
        };
        let answer = self.call(5, &request).await;
        assert_eq!(answer.responses[0].error_code, ErrorCode::None);
    }

    /// Asks one partition for the offset at `timestamp`.
    pub(crate) async fn offset_at(
        &mut self,
        version: i16,
        place: &Place,
        timestamp: i64,
    ) -> ListOffsetsPartitionResponse {
        let request = list_offsets_request(&[(place, timestamp)]);
        self.call(version, &request).await.topics.remove(0).partitions.remove(0)
    }

    /// The offset that the next record gets.
    pub(crate) async fn log_end(&mut self, place: &Place) -> i64 {
        self.offset_at(7, place, -1).await.offset
    }

    /// Produces `records` to one partition with `acks=-1`.
    pub(crate) async fn produce(
        &mut self,
        version: i16,
        to: &Place,
        records: impl Into<Bytes>,
    ) -> PartitionProduceResponse {
        let mut response = self.call(version, &produce_request(-1, &[(to, records.into())])).await;
        response.responses.remove(0).partition_responses.remove(0)
    }

    /// Fetches one partition without a session and without waiting.
    pub(crate) async fn fetch(&mut self, version: i16, from: &Place, offset: i64) -> PartitionData {
        let mut response: FetchResponse = self.call(version, &fetch_request(&[(from, offset)])).await;
        assert_eq!(response.error_code, ErrorCode::None);
        response.responses.remove(0).partitions.remove(0)
    }
}

/// A partition by name and id, so that every version can name it.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) topic: TopicName,
    pub(crate) topic_id: Uuid,
    pub(crate) partition: i32,
}

impl Place {
    pub(crate) fn new(topic: &MetadataResponseTopic, partition: i32) -> Self {
        Self { topic: topic.name.clone().unwrap(), topic_id: topic.topic_id, partition }
    }
}

pub(crate) fn produce_request(acks: i16, batches: &[(&Place, Bytes)]) -> ProduceRequest {
    let topic = |(place, records): &(&Place, Bytes)| TopicProduceData {
        name: place.topic.clone(),
        topic_id: place.topic_id,
        partition_data: vec![PartitionProduceData {
            index: place.partition,
            records: Some(records.clone().into()),
            ..Default::default()
        }],
        ..Default::default()
    };
    ProduceRequest {
        acks,
        timeout_ms: 10_000,
        topic_data: batches.iter().map(topic).collect(),
        ..Default::default()
    }
}

pub(crate) fn fetch_request(places: &[(&Place, i64)]) -> FetchRequest {
    FetchRequest {
        min_bytes: 1,
        max_bytes: 50 << 20,
        session_epoch: -1,
        topics: places.iter().map(|(place, offset)| fetch_topic(place, *offset, 10 << 20)).collect(),
        ..Default::default()
    }
}

pub(crate) fn fetch_topic(place: &Place, fetch_offset: i64, partition_max_bytes: i32) -> FetchTopic {
    FetchTopic {
        topic: place.topic.clone(),
        topic_id: place.topic_id,
        partitions: vec![FetchPartition {
            partition: place.partition,
            fetch_offset,
            partition_max_bytes,
            ..Default::default()
        }],
        ..Default::default()
    }
}

pub(crate) fn list_offsets_request(places: &[(&Place, i64)]) -> ListOffsetsRequest {
    let topic = |(place, timestamp): &(&Place, i64)| ListOffsetsTopic {
        name: place.topic.clone(),
        partitions: vec![ListOffsetsPartition {
            partition_index: place.partition,
            timestamp: *timestamp,
            ..Default::default()
        }],
        ..Default::default()
    };
    ListOffsetsRequest {
        replica_id: BrokerId::NONE,
        topics: places.iter().map(topic).collect(),
        ..Default::default()
    }
}

/// The bytes of a fetched partition's records.
pub(crate) fn bytes_of(data: &PartitionData) -> &[u8] {
    data.records.as_ref().expect("records are never null").as_bytes().unwrap()
}

/// The values of every record of a fetched partition, unpacked; null is `-`.
pub(crate) fn values_of(data: &PartitionData) -> Vec<String> {
    let mut values = Vec::new();
    for batch in Batches::new(bytes_of(data)) {
        let batch = batch.unwrap();
        batch.check_crc().unwrap();
        for record in batch.records(1 << 20).unwrap().iter() {
            let value = record.unwrap().value;
            values.push(value.map_or("-".to_owned(), |value| String::from_utf8(value.to_vec()).unwrap()));
        }
    }
    values
}

/// The batch with its header changed and its checksum made anew.
pub(crate) fn resealed(batch: &Bytes, edit: impl FnOnce(&mut BatchHeader)) -> Bytes {
    let mut header = BatchHeader::parse(batch).unwrap();
    let records = batch.slice(BatchHeader::LEN..);
    edit(&mut header);
    sealed([&header.encode()[..], &records].concat())
}

/// The batch with a length and a checksum that fit its bytes.
pub(crate) fn sealed(mut batch: Vec<u8>) -> Bytes {
    let length = u32::try_from(batch.len() - 12).unwrap();
    batch[8..12].copy_from_slice(&length.to_be_bytes());
    let crc = crc32c::crc32c(&batch[21..]);
    batch[17..21].copy_from_slice(&crc.to_be_bytes());
    batch.into()
}

/// A batch of an idempotent producer: one record for each sequence number.
pub(crate) fn batch_of(producer_id: i64, epoch: i16, sequences: std::ops::RangeInclusive<i32>) -> Bytes {
    let (id, epoch) = (ProducerId::new(producer_id), ProducerEpoch::new(epoch));
    let mut builder = BatchBuilder::new().producer(id, epoch, *sequences.start());
    for sequence in sequences {
        builder.push(now_ms(), Some(b"k"), Some(sequence.to_string().as_bytes()), &[]).unwrap();
    }
    builder.build().unwrap().to_bytes()
}

/// A batch of records with these timestamps.
pub(crate) fn batch_at(codec: Compression, timestamps: &[i64]) -> Bytes {
    let mut builder = BatchBuilder::new().compression(codec);
    for timestamp in timestamps {
        builder.push(*timestamp, Some(b"k"), Some(timestamp.to_string().as_bytes()), &[]).unwrap();
    }
    builder.build().unwrap().to_bytes()
}

/// A batch of records with these values, key `k`, timestamps now.
pub(crate) fn batch(values: &[&str]) -> Bytes {
    batch_with(Compression::None, values)
}

/// The same, compressed.
pub(crate) fn batch_with(codec: Compression, values: &[&str]) -> Bytes {
    let mut builder = BatchBuilder::new().compression(codec);
    for value in values {
        builder.push(now_ms(), Some(b"k"), Some(value.as_bytes()), &[]).unwrap();
    }
    builder.build().unwrap().to_bytes()
}

pub(crate) fn now_ms() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    i64::try_from(since.as_millis()).unwrap()
}

/// The bytes that a hexadecimal text stands for; blanks do not count.
pub(crate) fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

/// Decodes a response body that was read raw.
pub(crate) fn decode<T: Message>(version: i16, body: Bytes) -> T {
    T::decode_body(body, version).unwrap()
}

/// How long a test waits before it gives up.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

//! The same bytes and values, read and written by us and by the crate `kafka-protocol`, in one run.
//!
//! Run with `cargo bench -p headwater-oracle`, on a machine that does nothing else; compare the two rows of a group,
//! not the rows of two runs. What an operation allocates is another test's matter (`tests/allocations.rs`).
#![expect(missing_docs, reason = "criterion's macro makes a public function")]

use std::hint::black_box;

use bytes::{Bytes, BytesMut};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use headwater_codec::messages::fetch::{
    FetchPartition, FetchRequest, FetchResponse, FetchTopic, FetchableTopicResponse, PartitionData,
};
use headwater_codec::messages::metadata::{
    MetadataResponse, MetadataResponseBroker, MetadataResponsePartition, MetadataResponseTopic,
};
use headwater_codec::messages::produce::{PartitionProduceData, ProduceRequest, TopicProduceData};
use headwater_codec::{ApiKey, BrokerId, CorrelationId, Message, Records, Uuid, encode_response};
use headwater_records::{Batch, BatchBuilder, ProduceRules, validate};
use kafka_protocol::messages as theirs;
use kafka_protocol::protocol::{Decodable, Encodable};
use kafka_protocol::records::RecordBatchDecoder;

const NOW_MS: i64 = 1_700_000_000_000;

/// One topic of one partition, one batch of about a megabyte.
fn produce_request() -> ProduceRequest {
    let partition = PartitionProduceData {
        records: Some(Records::Bytes(Bytes::from(vec![7; 1 << 20]))),
        ..Default::default()
    };
    let topic = TopicProduceData {
        topic_id: Uuid::from_u128(1),
        partition_data: vec![partition],
        ..Default::default()
    };
    ProduceRequest { acks: -1, timeout_ms: 30_000, topic_data: vec![topic], ..Default::default() }
}

const TOPICS: usize = 10;
const PARTITIONS: i32 = 100;

fn fetch_request() -> FetchRequest {
    let partition = |partition| FetchPartition {
        partition,
        current_leader_epoch: 5,
        fetch_offset: 1_000_000,
        partition_max_bytes: 1 << 20,
        ..Default::default()
    };
    let topic = |number: usize| FetchTopic {
        topic_id: Uuid::from_u128(number as u128 + 1),
        partitions: (0..PARTITIONS).map(partition).collect(),
        ..Default::default()
    };
    let topics = (0..TOPICS).map(topic).collect();
    FetchRequest { max_wait_ms: 500, min_bytes: 1, topics, ..Default::default() }
}

fn fetch_response() -> FetchResponse {
    let partition = |index: i32| PartitionData {
        partition_index: index,
        high_watermark: 1_000_100,
        last_stable_offset: 1_000_100,
        log_start_offset: 0,
        records: Some(Records::Bytes(Bytes::from_static(&[7; 100]))),
        ..Default::default()
    };
    let topic = |number: usize| FetchableTopicResponse {
        topic_id: Uuid::from_u128(number as u128 + 1),
        partitions: (0..PARTITIONS).map(partition).collect(),
        ..Default::default()
    };
    FetchResponse { session_id: 9, responses: (0..TOPICS).map(topic).collect(), ..Default::default() }
}

/// Three brokers, a thousand topics of ten partitions, three replicas each.
fn metadata_response() -> MetadataResponse {
    let broker = |id| MetadataResponseBroker {
        node_id: BrokerId::new(id),
        host: "broker.example.org".into(),
        port: 9092,
        ..Default::default()
    };
    let nodes: Vec<_> = (1..4).map(BrokerId::new).collect();
    let partition = |partition_index| MetadataResponsePartition {
        partition_index,
        leader_id: BrokerId::new(1),
        leader_epoch: 5,
        replica_nodes: nodes.clone(),
        isr_nodes: nodes.clone(),
        ..Default::default()
    };
    let topic = |number: usize| MetadataResponseTopic {
        name: Some(format!("a-topic-with-a-usual-name-{number}").into()),
        topic_id: Uuid::from_u128(number as u128 + 1),
        partitions: (0..10).map(partition).collect(),
        ..Default::default()
    };
    MetadataResponse {
        brokers: (1..4).map(broker).collect(),
        cluster_id: Some("4L6g3nShT-eMCtK--X86sw".into()),
        controller_id: BrokerId::new(1),
        topics: (0..1000).map(topic).collect(),
        ..Default::default()
    }
}

fn batch() -> Bytes {
    let mut builder = BatchBuilder::new();
    for index in 0..1000i64 {
        let value = vec![index as u8; 1024];
        builder.push(NOW_MS + index, Some(&index.to_be_bytes()), Some(&value), &[]).expect("there is room");
    }
    builder.build().expect("a batch").to_bytes()
}

fn decode<M: Message, T: Decodable>(
    criterion: &mut Criterion,
    name: &str,
    version: i16,
    elements: u64,
    body: &Bytes,
) {
    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Elements(elements));
    group.bench_function("ours", |bencher| {
        bencher.iter(|| M::decode_body(black_box(body).clone(), version).expect("it is sound"));
    });
    group.bench_function("theirs", |bencher| {
        bencher.iter(|| T::decode(&mut black_box(body).clone(), version).expect("it is sound"));
    });
    group.finish();
}

fn encode<M: Message, T: Decodable + Encodable>(
    criterion: &mut Criterion,
    name: &str,
    key: ApiKey,
    version: i16,
    elements: u64,
    ours: &M,
) {
    let body = ours.encode_body(version).expect("it has that version");
    let theirs = T::decode(&mut body.clone(), version).expect("it is sound");
    let mut buf = BytesMut::with_capacity(body.len() + 64);
    let id = CorrelationId::new(7);
    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Elements(elements));
    // Ours is the whole frame, with its length and header; theirs the body alone.
    group.bench_function("ours", |bencher| {
        bencher.iter(|| encode_response(id, key, version, black_box(ours), &mut buf).expect("it fits"));
    });
    let mut out = BytesMut::with_capacity(body.len() + 64);
    group.bench_function("theirs", |bencher| {
        bencher.iter(|| {
            out.clear();
            black_box(&theirs).encode(&mut out, version).expect("it fits");
        });
    });
    group.finish();
}

fn messages(criterion: &mut Criterion) {
    let partitions = TOPICS as u64 * PARTITIONS as u64;
    let body = produce_request().encode_body(13).expect("it has that version");
    decode::<ProduceRequest, theirs::ProduceRequest>(
        criterion,
        "produce decode, one batch of 1 MiB",
        13,
        1,
        &body,
    );
    let body = fetch_request().encode_body(17).expect("it has that version");
    decode::<FetchRequest, theirs::FetchRequest>(
        criterion,
        "fetch request decode, a partition",
        17,
        partitions,
        &body,
    );
    let body = fetch_response().encode_body(17).expect("it has that version");
    decode::<FetchResponse, theirs::FetchResponse>(
        criterion,
        "fetch response decode, a partition",
        17,
        partitions,
        &body,
    );
    let response = metadata_response();
    let name = "metadata encode, a partition of 10,000";
    encode::<MetadataResponse, theirs::MetadataResponse>(
        criterion,
        name,
        ApiKey::Metadata,
        13,
        10_000,
        &response,
    );
}

fn records(criterion: &mut Criterion) {
    let bytes = batch();
    let rules = ProduceRules { max_message_bytes: 64 << 20, ..ProduceRules::new(NOW_MS) };
    let mut group = criterion.benchmark_group("batch of 1000 x 1 KiB, a record");
    group.throughput(Throughput::Elements(1000));
    group.bench_function("ours, validate and iterate", |bencher| {
        bencher.iter(|| iterate(&validated(black_box(&bytes), &rules)));
    });
    group.bench_function("ours, check CRC and iterate", |bencher| {
        bencher.iter(|| {
            headwater_records::check(black_box(&bytes)).expect("it is sound");
            iterate(&bytes)
        });
    });
    group.bench_function("ours, iterate", |bencher| bencher.iter(|| iterate(black_box(&bytes))));
    group.bench_function("theirs, decode", |bencher| {
        bencher.iter(|| RecordBatchDecoder::decode(&mut black_box(&bytes).clone()).expect("it is sound"));
    });
    group.finish();
}

fn validated(bytes: &Bytes, rules: &ProduceRules) -> Bytes {
    validate(bytes.clone(), rules).expect("it is sound");
    bytes.clone()
}

fn iterate(bytes: &Bytes) -> usize {
    let batch = Batch::parse(bytes).expect("a batch");
    let records = batch.records(usize::MAX).expect("records");
    let lengths = records.iter().map(|record| record.expect("a sound record").value.map_or(0, <[u8]>::len));
    lengths.sum()
}

/// What no decoder or encoder of these types can do without: the part of the rows above that is not parsing.
fn floors(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("floors");
    let body = produce_request().encode_body(13).expect("it has that version");
    group.bench_function("produce: the body shared twice, two arrays asked for", |bencher| {
        bencher.iter(|| {
            let frame = black_box(&body).clone();
            let records = frame.slice(64..);
            let arrays: (Vec<PartitionProduceData>, Vec<TopicProduceData>) =
                black_box((Vec::with_capacity(1), Vec::with_capacity(1)));
            (records, arrays.0.len() + arrays.1.len())
        });
    });
    let body = fetch_response().encode_body(17).expect("it has that version");
    group.throughput(Throughput::Elements(1000));
    group.bench_function("fetch response: 1000 slices of a body", |bencher| {
        bencher
            .iter(|| (0..1000).map(|start| black_box(&body).slice(start..start + 100)).collect::<Vec<_>>());
    });
    let response = metadata_response();
    group.throughput(Throughput::Elements(10_000));
    group.bench_function("metadata: 10,000 partitions looked at", |bencher| {
        bencher.iter(|| {
            let partitions = black_box(&response).topics.iter().flat_map(|topic| &topic.partitions);
            partitions.fold(0i32, |sum, partition| {
                let nodes = partition.replica_nodes.iter().chain(&partition.isr_nodes);
                let nodes = nodes.chain(&partition.offline_replicas).fold(0i32, |sum, node| sum ^ node.get());
                sum ^ nodes ^ partition.partition_index ^ partition.leader_id.get() ^ partition.leader_epoch
            })
        });
    });
    group.finish();
}

criterion_group!(benches, messages, records, floors);
criterion_main!(benches);

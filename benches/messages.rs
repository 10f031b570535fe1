//! What it costs to read and write the messages of the hot path, and to read primitives in three ways.
//!
//! Run with `cargo bench -p headwater-benches`, on a machine that does nothing else; `--quick` will do for a comparison
//! before and after a change.
#![expect(missing_docs, reason = "criterion's macro makes a public function")]

use std::hint::black_box;

use bytes::{Buf, Bytes, BytesMut};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use headwater_codec::messages::fetch::{
    FetchPartition, FetchRequest, FetchResponse, FetchTopic, FetchableTopicResponse, PartitionData,
};
use headwater_codec::messages::metadata::{
    MetadataResponse, MetadataResponseBroker, MetadataResponsePartition, MetadataResponseTopic,
};
use headwater_codec::messages::produce::{
    PartitionProduceData, ProduceRequest, ProduceResponse, TopicProduceData,
};
use headwater_codec::{
    ApiKey, BrokerId, CorrelationId, Message, Reader, Records, Str, Uuid, encode_response, varint,
};

const TOPICS: usize = 10;
const PARTITIONS: i32 = 10;

/// Ten topics of ten partitions, a kibibyte of records for each.
fn produce_request() -> ProduceRequest {
    let partition = |index| PartitionProduceData {
        index,
        records: Some(Records::Bytes(Bytes::from_static(&[7; 1024]))),
        ..Default::default()
    };
    let topic = |number: usize| TopicProduceData {
        topic_id: Uuid::from_u128(number as u128 + 1),
        partition_data: (0..PARTITIONS).map(partition).collect(),
        ..Default::default()
    };
    ProduceRequest {
        acks: -1,
        timeout_ms: 30_000,
        topic_data: (0..TOPICS).map(topic).collect(),
        ..Default::default()
    }
}

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
    FetchRequest {
        max_wait_ms: 500,
        min_bytes: 1,
        topics: (0..TOPICS).map(topic).collect(),
        ..Default::default()
    }
}

/// As a broker answers: the records lie in files.
fn fetch_response() -> FetchResponse {
    let partition = |index: i32| PartitionData {
        partition_index: index,
        high_watermark: 1_000_100,
        last_stable_offset: 1_000_100,
        log_start_offset: 0,
        records: Some(Records::External { length: 65_536, token: index as u64 }),
        ..Default::default()
    };
    let topic = |number: usize| FetchableTopicResponse {
        topic_id: Uuid::from_u128(number as u128 + 1),
        partitions: (0..PARTITIONS).map(partition).collect(),
        ..Default::default()
    };
    FetchResponse { session_id: 9, responses: (0..TOPICS).map(topic).collect(), ..Default::default() }
}

/// Three brokers and a hundred topics of ten partitions.
fn metadata_response() -> MetadataResponse {
    let broker = |id| MetadataResponseBroker {
        node_id: BrokerId::new(id),
        host: Str::from("broker.example.org"),
        port: 9092,
        ..Default::default()
    };
    let partition = |partition_index| MetadataResponsePartition {
        partition_index,
        leader_id: BrokerId::new(1),
        leader_epoch: 5,
        replica_nodes: vec![BrokerId::new(1)],
        isr_nodes: vec![BrokerId::new(1)],
        ..Default::default()
    };
    let topic = |number: usize| MetadataResponseTopic {
        name: Some(format!("a-topic-with-a-usual-name-{number}").into()),
        topic_id: Uuid::from_u128(number as u128 + 1),
        partitions: (0..PARTITIONS).map(partition).collect(),
        ..Default::default()
    };
    MetadataResponse {
        brokers: (1..4).map(broker).collect(),
        cluster_id: Some(Str::from("4L6g3nShT-eMCtK--X86sw")),
        controller_id: BrokerId::new(1),
        topics: (0..100).map(topic).collect(),
        ..Default::default()
    }
}

fn message<M: Message>(criterion: &mut Criterion, name: &str, version: i16, message: &M) {
    let body = message.encode_body(version).expect("it has that version");
    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Bytes(body.len() as u64));
    group.bench_function("decode", |bencher| {
        bencher.iter(|| M::decode_body(black_box(&body).clone(), version).expect("it is sound"));
    });
    group.bench_function("encode", |bencher| {
        bencher.iter(|| black_box(message).encode_body(version).expect("it has that version"));
    });
    group.finish();
}

fn messages(criterion: &mut Criterion) {
    message(criterion, "produce request v13, 100 partitions", 13, &produce_request());
    message(criterion, "produce response v13, empty", 13, &ProduceResponse::default());
    message(criterion, "fetch request v17, 100 partitions", 17, &fetch_request());
    message(criterion, "metadata response v13, 1000 partitions", 13, &metadata_response());

    let response = fetch_response();
    let mut buf = BytesMut::new();
    criterion.bench_function("fetch response v17, 100 external partitions/encode", |bencher| {
        bencher.iter(|| {
            let correlation_id = CorrelationId::new(7);
            encode_response(correlation_id, ApiKey::Fetch, 17, black_box(&response), &mut buf)
                .expect("it fits")
        });
    });
}

/// The same integers, read with nom's own parser, with the reader, and with `Buf`.
fn primitives(criterion: &mut Criterion) {
    const COUNT: usize = 1000;
    let bytes: Bytes = (0..COUNT as u32).flat_map(u32::to_be_bytes).collect();
    let mut group = criterion.benchmark_group("1000 int32");
    group.throughput(Throughput::Elements(COUNT as u64));
    group.bench_function("nom", |bencher| {
        bencher.iter(|| {
            let (mut rest, mut sum) = (&black_box(&bytes)[..], 0i32);
            while let Ok((after, value)) = nom::number::complete::be_i32::<_, nom::error::Error<&[u8]>>(rest)
            {
                (rest, sum) = (after, sum.wrapping_add(value));
            }
            sum
        });
    });
    group.bench_function("reader", |bencher| {
        bencher.iter(|| {
            let (mut reader, mut sum) = (Reader::new(black_box(&bytes).clone(), 0, false), 0i32);
            while let Ok(value) = reader.int32() {
                sum = sum.wrapping_add(value);
            }
            sum
        });
    });
    group.bench_function("buf", |bencher| {
        bencher.iter(|| {
            let (mut rest, mut sum) = (&black_box(&bytes)[..], 0i32);
            while let Ok(value) = rest.try_get_i32() {
                sum = sum.wrapping_add(value);
            }
            sum
        });
    });
    group.finish();

    let mut varints = BytesMut::new();
    (0..COUNT as u32).for_each(|value| varint::write_u32(&mut varints, value * 37));
    let varints = varints.freeze();
    let mut group = criterion.benchmark_group("1000 uvarints");
    group.throughput(Throughput::Elements(COUNT as u64));
    group.bench_function("slice", |bencher| {
        bencher.iter(|| {
            let (mut rest, mut sum) = (&black_box(&varints)[..], 0u32);
            while let Ok(value) = varint::read_u32(&mut rest) {
                sum = sum.wrapping_add(value);
            }
            sum
        });
    });
    group.bench_function("reader", |bencher| {
        bencher.iter(|| {
            let (mut reader, mut sum) = (Reader::new(black_box(&varints).clone(), 0, true), 0u32);
            while let Ok(value) = reader.uvarint() {
                sum = sum.wrapping_add(value);
            }
            sum
        });
    });
    group.finish();
}

criterion_group!(benches, messages, primitives);
criterion_main!(benches);

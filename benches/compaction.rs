//! How fast a log is compacted, on the real disk.
//!
//! Run with `cargo bench -p headwater-benches --bench compaction`. Each round compacts a log of 200,000 records anew, in
//! segments of 1 MiB: one in ten is the newest of its key, so nine in ten go. The rate is in bytes of the log before; it is
//! read twice and what stays is written once and synced.

#![expect(missing_docs, reason = "criterion's macros make undocumented items")]

use std::{sync::Arc, time::Duration};

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use headwater_codec::{LeaderEpoch, PartitionIndex, TopicIdPartition, TopicName};
use headwater_records::{BatchBuilder, Compression, ValidatedBatch};
use headwater_storage::{
    AppendDurability, Fence, LocalLogOptions, LocalLogStore, LogConfig, LogStore, OsDisk, SystemClock,
    TopicLog,
};

const RECORDS: u64 = 200_000;
const KEYS: u64 = RECORDS / 10;
const BATCH: u64 = 100;

fn batch(first: u64, codec: Compression) -> ValidatedBatch {
    let mut builder = BatchBuilder::new().compression(codec);
    for number in first..first + BATCH {
        // Neighbours in time are no neighbours in the order of keys.
        let key = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) % KEYS;
        let value = format!(
            "the value of record {number:010} has about a hundred bytes, as events often do; {key:0>20}"
        );
        let headers: [(&[u8], Option<&[u8]>); 1] = [(b"trace", Some(b"0123456789abcdef"))];
        let pushed =
            builder.push(1_700_000_000_000, Some(&key.to_be_bytes()), Some(value.as_bytes()), &headers);
        pushed.expect("a small batch");
    }
    builder.build().expect("a small batch")
}

/// A store whose one log waits to be compacted; gives its bytes, too.
fn dirty(dir: &tempfile::TempDir, codec: Compression) -> (LocalLogStore, u64) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let mut options = LocalLogOptions { dirs: vec![dir.path().to_owned()], ..LocalLogOptions::default() };
    // The bench says when.
    options.cleaner.enable = false;
    let store = LocalLogStore::open(Arc::new(OsDisk), Arc::new(SystemClock), options).expect("a store");
    let topic_id = headwater_storage::uuid_from_text("AAAAAAAAAAAAAAAAAAAAAQ").expect("an id");
    let config = LogConfig { cleanup_compact: true, segment_bytes: 1 << 20, ..LogConfig::default() };
    let topic = TopicLog {
        topic_id,
        name: TopicName::from("bench"),
        leader_epochs: vec![LeaderEpoch::new(0)],
        config: Arc::new(config),
    };
    runtime.block_on(store.put_topic(topic)).expect("a topic");
    let partition = TopicIdPartition::new(topic_id, PartitionIndex::new(0));
    let mut bytes = 0;
    for first in (0..RECORDS).step_by(BATCH as usize) {
        let batch = batch(first, codec);
        bytes += batch.len() as u64;
        let durability =
            if first + BATCH < RECORDS { AppendDurability::Written } else { AppendDurability::Committed };
        runtime.block_on(store.append(partition, batch, durability, Fence(0))).expect("an append");
    }
    (store, bytes)
}

fn compaction(c: &mut Criterion) {
    let mut group = c.benchmark_group("compaction");
    group.sample_size(10).measurement_time(Duration::from_secs(20));
    for codec in [Compression::None, Compression::Lz4, Compression::Zstd] {
        let bytes = {
            let dir = tempfile::tempdir().expect("a directory");
            dirty(&dir, codec).1
        };
        group.throughput(Throughput::Bytes(bytes));
        group.bench_function(codec.name(), |b| {
            b.iter_batched(
                || {
                    let dir = tempfile::tempdir().expect("a directory");
                    let store = dirty(&dir, codec).0;
                    (dir, store)
                },
                |(dir, store)| {
                    store.clean();
                    assert!(store.cleaner_stats().runs > 0, "the log was compacted");
                    (dir, store)
                },
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, compaction);
criterion_main!(benches);

//! Appends and lookups of one log, and group commit through a store, on the real disk.
//!
//! Run with `cargo bench -p headwater-benches`. The files go to the temporary directory: give one on the disk that is to
//! be measured (`TMPDIR`). Numbers of `committed` are those of the disk's sync; the others are the code's.

#![expect(missing_docs, reason = "criterion's macros make undocumented items")]

use std::{hint::black_box, path::PathBuf, sync::Arc};

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use headwater_codec::{LeaderEpoch, Offset, PartitionIndex, TopicIdPartition, TopicName};
use headwater_records::{BatchBuilder, ValidatedBatch};
use headwater_storage::{
    AppendDurability, AppendJob, Disk, Fence, FlushPolicy, Isolation, KafkaBatches, LocalLogOptions,
    LocalLogStore, Log, LogConfig, LogOptions, LogStore, OsDisk, ReadRequest, SystemClock, TopicLog,
};

const EPOCH: LeaderEpoch = LeaderEpoch::new(0);

fn batch(records: usize, bytes: usize) -> ValidatedBatch {
    let value = vec![b'v'; bytes];
    let mut builder = BatchBuilder::new();
    for _ in 0..records {
        builder.push(1_700_000_000_000, None, Some(&value), &[]).expect("a small batch");
    }
    builder.build().expect("a small batch")
}

/// A log in a directory of its own, which goes with it.
fn log(dir: &tempfile::TempDir) -> Log<KafkaBatches> {
    let disk: Arc<dyn Disk> = Arc::new(OsDisk);
    let path: PathBuf = dir.path().join("bench-0");
    Log::open(&disk, &path, LogOptions::new("bench-0"), 0).expect("a log").0
}

fn append(c: &mut Criterion) {
    let mut group = c.benchmark_group("log append");
    for (name, records, bytes, count) in
        [("1 KiB x 1", 1, 1024, 1), ("1 KiB x 64", 1, 1024, 64), ("100 x 1 KiB", 100, 1024, 1)]
    {
        let dir = tempfile::tempdir().expect("a directory");
        let mut log = log(&dir);
        let one = batch(records, bytes);
        group.throughput(Throughput::Bytes((one.len() * count) as u64));
        group.bench_function(name, |b| {
            b.iter_batched(
                || (0..count).map(|_| AppendJob::new(one.clone())).collect::<Vec<_>>(),
                |mut jobs| log.append(&mut jobs, EPOCH, 0),
                BatchSize::SmallInput,
            );
        });
    }
    group.finish();
}

fn lookup(c: &mut Criterion) {
    let dir = tempfile::tempdir().expect("a directory");
    let mut log = log(&dir);
    let mut jobs: Vec<_> = (0..100_000).map(|_| AppendJob::new(batch(1, 1024))).collect();
    log.append(&mut jobs, EPOCH, 0);
    let end = log.log_end().get();
    let mut group = c.benchmark_group("log read");
    for (name, back) in [("at the tail", 10), ("in the middle", end / 2)] {
        let from = Offset::ZERO.plus(end - back);
        group.bench_function(name, |b| b.iter(|| black_box(log.read(from, 1 << 20).expect("slices"))));
    }
    group.finish();
}

fn store(c: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
    let mut group = c.benchmark_group("store append 1 KiB");
    for (name, flush_policy, durability, in_flight) in [
        ("os, one at a time", FlushPolicy::Os, AppendDurability::Committed, 1),
        ("written, one at a time", FlushPolicy::GroupCommit, AppendDurability::Written, 1),
        ("committed, one at a time", FlushPolicy::GroupCommit, AppendDurability::Committed, 1),
        ("committed, 100 in flight", FlushPolicy::GroupCommit, AppendDurability::Committed, 100),
    ] {
        let dir = tempfile::tempdir().expect("a directory");
        let options =
            LocalLogOptions { dirs: vec![dir.path().to_owned()], flush_policy, ..LocalLogOptions::default() };
        let store: LocalLogStore =
            LocalLogStore::open(Arc::new(OsDisk), Arc::new(SystemClock), options).expect("a store");
        let topic_id = headwater_storage::uuid_from_text("AAAAAAAAAAAAAAAAAAAAAQ").expect("an id");
        let partition = TopicIdPartition::new(topic_id, PartitionIndex::new(0));
        let topic = TopicLog {
            topic_id,
            name: TopicName::from("bench"),
            leader_epochs: vec![EPOCH],
            config: Arc::new(LogConfig::default()),
        };
        runtime.block_on(store.put_topic(topic)).expect("a topic");
        let one = batch(1, 1024);
        group.throughput(Throughput::Elements(in_flight));
        group.bench_function(name, |b| {
            b.iter(|| {
                let pending: Vec<_> = (0..in_flight)
                    .map(|_| store.append(partition, one.clone(), durability, Fence(0)))
                    .collect();
                runtime.block_on(async {
                    for pending in pending {
                        pending.await.expect("an append");
                    }
                });
            });
        });
        let request = ReadRequest {
            from: Offset::ZERO,
            bytes_max: 1 << 20,
            at_least_one_batch: true,
            isolation: Isolation::ReadUncommitted,
        };
        runtime.block_on(store.read(partition, request)).expect("a read");
        runtime.block_on(store.close()).expect("a clean stop");
    }
    group.finish();
}

criterion_group!(benches, append, lookup, store);
criterion_main!(benches);

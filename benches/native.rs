//! What native records cost: making them of a batch, reading their fronts, and making batches of them again.
#![expect(missing_docs, reason = "criterion's macro makes a public function")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use headwater_codec::{LeaderEpoch, Offset};
use headwater_records::{
    BatchBuilder, Compression, HeaderRef, ValidatedBatch,
    native::{HeaderLimits, NativeBatches, NativeEntry, NativeRun, check},
};

const COUNT: usize = 1000;
const NOW_MS: i64 = 1_700_000_000_000;
const MAX: usize = 64 << 20;
const HEADERS: [HeaderRef<'static>; 2] = [(b"trace-id", Some(b"4bf92f3577b34da6")), (b"retry", Some(b"1"))];

fn batch(codec: Compression, value_len: usize, headers: &[HeaderRef<'_>]) -> ValidatedBatch {
    let mut builder = BatchBuilder::new().compression(codec);
    for index in 0..COUNT {
        let key = (index as u64).to_be_bytes();
        let value: Vec<u8> =
            (0..value_len).map(|at| b"headwater"[at % 9] ^ (at / 50 + index) as u8).collect();
        builder.push(NOW_MS, Some(&key), Some(&value), headers).expect("room");
    }
    builder.build().expect("a batch")
}

fn benches(c: &mut Criterion) {
    let limits = HeaderLimits::default();
    for (name, codec, value_len, headers) in [
        ("1000x100B", Compression::None, 100, &[][..]),
        ("1000x100B-headers", Compression::None, 100, &HEADERS),
        ("1000x1KiB", Compression::None, 1024, &[]),
        ("1000x1KiB-zstd", Compression::Zstd, 1024, &[]),
    ] {
        let mut group = c.benchmark_group(name);
        group.throughput(Throughput::Elements(COUNT as u64));
        let batch = batch(codec, value_len, headers);
        group.bench_function("to-native", |b| {
            b.iter(|| NativeRun::of_batch(black_box(&batch), &limits, MAX).expect("native records"));
        });
        let log = NativeRun::of_batch(&batch, &limits, MAX).expect("native records").into_bytes();
        group.bench_function("to-batch", |b| {
            b.iter(|| {
                let mut batches = NativeBatches::new(black_box(&log), Offset::ZERO, MAX);
                batches.next_batch(MAX, |_| LeaderEpoch::new(0)).expect("sound records")
            });
        });
        group.bench_function("heads", |b| {
            b.iter(|| walk(&log, |rest| NativeEntry::parse(rest).expect("a record").head().total_len()));
        });
        group.bench_function("check", |b| {
            b.iter(|| walk(&log, |rest| check(rest).expect("a sound record").total_len()));
        });
        group.finish();
    }
}

/// Goes through a log by the lengths of its records.
fn walk(log: &[u8], len: impl Fn(&[u8]) -> usize) -> usize {
    let (mut rest, mut count) = (log, 0);
    while !rest.is_empty() {
        rest = &rest[len(rest)..];
        count += 1;
    }
    count
}

criterion_group!(all, benches);
criterion_main!(all);

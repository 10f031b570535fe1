//! What the produce door costs: validation of a batch as it comes, and reading its records.
//!
//! Run with `cargo bench -p headwater-benches`, on a machine that does nothing else; `--quick` will do for a
//! comparison before and after a change.
#![expect(missing_docs, reason = "criterion's macro makes a public function")]

use std::hint::black_box;

use bytes::Bytes;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use headwater_records::{Batch, BatchBuilder, Compression, ProduceRules, validate};

const NOW_MS: i64 = 1_700_000_000_000;

/// Bytes with some redundancy, as records of one kind have.
fn value(length: usize, seed: usize) -> Vec<u8> {
    let words = [&b"temperature"[..], b"pressure", b"\"sensor\":", b"0.", b"{\"id\":", b"},"];
    let mut state = seed as u64 + 1;
    let mut value = Vec::with_capacity(length + 16);
    while value.len() < length {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        value.extend_from_slice(words[(state >> 33) as usize % words.len()]);
        value.extend_from_slice(&state.to_be_bytes()[..3]);
    }
    value.truncate(length);
    value
}

fn batch(codec: Compression, count: usize, length: usize) -> Bytes {
    let mut builder = BatchBuilder::new().compression(codec);
    for index in 0..count {
        let key = (index as u64).to_be_bytes();
        builder.push(NOW_MS + index as i64 / 10, Some(&key), Some(&value(length, index)), &[]).expect("room");
    }
    builder.build().expect("a batch").to_bytes()
}

fn benches(c: &mut Criterion) {
    let rules = ProduceRules { max_message_bytes: 64 << 20, ..ProduceRules::new(NOW_MS) };
    for (name, count, length) in
        [("1x100B", 1, 100), ("100x100B", 100, 100), ("1000x1KiB", 1000, 1024), ("10000x100B", 10_000, 100)]
    {
        let mut group = c.benchmark_group(name);
        for codec in Compression::ALL {
            let bytes = batch(codec, count, length);
            group.throughput(Throughput::Elements(count as u64));
            group.bench_function(format!("validate/{codec}"), |b| {
                b.iter(|| validate(black_box(bytes.clone()), &rules).expect("a sound batch"));
            });
        }
        let bytes = batch(Compression::None, count, length);
        group.bench_function("crc", |b| b.iter(|| crc32c::crc32c(black_box(&bytes[21..]))));
        group.bench_function("iterate", |b| {
            let batch = Batch::parse(&bytes).expect("a batch");
            b.iter(|| {
                let records = batch.records(usize::MAX).expect("records");
                records
                    .iter()
                    .map(|record| record.expect("a sound record").value.map_or(0, <[u8]>::len))
                    .sum::<usize>()
            });
        });
        group.finish();
    }
}

criterion_group!(all, benches);
criterion_main!(all);

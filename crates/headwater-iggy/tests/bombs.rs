//! Batches that unfold to more than they may: refused early, and with bounded memory.

use std::{
    alloc::System,
    sync::{Mutex, MutexGuard, PoisonError},
};

use bytes::Bytes;
use headwater_iggy::{BatchLimits, MapError, batch_to_messages};
use headwater_records::{BatchBuilder, Compression, ProduceRules, RecordError, ValidatedBatch, validate};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Held by each test: the allocator counts for the whole process, so another test's bytes would be taken for its own.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a batch may unfold to here.
const LIMIT: usize = 1 << 20;

/// Everything that is allocated meanwhile, freed or not: never less than the peak.
fn allocated<T>(run: impl FnOnce() -> T) -> (T, usize) {
    let region = Region::new(ALLOCATOR);
    let outcome = run();
    let change = region.change();
    (outcome, change.bytes_allocated + usize::try_from(change.bytes_reallocated).unwrap_or(0))
}

/// A batch of one record whose value is many zeros, or of many records of nothing.
fn bomb(codec: Compression, zeros: usize, records: usize) -> ValidatedBatch {
    let mut builder = BatchBuilder::new().compression(codec);
    let value = vec![0; zeros];
    for _ in 0..records {
        builder.push(5, None, Some(&value), &[]).unwrap();
    }
    builder.build().unwrap()
}

#[test]
fn bombs_are_given_up_where_they_pass_the_bound() {
    let _alone = alone();
    for codec in [Compression::Gzip, Compression::Zstd, Compression::Lz4, Compression::Snappy] {
        for (zeros, records) in [(8 << 20, 1), (0, 400_000)] {
            let batch = bomb(codec, zeros, records);
            assert!(batch.len() * 2 < batch.unpacked_len(), "{codec} packs it");
            let limits = BatchLimits { bytes_max: LIMIT };
            let (refused, bytes) = allocated(|| batch_to_messages(batch, limits).unwrap_err());
            assert_eq!(refused.error_code().code(), 10, "{codec}: {refused}");
            // The unpacked bytes grow by doubling up to the bound; the codecs' own state comes to 12 MiB at most.
            assert!(bytes < 4 * LIMIT + (12 << 20), "{codec} took {bytes} bytes for {records} records");
        }
    }
}

#[test]
fn what_is_within_the_bound_takes_a_small_multiple_of_it() {
    let _alone = alone();
    let batch = bomb(Compression::Zstd, 1000, 900);
    let limits = BatchLimits { bytes_max: LIMIT };
    let (messages, bytes) = allocated(|| batch_to_messages(batch, limits).unwrap());
    assert_eq!(messages.len(), 900);
    assert!(bytes < 8 * LIMIT, "{bytes} bytes");
}

#[test]
fn lies_about_lengths_and_counts_take_no_memory() {
    let _alone = alone();
    let rules = ProduceRules { max_decompressed_bytes: LIMIT, ..ProduceRules::new(5) };
    // A snappy block that says it unpacks to 4 GiB.
    let snappy = raw_batch(2, 1, &[0xff, 0xff, 0xff, 0xff, 0x0f, 0]);
    // A record batch of 61 bytes that says it holds as many records as can be said.
    let records = raw_batch(0, i32::MAX, &[]);
    // A record that says it has as many headers as can be said.
    let headers = raw_batch(0, 1, &[24, 0, 0, 0, 1, 1, 0xfe, 0xff, 0xff, 0xff, 0x0f, 0, 0]);
    // A negative length of the record, and one of its value.
    let record_length = raw_batch(0, 1, &[1, 0]);
    let value_length = raw_batch(0, 1, &[14, 0, 0, 0, 1, 5, 0, 0]);
    // A varint of six bytes.
    let varint = raw_batch(0, 1, &[0x80, 0x80, 0x80, 0x80, 0x80, 1, 0]);
    for (what, bytes, unpacks) in [
        ("snappy", snappy, true),
        ("records", records, false),
        ("headers", headers, false),
        ("record length", record_length, false),
        ("value length", value_length, false),
        ("varint", varint, false),
    ] {
        let (refused, taken) = allocated(|| validate(bytes, &rules).unwrap_err());
        assert!(taken < 64 << 10, "{what} took {taken} bytes");
        if unpacks {
            assert!(matches!(refused, RecordError::UnpackedTooLarge { .. }), "{what}: {refused}");
            assert_eq!(MapError::from(refused).error_code().code(), 10);
        } else {
            assert_eq!(refused.error_code().code(), 87, "{what}: {refused}");
        }
    }
}

/// A batch with a sound head and checksum around any records.
fn raw_batch(attributes: i16, count: i32, records: &[u8]) -> Bytes {
    let mut checked = Vec::new();
    checked.extend_from_slice(&attributes.to_be_bytes());
    checked.extend_from_slice(&(count - 1).to_be_bytes());
    checked.extend_from_slice(&5_i64.to_be_bytes());
    checked.extend_from_slice(&5_i64.to_be_bytes());
    checked.extend_from_slice(&(-1_i64).to_be_bytes());
    checked.extend_from_slice(&(-1_i16).to_be_bytes());
    checked.extend_from_slice(&(-1_i32).to_be_bytes());
    checked.extend_from_slice(&count.to_be_bytes());
    checked.extend_from_slice(records);
    let length = (9 + checked.len()) as i32;
    let mut batch = Vec::new();
    batch.extend_from_slice(&0_i64.to_be_bytes());
    batch.extend_from_slice(&length.to_be_bytes());
    batch.extend_from_slice(&(-1_i32).to_be_bytes());
    batch.push(2);
    batch.extend_from_slice(&crc32c::crc32c(&checked).to_be_bytes());
    batch.extend_from_slice(&checked);
    batch.into()
}

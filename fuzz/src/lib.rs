//! What the fuzz targets share: the memory that decoding may take, counted, and the messages with bodies of them.

use std::alloc::System;

use headwater_codec::{Message, Reader};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

pub mod message;
#[path = "../../crates/headwater-codec/tests/messages/random_body.rs"]
mod random_body;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Bytes that a decode may take for each byte of a response, which only our own client reads.
pub const RESPONSE_BUDGET_PER_BYTE: usize = 16;

/// Bytes that are no array: an error with its path, the bookkeeping of a shared buffer, the reader itself.
const SLACK: usize = 4096;

/// Runs a decode of `length` bytes and checks that all it allocates, freed or not, stays within the decode budget.
///
/// # Panics
/// When it does not.
pub fn within_budget<T>(length: usize, per_byte: usize, decode: impl FnOnce() -> T) -> T {
    let region = Region::new(ALLOCATOR);
    let decoded = decode();
    let taken = region.change().bytes_allocated;
    let allowed = length * per_byte + Reader::BUDGET_BASE + SLACK;
    assert!(taken <= allowed, "{length} bytes took {taken} bytes of memory, at most {allowed}");
    decoded
}

/// Checks that what was decoded can be written, and reads back as the same.
///
/// The bytes may differ: a peer may write a default into a tagged field, or a boolean as 2.
///
/// # Panics
/// When it does not.
pub fn reads_back<M: Message>(message: &M, version: i16) {
    let written = message.encode_body(version).expect("what was read can be written");
    let again = M::decode_body(written, version).expect("what was written can be read");
    // A quota may be NaN, which is not itself but looks the same.
    let same = again == *message || format!("{again:?}") == format!("{message:?}");
    assert!(same, "{message:?} became {again:?}");
}

//! Benches of the hot paths, one file each: `cargo bench -p headwater-benches [--bench NAME]`.
//!
//! - `messages`: decoding and encoding of Produce, Fetch and Metadata, and what `nom` costs for primitives.
//! - `validate`: the produce door, and iteration over batches.
//! - `append`: a log's appends and lookups, and group commit on the real disk.
//!
//! The codec beside an independent one is in `headwater-oracle`, whole brokers are compared by `cargo xtask bench`. Set
//! the machine's processor governor to performance, close what else runs, and compare two versions in turn in one
//! sitting: on a shared machine a single run says little.

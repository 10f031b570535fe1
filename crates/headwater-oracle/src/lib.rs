//! Holds Headwater's codec against an independent implementation of Kafka's protocol: the crate `kafka-protocol`,
//! generated from the message definitions of Kafka 4.1.
//!
//! Nothing but tests: `cargo test -p headwater-oracle`. They have a crate of their own because the other
//! implementation takes minutes to compile. Random bodies come from the reflected schemas; each is read and written
//! by both, and all must agree to the byte. The few versions that the other one lacks are listed, and the list is
//! itself tested.
//!
//! Beside it, the memory that decoding takes is counted, which wants an allocator of its own.

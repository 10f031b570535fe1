//! Holds Headwater's codec against independent implementations of Kafka's protocol: the crate `kafka-protocol`,
//! generated from the message definitions of Kafka 4.1, and the Java classes of Kafka 4.3 and 4.4 themselves.
//!
//! Nothing but tests: `cargo test -p headwater-oracle`. They have a crate of their own because the other
//! implementation takes minutes to compile. Random bodies come from the reflected schemas; each is read and written
//! by both, and all must agree to the byte. The few versions that another one lacks are listed, and the list is
//! itself tested. Java needs a JDK, and Maven for Kafka's jars; its tests say `SKIPPED` without.
//!
//! Beside it, the memory that decoding takes is counted, which wants an allocator of its own.

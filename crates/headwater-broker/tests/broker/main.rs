//! The broker through its front door: real sockets, one file of tests for each part of what clients can observe.

mod cluster;
mod compaction;
mod compression;
mod configs;
mod delete_records;
mod every_version;
mod fetch;
mod fetch_sessions;
mod groups;
mod harness;
mod idempotence;
mod list_offsets;
mod metadata;
mod native;
mod native_topics;
mod produce;
mod quotas;
mod sasl;
mod scram_credentials;
mod timestamps;
mod topics;
mod wire;

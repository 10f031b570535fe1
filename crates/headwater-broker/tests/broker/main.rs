//! The broker through its front door: real sockets, one file of tests for each part of what clients can observe.

mod harness;
mod metadata;
mod produce_fetch;
mod wire;

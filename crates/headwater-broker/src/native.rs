//! The native front door: the protocol of `headwater-native` on listeners of its own.
//!
//! Topics, groups and offsets are the ones that Kafka's clients see: records go through the same logs as batches, members
//! and commits through the same coordinators. What is only this protocol's (how records are numbered for idempotence, how
//! often one failed) is kept in an internal topic. Nothing here asks in which format a topic keeps its records.

mod account;
mod administer;
mod answering;
mod authenticate;
mod batches;
mod connection;
mod consume;
mod cursors;
mod dead_letters;
mod door;
mod ended;
mod frames;
mod groups;
mod judge;
mod listen;
mod membership;
mod outbound;
mod produce;
mod producers;
mod push;
mod reading;
mod refusal;
mod served;
mod spread;
mod state_log;

pub(crate) use door::Native;
pub(crate) use listen::{bind, parse as parse_listeners};

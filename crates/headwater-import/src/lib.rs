//! Copies what a MoonMQ broker left on its disk into topics of a running broker.
//!
//! - [`SourceDirectory`] finds topics, partitions and segments of either storage backend; nothing in it is changed.
//! - [`Scan`] goes through a partition once: what can be imported, what is left out and why, what is damaged.
//! - [`import()`] copies, over the broker's Kafka listener, and goes on where an earlier run ended.

mod connection;
mod error;
mod import;
mod scan;
mod source;
mod target;

pub use error::ImportError;
pub use import::{ImportOptions, Progress, Summary, TopicSummary, import};
pub use scan::{Found, Scan};
pub use source::{Backend, Damage, SourceDirectory, SourcePartition, SourceTopic, TopicSettings};

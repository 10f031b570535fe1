//! Broker metadata in Kafka's own metadata log.
//!
//! [`MetadataImage`] is what is known at one moment, made by replaying Kafka's metadata records. [`LocalMetadataStore`]
//! keeps them in `__cluster_metadata-0`, with checkpoints, as a Kafka with one KRaft node does, so that either can go on
//! where the other stopped.

mod batch;
mod checkpoint;
mod command;
mod control;
mod directories;
mod error;
mod features;
mod image;
mod kafka_uuid;
mod local;
mod metadata_log;
mod node;
mod open;
mod properties;
mod quorum_state;
mod registration;
mod replay;
#[cfg(test)]
mod tests;
mod to_records;
mod topic;
mod writer;

pub use error::{CorruptMetadata, MetadataError};
pub use image::MetadataImage;
pub use kafka_uuid::{IdSource, uuid_from_text, uuid_to_text};
pub use local::LocalMetadataStore;
pub use node::{Endpoint, NodeConfig};
pub use properties::MetaProperties;
pub use topic::{PartitionImage, Topic};

//! ClearElrRecord (metadata record 28, version 0): KIP-966.

use crate::{Message, TopicName, UnknownTags};

/// The eligible leader replicas of a topic are void; of every topic when the name is empty.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, type_id = 28, versions = "0..=0", flexible = "0..")]
pub struct ClearElrRecord {
    /// The topic's name; empty for all topics.
    pub topic_name: TopicName,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

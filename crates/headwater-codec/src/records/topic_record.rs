//! TopicRecord (metadata record 2, version 0).

use crate::{Message, TopicName, UnknownTags, Uuid};

/// A topic was created. Its partitions follow, each in a record of its own.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, type_id = 2, versions = "0..=0", flexible = "0..")]
pub struct TopicRecord {
    /// The topic's name.
    pub name: TopicName,
    /// The topic's id (KIP-516); all zero means none.
    pub topic_id: Uuid,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

//! RemoveTopicRecord (metadata record 9, version 0).

use crate::{Message, UnknownTags, Uuid};

/// A topic was deleted, with its partitions and configs.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, type_id = 9, versions = "0..=0", flexible = "0..")]
pub struct RemoveTopicRecord {
    /// The topic's id (KIP-516); all zero means none.
    pub topic_id: Uuid,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

//! ConsumerGroupRegularExpressionValue (`__consumer_offsets`, version 0): KIP-848.

use crate::{Message, TopicName, UnknownTags};

/// The topics that a regular expression matched. Stands after its version.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "0..=0", flexible = "0..")]
pub struct ConsumerGroupRegularExpressionValue {
    /// Topics that it matched.
    pub topics: Vec<TopicName>,
    /// Offset of the metadata log at which it was matched.
    pub version: i64,
    /// When it was matched, in milliseconds since 1970.
    pub timestamp: i64,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

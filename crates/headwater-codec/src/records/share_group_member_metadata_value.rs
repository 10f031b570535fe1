//! ShareGroupMemberMetadataValue (`__consumer_offsets`, version 0): KIP-932.

use crate::{Message, Str, TopicName, UnknownTags};

/// A member of a share group, as it describes itself. Stands after its version.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "0..=0", flexible = "0..")]
pub struct ShareGroupMemberMetadataValue {
    /// The member's rack; null for none.
    #[message(nullable = "0..")]
    pub rack_id: Option<Str>,
    /// The client id of the member's requests.
    pub client_id: Str,
    /// The address that the member connects from, after a slash.
    pub client_host: Str,
    /// Topics that the member subscribes to.
    pub subscribed_topic_names: Vec<TopicName>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

//! ConsumerGroupMemberMetadataValue (`__consumer_offsets`, version 0): KIP-848.

use bytes::Bytes;

use crate::{Message, Str, TopicName, UnknownTags};

/// A member of a consumer group, as it describes itself. Stands after its version; a null value in its
/// place removes the member.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "0..=0", flexible = "0..")]
pub struct ConsumerGroupMemberMetadataValue {
    /// A static member's own, stable name; null for a dynamic member.
    #[message(nullable = "0..")]
    pub instance_id: Option<Str>,
    /// The member's rack; null for none.
    #[message(nullable = "0..")]
    pub rack_id: Option<Str>,
    /// The client id of the member's requests.
    pub client_id: Str,
    /// The address that the member connects from, after a slash.
    pub client_host: Str,
    /// Topics that the member subscribes to.
    pub subscribed_topic_names: Vec<TopicName>,
    /// A regular expression (RE2) of topics that the member subscribes to; null for none.
    #[message(nullable = "0..")]
    pub subscribed_topic_regex: Option<Str>,
    /// Milliseconds that the member may take to give up partitions; -1 when not told.
    #[message(default = -1)]
    pub rebalance_timeout_ms: i32,
    /// The assignment strategy that the member would like; null for none.
    #[message(nullable = "0..")]
    pub server_assignor: Option<Str>,
    /// What it says in the classic protocol, if it speaks that.
    #[message(nullable = "0..", tag = 0, tagged = "0..")]
    pub classic_member_metadata: Option<ClassicMemberMetadata>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What a member says that still speaks the classic protocol.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct ClassicMemberMetadata {
    /// Milliseconds without a heartbeat after which the member is dropped.
    pub session_timeout_ms: i32,
    /// Assignment strategies that it offers, best first.
    pub supported_protocols: Vec<ClassicProtocol>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// An assignment strategy that the member offers.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct ClassicProtocol {
    /// The strategy's name.
    pub name: Str,
    /// What the member said about it, such as its subscription.
    pub metadata: Bytes,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

//! DeleteTopics (key 20, versions 1-6): deletes topics, by name or by id. KIP-4, KIP-516, KIP-599.

use crate::{ErrorCode, Message, Str, TopicName, UnknownTags, Uuid};

/// Topics to delete.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = DeleteTopics, request, versions = "1..=6", flexible = "4..")]
pub struct DeleteTopicsRequest {
    /// Topics to delete, by name or id.
    #[message(versions = "6..")]
    pub topics: Vec<DeleteTopicState>,
    /// Names of the topics to delete.
    #[message(versions = "0..=5", ignorable)]
    pub topic_names: Vec<TopicName>,
    /// Milliseconds to wait for it to be done.
    pub timeout_ms: i32,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A topic to delete: by name, or by id when the name is null.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(versions = "6..")]
pub struct DeleteTopicState {
    /// The topic's name; null when it is deleted by id.
    #[message(versions = "6..", nullable = "6..", default = null)]
    pub name: Option<TopicName>,
    /// The topic's id; all zero when it is deleted by name.
    #[message(versions = "6..")]
    pub topic_id: Uuid,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of each topic.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = DeleteTopics, response, versions = "1..=6", flexible = "4..")]
pub struct DeleteTopicsResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    #[message(versions = "1..", ignorable)]
    pub throttle_time_ms: i32,
    /// What became of each topic.
    pub responses: Vec<DeletableTopicResult>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct DeletableTopicResult {
    /// The topic's name; null when it was asked for by an id that the caller may not know of.
    #[message(nullable = "6..", map_key)]
    pub name: Option<TopicName>,
    /// The topic's id (KIP-516); all zero means none.
    #[message(versions = "6..", ignorable)]
    pub topic_id: Uuid,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(versions = "5..", nullable = "5..", default = null, ignorable)]
    pub error_message: Option<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

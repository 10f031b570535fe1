//! DeleteShareGroupOffsets (key 92, version 0): forgets where a share group stands in topics. KIP-932.

use crate::{ErrorCode, GroupId, Message, Str, TopicName, UnknownTags, Uuid};

/// Topics to forget.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = DeleteShareGroupOffsets, request, versions = "0..=0", flexible = "0..")]
pub struct DeleteShareGroupOffsetsRequest {
    /// The group's id.
    pub group_id: GroupId,
    /// The topics.
    pub topics: Vec<DeleteShareGroupOffsetsRequestTopic>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct DeleteShareGroupOffsetsRequestTopic {
    /// The topic's name.
    pub topic_name: TopicName,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of each topic.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = DeleteShareGroupOffsets, response, versions = "0..=0", flexible = "0..")]
pub struct DeleteShareGroupOffsetsResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// What went wrong with the whole request; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(nullable = "0..", default = null)]
    pub error_message: Option<Str>,
    /// What became of each topic.
    pub responses: Vec<DeleteShareGroupOffsetsResponseTopic>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct DeleteShareGroupOffsetsResponseTopic {
    /// The topic's name.
    pub topic_name: TopicName,
    /// The topic's id (KIP-516); all zero means none.
    pub topic_id: Uuid,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(nullable = "0..", default = null)]
    pub error_message: Option<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

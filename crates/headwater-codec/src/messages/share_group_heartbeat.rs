//! ShareGroupHeartbeat (key 76, version 1): everything that a member of a share group says about its
//! membership. Version 0 was a preview and is gone. KIP-932.

use crate::{ErrorCode, GroupId, Message, Str, TopicName, UnknownTags, Uuid};

/// A sign of life of one member. Fields that have not changed since the last one may be null.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = ShareGroupHeartbeat, request, versions = "1..=1", flexible = "0..")]
pub struct ShareGroupHeartbeatRequest {
    /// The group's id.
    pub group_id: GroupId,
    /// The member's id, made by the client.
    pub member_id: Str,
    /// The member's epoch: 0 to join, -1 to leave.
    pub member_epoch: i32,
    /// The member's rack; null for none or when it has not changed.
    #[message(nullable = "0..", default = null)]
    pub rack_id: Option<Str>,
    /// Topics that the member subscribes to; null when they have not changed.
    #[message(nullable = "0..", default = null)]
    pub subscribed_topic_names: Option<Vec<TopicName>>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The member's epoch, and its assignment when that has changed.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = ShareGroupHeartbeat, response, versions = "1..=1", flexible = "0..")]
pub struct ShareGroupHeartbeatResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(nullable = "0..", default = null)]
    pub error_message: Option<Str>,
    /// The member's id; null on an error.
    #[message(nullable = "0..", default = null)]
    pub member_id: Option<Str>,
    /// The member's epoch.
    pub member_epoch: i32,
    /// Milliseconds between heartbeats.
    pub heartbeat_interval_ms: i32,
    /// Partitions that the member should have; null when they have not changed.
    #[message(nullable = "0..", default = null)]
    pub assignment: Option<Assignment>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Partitions that a member has or should have.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct Assignment {
    /// The partitions, by topic.
    pub topic_partitions: Vec<TopicPartitions>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Partitions of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct TopicPartitions {
    /// The topic's id (KIP-516); all zero means none.
    pub topic_id: Uuid,
    /// Indexes of the partitions.
    pub partitions: Vec<i32>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

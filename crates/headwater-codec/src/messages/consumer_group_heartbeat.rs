//! ConsumerGroupHeartbeat (key 68, versions 0-1): everything that a member of a new consumer group says: it
//! joins, stays, acknowledges its partitions and leaves. KIP-848, KIP-1082.

use crate::{ErrorCode, GroupId, Message, Str, TopicName, UnknownTags, Uuid};

/// A sign of life of one member. Fields that have not changed since the last one may be null.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = ConsumerGroupHeartbeat, request, versions = "0..=1", flexible = "0..")]
pub struct ConsumerGroupHeartbeatRequest {
    /// The group's id.
    pub group_id: GroupId,
    /// The member's id; from version 1 the client makes it (KIP-1082).
    pub member_id: Str,
    /// The member's epoch: 0 to join, -1 to leave, -2 for a static member that leaves for a while.
    pub member_epoch: i32,
    /// A static member's own, stable name; null for a dynamic member or when it has not changed.
    #[message(nullable = "0..", default = null)]
    pub instance_id: Option<Str>,
    /// The member's rack; null for none or when it has not changed.
    #[message(nullable = "0..", default = null)]
    pub rack_id: Option<Str>,
    /// Milliseconds that the member may take to give up partitions; -1 when it has not changed.
    #[message(default = -1)]
    pub rebalance_timeout_ms: i32,
    /// Topics that the member subscribes to; null when they have not changed.
    #[message(nullable = "0..", default = null)]
    pub subscribed_topic_names: Option<Vec<TopicName>>,
    /// A regular expression (RE2) of topics that the member subscribes to; null when it has not changed.
    #[message(versions = "1..", nullable = "1..", default = null)]
    pub subscribed_topic_regex: Option<Str>,
    /// The assignment strategy that the member would like; null for none or when it has not changed.
    #[message(nullable = "0..", default = null)]
    pub server_assignor: Option<Str>,
    /// Partitions that the member has; null when they have not changed.
    #[message(nullable = "0..", default = null)]
    pub topic_partitions: Option<Vec<TopicPartitions>>,
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

/// The member's epoch, and its assignment when that has changed.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = ConsumerGroupHeartbeat, response, versions = "0..=1", flexible = "0..")]
pub struct ConsumerGroupHeartbeatResponse {
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

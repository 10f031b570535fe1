//! ConsumerGroupDescribe (key 69, versions 0-1): state and members of consumer groups. KIP-848, KIP-1099.

use crate::{ErrorCode, GroupId, Message, Str, TopicName, UnknownTags, Uuid};

/// Asks about groups by id.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = ConsumerGroupDescribe, request, versions = "0..=1", flexible = "0..")]
pub struct ConsumerGroupDescribeRequest {
    /// Ids of the groups.
    pub group_ids: Vec<GroupId>,
    /// Whether to tell what the caller may do to each group (KIP-430).
    pub include_authorized_operations: bool,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The groups.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = ConsumerGroupDescribe, response, versions = "0..=1", flexible = "0..")]
pub struct ConsumerGroupDescribeResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// The groups, in the order of the request.
    pub groups: Vec<DescribedGroup>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A group, or why it cannot be described.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct DescribedGroup {
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(nullable = "0..", default = null)]
    pub error_message: Option<Str>,
    /// The group's id.
    pub group_id: GroupId,
    /// The group's state, such as `Stable` or `Empty`.
    pub group_state: Str,
    /// The group's epoch: grows with every change of members or subscriptions.
    pub group_epoch: i32,
    /// The group epoch that the target assignment was made for.
    pub assignment_epoch: i32,
    /// The assignment strategy in use.
    pub assignor_name: Str,
    /// The members.
    pub members: Vec<Member>,
    /// Operations that the caller may do, as bits by operation code; `i32::MIN` when not asked for
    /// (KIP-430).
    #[message(default = -2147483648)]
    pub authorized_operations: i32,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A member of the group.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct Member {
    /// The member's id.
    pub member_id: Str,
    /// A static member's own, stable name; null for a dynamic member.
    #[message(nullable = "0..", default = null)]
    pub instance_id: Option<Str>,
    /// The member's rack; null for none.
    #[message(nullable = "0..", default = null)]
    pub rack_id: Option<Str>,
    /// The member's epoch.
    pub member_epoch: i32,
    /// The client id of the member's requests.
    pub client_id: Str,
    /// The address that the member connects from, after a slash.
    pub client_host: Str,
    /// Topics that the member subscribes to.
    pub subscribed_topic_names: Vec<TopicName>,
    /// A regular expression (RE2) of topics that the member subscribes to; null for none.
    #[message(nullable = "0..", default = null)]
    pub subscribed_topic_regex: Option<Str>,
    /// What the member has.
    pub assignment: Assignment,
    /// What the member should have.
    pub target_assignment: Assignment,
    /// 0 the member speaks the classic protocol, 1 the new one; -1 when not known (KIP-1099).
    #[message(versions = "1..", default = -1, ignorable)]
    pub member_type: i8,
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
    /// The topic's name.
    pub topic_name: TopicName,
    /// Indexes of the partitions.
    pub partitions: Vec<i32>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

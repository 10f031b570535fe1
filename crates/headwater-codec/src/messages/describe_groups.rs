//! DescribeGroups (key 15, versions 0-6): state and members of classic groups. KIP-345, KIP-430, KIP-1043.

use bytes::Bytes;

use crate::{ErrorCode, GroupId, Message, Str, UnknownTags};

/// Asks about groups by id.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = DescribeGroups, request, versions = "0..=6", flexible = "5..")]
pub struct DescribeGroupsRequest {
    /// Ids of the groups.
    pub groups: Vec<GroupId>,
    /// Whether to tell what the caller may do to each group (KIP-430).
    #[message(versions = "3..")]
    pub include_authorized_operations: bool,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The groups.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = DescribeGroups, response, versions = "0..=6", flexible = "5..")]
pub struct DescribeGroupsResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    #[message(versions = "1..", ignorable)]
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
    #[message(versions = "6..", nullable = "6..", default = null)]
    pub error_message: Option<Str>,
    /// The group's id.
    pub group_id: GroupId,
    /// The group's state: `PreparingRebalance`, `CompletingRebalance`, `Stable`, `Empty`, `Dead`.
    pub group_state: Str,
    /// Kind of protocol that the group follows; empty when it has no members.
    pub protocol_type: Str,
    /// The assignment strategy in use; empty unless the group is stable.
    pub protocol_data: Str,
    /// The members.
    pub members: Vec<DescribedGroupMember>,
    /// Operations that the caller may do, as bits by operation code; `i32::MIN` when not asked for
    /// (KIP-430).
    #[message(versions = "3..", default = -2147483648)]
    pub authorized_operations: i32,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A member of a group.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct DescribedGroupMember {
    /// The member's id, given by the coordinator.
    pub member_id: Str,
    /// A static member's own, stable name; null for a dynamic member (KIP-345).
    #[message(versions = "4..", nullable = "4..", default = null, ignorable)]
    pub group_instance_id: Option<Str>,
    /// The client id of the member's requests.
    pub client_id: Str,
    /// The address that the member connects from, after a slash.
    pub client_host: Str,
    /// What the member said about the strategy, such as its subscription. Empty unless the group is
    /// stable.
    pub member_metadata: Bytes,
    /// The member's assignment. Empty unless the group is stable.
    pub member_assignment: Bytes,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

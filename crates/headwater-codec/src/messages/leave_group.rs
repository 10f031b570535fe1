//! LeaveGroup (key 13, versions 0-5): removes members from a classic group. KIP-345, KIP-800.

use crate::{ErrorCode, GroupId, Message, Str, UnknownTags};

/// Removes one member, or (from version 3) several.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = LeaveGroup, request, versions = "0..=5", flexible = "4..")]
pub struct LeaveGroupRequest {
    /// The group's id.
    pub group_id: GroupId,
    /// The member that leaves.
    #[message(versions = "0..=2")]
    pub member_id: Str,
    /// The members that leave.
    #[message(versions = "3..")]
    pub members: Vec<MemberIdentity>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A member that leaves, by member id or by instance id.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(versions = "3..")]
pub struct MemberIdentity {
    /// The member's id; may be empty when it has an instance id.
    #[message(versions = "3..")]
    pub member_id: Str,
    /// A static member's own, stable name; null for a dynamic member (KIP-345).
    #[message(versions = "3..", nullable = "3..", default = null)]
    pub group_instance_id: Option<Str>,
    /// Why the member leaves, in words, for the log; null when it does not say (KIP-800).
    #[message(versions = "5..", nullable = "5..", default = null, ignorable)]
    pub reason: Option<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of it.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = LeaveGroup, response, versions = "0..=5", flexible = "4..")]
pub struct LeaveGroupResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    #[message(versions = "1..", ignorable)]
    pub throttle_time_ms: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What became of each member.
    #[message(versions = "3..")]
    pub members: Vec<MemberResponse>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of one member.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(versions = "3..")]
pub struct MemberResponse {
    /// The member's id, given by the coordinator.
    #[message(versions = "3..")]
    pub member_id: Str,
    /// A static member's own, stable name; null for a dynamic member (KIP-345).
    #[message(versions = "3..", nullable = "3..")]
    pub group_instance_id: Option<Str>,
    /// What went wrong; `None` when nothing did.
    #[message(versions = "3..")]
    pub error_code: ErrorCode,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

//! SyncGroup (key 14, versions 0-5): the leader of a classic group hands in everyone's assignment, each
//! member takes its own. KIP-345, KIP-559.

use bytes::Bytes;

use crate::{ErrorCode, GroupId, Message, Str, UnknownTags};

/// Asks for one's assignment; the leader brings those of all members.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = SyncGroup, request, versions = "0..=5", flexible = "4..")]
pub struct SyncGroupRequest {
    /// The group's id.
    pub group_id: GroupId,
    /// The group's generation.
    pub generation_id: i32,
    /// The member's id, given by the coordinator.
    pub member_id: Str,
    /// A static member's own, stable name; null for a dynamic member (KIP-345).
    #[message(versions = "3..", nullable = "3..", default = null)]
    pub group_instance_id: Option<Str>,
    /// Kind of protocol that the member follows; null for no check (KIP-559).
    #[message(versions = "5..", nullable = "5..", default = null, ignorable)]
    pub protocol_type: Option<Str>,
    /// The strategy that the member believes chosen; null for no check (KIP-559).
    #[message(versions = "5..", nullable = "5..", default = null, ignorable)]
    pub protocol_name: Option<Str>,
    /// Every member's assignment, from the leader; empty from everyone else.
    pub assignments: Vec<SyncGroupRequestAssignment>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// One member's assignment, made by the leader.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct SyncGroupRequestAssignment {
    /// The member's id, given by the coordinator.
    pub member_id: Str,
    /// The member's assignment. Opaque to the broker.
    pub assignment: Bytes,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The member's assignment.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = SyncGroup, response, versions = "0..=5", flexible = "4..")]
pub struct SyncGroupResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    #[message(versions = "1..", ignorable)]
    pub throttle_time_ms: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// Kind of protocol that the group follows; null on an error.
    #[message(versions = "5..", nullable = "5..", default = null, ignorable)]
    pub protocol_type: Option<Str>,
    /// The strategy that was chosen; null on an error.
    #[message(versions = "5..", nullable = "5..", default = null, ignorable)]
    pub protocol_name: Option<Str>,
    /// The member's assignment. Opaque to the broker.
    pub assignment: Bytes,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

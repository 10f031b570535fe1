//! Heartbeat (key 12, versions 0-4): shows a classic group that its member is alive, and tells the member of
//! a rebalance. KIP-345.

use crate::{ErrorCode, GroupId, Message, Str, UnknownTags};

/// A sign of life of one member.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = Heartbeat, request, versions = "0..=4", flexible = "4..")]
pub struct HeartbeatRequest {
    /// The group's id.
    pub group_id: GroupId,
    /// The group's generation.
    pub generation_id: i32,
    /// The member's id, given by the coordinator.
    pub member_id: Str,
    /// A static member's own, stable name; null for a dynamic member (KIP-345).
    #[message(versions = "3..", nullable = "3..", default = null)]
    pub group_instance_id: Option<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Whether all is well, or a rebalance is under way.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = Heartbeat, response, versions = "0..=4", flexible = "4..")]
pub struct HeartbeatResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    #[message(versions = "1..", ignorable)]
    pub throttle_time_ms: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

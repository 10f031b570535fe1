//! JoinGroup (key 11, versions 0-9): joins a classic group and waits for its next generation. KIP-62,
//! KIP-345, KIP-394, KIP-559, KIP-800, KIP-814.

use bytes::Bytes;

use crate::{ErrorCode, GroupId, Message, Str, UnknownTags};

/// Joins, or joins again, offering assignment strategies.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = JoinGroup, request, versions = "0..=9", flexible = "6..")]
pub struct JoinGroupRequest {
    /// The group's id.
    pub group_id: GroupId,
    /// Milliseconds without a heartbeat after which the member is dropped.
    pub session_timeout_ms: i32,
    /// Milliseconds that a rebalance waits for the member to join again; -1 when not told.
    #[message(versions = "1..", default = -1, ignorable)]
    pub rebalance_timeout_ms: i32,
    /// The member's id; empty on the first try (KIP-394).
    pub member_id: Str,
    /// A static member's own, stable name; null for a dynamic member (KIP-345).
    #[message(versions = "5..", nullable = "5..", default = null)]
    pub group_instance_id: Option<Str>,
    /// Kind of protocol that the group follows, such as `consumer` or `connect`.
    pub protocol_type: Str,
    /// Assignment strategies that the member offers, best first.
    pub protocols: Vec<JoinGroupRequestProtocol>,
    /// Why the member joins, in words, for the log; null when it does not say (KIP-800).
    #[message(versions = "8..", nullable = "8..", default = null, ignorable)]
    pub reason: Option<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// An assignment strategy that the member offers.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct JoinGroupRequestProtocol {
    /// The strategy's name, such as `range`.
    #[message(map_key)]
    pub name: Str,
    /// What the member says to the leader, such as its subscription. Opaque to the broker.
    pub metadata: Bytes,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The generation that was formed. Only the leader is told of all members.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = JoinGroup, response, versions = "0..=9", flexible = "6..")]
pub struct JoinGroupResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    #[message(versions = "2..", ignorable)]
    pub throttle_time_ms: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// The generation that was formed; -1 on an error.
    #[message(default = -1)]
    pub generation_id: i32,
    /// Kind of protocol that the group follows; null on an error.
    #[message(versions = "7..", nullable = "7..", default = null, ignorable)]
    pub protocol_type: Option<Str>,
    /// The strategy that was chosen; null (before version 7, empty) on an error.
    #[message(nullable = "7..")]
    pub protocol_name: Option<Str>,
    /// Member id of the leader.
    pub leader: Str,
    /// Whether the leader leaves the assignments as they are (KIP-814).
    #[message(versions = "9..")]
    pub skip_assignment: bool,
    /// The id of the member that is answered.
    pub member_id: Str,
    /// All members, for the leader; empty for everyone else.
    pub members: Vec<JoinGroupResponseMember>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A member, as the leader is told of it.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct JoinGroupResponseMember {
    /// The member's id, given by the coordinator.
    pub member_id: Str,
    /// A static member's own, stable name; null for a dynamic member (KIP-345).
    #[message(versions = "5..", nullable = "5..", default = null, ignorable)]
    pub group_instance_id: Option<Str>,
    /// What the member said about the chosen strategy. Opaque to the broker.
    pub metadata: Bytes,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

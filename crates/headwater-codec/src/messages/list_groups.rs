//! ListGroups (key 16, versions 0-5): the groups that a broker coordinates. KIP-518, KIP-848.

use crate::{ErrorCode, GroupId, Message, Str, UnknownTags};

/// Asks for groups, of some states and types.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = ListGroups, request, versions = "0..=5", flexible = "3..")]
pub struct ListGroupsRequest {
    /// States to list; empty means all (KIP-518).
    #[message(versions = "4..")]
    pub states_filter: Vec<Str>,
    /// Types to list, such as `classic` or `consumer`; empty means all (KIP-848).
    #[message(versions = "5..")]
    pub types_filter: Vec<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The groups.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = ListGroups, response, versions = "0..=5", flexible = "3..")]
pub struct ListGroupsResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    #[message(versions = "1..", ignorable)]
    pub throttle_time_ms: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// The groups.
    pub groups: Vec<ListedGroup>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A group.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct ListedGroup {
    /// The group's id.
    pub group_id: GroupId,
    /// Kind of protocol that the group follows; empty for one that only stores offsets.
    pub protocol_type: Str,
    /// The group's state, such as `Stable`.
    #[message(versions = "4..", ignorable)]
    pub group_state: Str,
    /// The group's type, such as `classic`.
    #[message(versions = "5..", ignorable)]
    pub group_type: Str,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

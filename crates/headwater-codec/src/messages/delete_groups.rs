//! DeleteGroups (key 42, versions 0-3): deletes empty groups with their offsets. Version 3 (a message with
//! each error) belongs to Kafka 4.4. KIP-229, KIP-1331.

use crate::{ErrorCode, GroupId, Message, Str, UnknownTags};

/// Groups to delete.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = DeleteGroups, request, versions = "0..=3", stable = "..=2", flexible = "2..")]
pub struct DeleteGroupsRequest {
    /// Ids of the groups.
    pub groups_names: Vec<GroupId>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of each group.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = DeleteGroups, response, versions = "0..=3", stable = "..=2", flexible = "2..")]
pub struct DeleteGroupsResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// What became of each group.
    pub results: Vec<DeletableGroupResult>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of one group.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct DeletableGroupResult {
    /// The group's id.
    #[message(map_key)]
    pub group_id: GroupId,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(versions = "3..", nullable = "3..", default = null, ignorable)]
    pub error_message: Option<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

//! DeleteAcls (key 31, versions 1-3): removes the access rules that match filters. KIP-140, KIP-290.

use crate::{ErrorCode, Message, Str, UnknownTags};

/// Filters whose rules to remove.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = DeleteAcls, request, versions = "1..=3", flexible = "2..")]
pub struct DeleteAclsRequest {
    /// The filters.
    pub filters: Vec<DeleteAclsFilter>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A filter: every part of a rule must match.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct DeleteAclsFilter {
    /// Kind of resource: 2 topic, 3 group, 4 cluster, 5 transactional id, 6 delegation token, 7 user; 1
    /// matches all.
    pub resource_type_filter: i8,
    /// The resource's name, or null for all.
    #[message(nullable = "0..")]
    pub resource_name_filter: Option<Str>,
    /// Which patterns: 1 any, 2 those that match the name, 3 literal ones, 4 prefixes.
    #[message(versions = "1..", default = 3)]
    pub pattern_type_filter: i8,
    /// Whom the rule is about, such as `User:alice`; null for all.
    #[message(nullable = "0..")]
    pub principal_filter: Option<Str>,
    /// The address that the rule is about; null for all.
    #[message(nullable = "0..")]
    pub host_filter: Option<Str>,
    /// Code of the operation: 2 all, 3 read, 4 write, 5 create, 6 delete, 7 alter, 8 describe, 9 cluster
    /// action, 10 describe configs, 11 alter configs, 12 idempotent write, 13 create tokens, 14 describe
    /// tokens, 15 two-phase commit; 1 matches every one.
    pub operation: i8,
    /// 2 deny, 3 allow; 1 matches both.
    pub permission_type: i8,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of each filter.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = DeleteAcls, response, versions = "1..=3", flexible = "2..")]
pub struct DeleteAclsResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// What became of each filter, in the order of the request.
    pub filter_results: Vec<DeleteAclsFilterResult>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What one filter has removed.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct DeleteAclsFilterResult {
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(nullable = "0..")]
    pub error_message: Option<Str>,
    /// The rules that it matched.
    pub matching_acls: Vec<DeleteAclsMatchingAcl>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A rule that a filter has matched.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct DeleteAclsMatchingAcl {
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(nullable = "0..")]
    pub error_message: Option<Str>,
    /// Kind of resource: 2 topic, 3 group, 4 cluster, 5 transactional id, 6 delegation token, 7 user.
    pub resource_type: i8,
    /// The resource's name, or the prefix of it, or `*`.
    pub resource_name: Str,
    /// How the name is matched: 3 literally, 4 as a prefix (KIP-290).
    #[message(versions = "1..", default = 3)]
    pub pattern_type: i8,
    /// Whom the rule is about, such as `User:alice`.
    pub principal: Str,
    /// The address that the rule is about; `*` for all.
    pub host: Str,
    /// Code of the operation: 2 all, 3 read, 4 write, 5 create, 6 delete, 7 alter, 8 describe, 9 cluster
    /// action, 10 describe configs, 11 alter configs, 12 idempotent write, 13 create tokens, 14 describe
    /// tokens, 15 two-phase commit.
    pub operation: i8,
    /// 2 deny, 3 allow.
    pub permission_type: i8,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

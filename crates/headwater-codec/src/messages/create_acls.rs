//! CreateAcls (key 30, versions 1-3): adds access rules. KIP-140, KIP-290.

use crate::{ErrorCode, Message, Str, UnknownTags};

/// Rules to add.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = CreateAcls, request, versions = "1..=3", flexible = "2..")]
pub struct CreateAclsRequest {
    /// Rules to add.
    pub creations: Vec<AclCreation>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A rule to add.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct AclCreation {
    /// Kind of resource: 2 topic, 3 group, 4 cluster, 5 transactional id, 6 delegation token, 7 user.
    pub resource_type: i8,
    /// The resource's name, or the prefix of it, or `*`.
    pub resource_name: Str,
    /// How the name is matched: 3 literally, 4 as a prefix (KIP-290).
    #[message(versions = "1..", default = 3)]
    pub resource_pattern_type: i8,
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

/// What became of each rule.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = CreateAcls, response, versions = "1..=3", flexible = "2..")]
pub struct CreateAclsResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// What became of each rule, in the order of the request.
    pub results: Vec<AclCreationResult>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of one rule.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct AclCreationResult {
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(nullable = "0..")]
    pub error_message: Option<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

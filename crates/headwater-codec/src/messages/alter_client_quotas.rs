//! AlterClientQuotas (key 49, versions 0-1): sets and removes quotas. KIP-546.

use crate::{ErrorCode, Message, Str, UnknownTags};

/// Quotas to set and to remove.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = AlterClientQuotas, request, versions = "0..=1", flexible = "1..")]
pub struct AlterClientQuotasRequest {
    /// What to change, by entity.
    pub entries: Vec<RequestEntryData>,
    /// Whether to check only, and change nothing.
    pub validate_only: bool,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What to change for one entity.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(name = "EntryData")]
pub struct RequestEntryData {
    /// What the quotas apply to: all parts together.
    pub entity: Vec<EntityData>,
    /// Quotas to set and to remove.
    pub ops: Vec<OpData>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A part of what a quota applies to.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct EntityData {
    /// Kind of part: `user`, `client-id` or `ip`.
    pub entity_type: Str,
    /// Name of the part; null for the default of its kind.
    #[message(nullable = "0..")]
    pub entity_name: Option<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A quota to set or to remove.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct OpData {
    /// The quota's name, such as `producer_byte_rate`.
    pub key: Str,
    /// The limit, in the unit of the quota.
    pub value: f64,
    /// Whether the quota is removed; its value then means nothing.
    pub remove: bool,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of each entity.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = AlterClientQuotas, response, versions = "0..=1", flexible = "1..")]
pub struct AlterClientQuotasResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// What became of each entity.
    pub entries: Vec<ResponseEntryData>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What became of one entity.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(name = "EntryData")]
pub struct ResponseEntryData {
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(nullable = "0..")]
    pub error_message: Option<Str>,
    /// What the quotas apply to: all parts together.
    pub entity: Vec<EntityData>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

//! DescribeClientQuotas (key 48, versions 0-1): the quotas that match a filter. KIP-546.

use crate::{ErrorCode, Message, Str, UnknownTags};

/// A filter on what quotas apply to.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = DescribeClientQuotas, request, versions = "0..=1", flexible = "1..")]
pub struct DescribeClientQuotasRequest {
    /// What the parts of an entity must be.
    pub components: Vec<ComponentData>,
    /// Whether an entity may have no parts but those named.
    pub strict: bool,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What one part of an entity must be.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct ComponentData {
    /// Kind of part: `user`, `client-id` or `ip`.
    pub entity_type: Str,
    /// 0 the name in `match`, 1 the default, 2 any name.
    pub match_type: i8,
    /// The name to match; null unless `match_type` is 0.
    #[message(nullable = "0..")]
    pub r#match: Option<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The quotas.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = DescribeClientQuotas, response, versions = "0..=1", flexible = "1..")]
pub struct DescribeClientQuotasResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(nullable = "0..")]
    pub error_message: Option<Str>,
    /// The quotas, by entity; null on an error.
    #[message(nullable = "0..")]
    pub entries: Option<Vec<EntryData>>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The quotas of one entity.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct EntryData {
    /// What the quotas apply to: all parts together.
    pub entity: Vec<EntityData>,
    /// The quotas.
    pub values: Vec<ValueData>,
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

/// A quota.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct ValueData {
    /// The quota's name, such as `producer_byte_rate`.
    pub key: Str,
    /// The limit, in the unit of the quota.
    pub value: f64,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

//! ClientQuotaRecord (metadata record 14, version 0): KIP-546.

use crate::{Message, Str, UnknownTags};

/// A quota was set or removed.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, type_id = 14, versions = "0..=0", flexible = "0..")]
pub struct ClientQuotaRecord {
    /// What the quota applies to: all parts together.
    pub entity: Vec<EntityData>,
    /// The quota's name, such as `producer_byte_rate`.
    pub key: Str,
    /// The limit, in the unit of the quota.
    pub value: f64,
    /// Whether the quota is removed.
    pub remove: bool,
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

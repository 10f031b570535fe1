//! ConfigRecord (metadata record 4, version 0).

use crate::{Message, Str, UnknownTags};

/// A config was set, or removed when the value is null.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, type_id = 4, versions = "0..=0", flexible = "0..")]
pub struct ConfigRecord {
    /// Kind of resource: 2 topic, 4 broker, 16 client metrics, 32 group.
    pub resource_type: i8,
    /// The resource's name: a topic, or a broker's id (empty for all brokers).
    pub resource_name: Str,
    /// The config's name.
    pub name: Str,
    /// The config's value; null removes it.
    #[message(nullable = "0..")]
    pub value: Option<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

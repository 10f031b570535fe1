//! AccessControlEntryRecord (metadata record 18, version 0).

use crate::{Message, Str, UnknownTags, Uuid};

/// An access rule was added.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, type_id = 18, versions = "0..=0", flexible = "0..")]
pub struct AccessControlEntryRecord {
    /// The rule's id.
    pub id: Uuid,
    /// Kind of resource: 2 topic, 3 group, 4 cluster, 5 transactional id, 6 delegation token, 7 user.
    pub resource_type: i8,
    /// The resource's name, or the prefix of it, or `*`.
    pub resource_name: Str,
    /// How the name is matched: 3 literally, 4 as a prefix.
    pub pattern_type: i8,
    /// Whom the rule is about, such as `User:alice`.
    pub principal: Str,
    /// The address that the rule is about; `*` for all.
    pub host: Str,
    /// Code of the operation, such as 2 for all, 3 for read, 4 for write.
    pub operation: i8,
    /// 2 deny, 3 allow.
    pub permission_type: i8,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

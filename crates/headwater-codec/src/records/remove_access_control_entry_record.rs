//! RemoveAccessControlEntryRecord (metadata record 19, version 0).

use crate::{Message, UnknownTags, Uuid};

/// An access rule was removed.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, type_id = 19, versions = "0..=0", flexible = "0..")]
pub struct RemoveAccessControlEntryRecord {
    /// The rule's id.
    pub id: Uuid,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

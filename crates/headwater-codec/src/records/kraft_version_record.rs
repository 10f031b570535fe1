//! KRaftVersionRecord (control record, version 0): KIP-853.

use crate::{Message, UnknownTags};

/// The level of `kraft.version` from here on.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "0..=0", flexible = "0..")]
pub struct KRaftVersionRecord {
    /// Version of the record.
    pub version: i16,
    /// The level of `kraft.version`.
    pub k_raft_version: i16,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

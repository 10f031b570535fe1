//! SnapshotFooterRecord (control record, version 0): KIP-630.

use crate::{Message, UnknownTags};

/// The last record of a snapshot.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "0..=0", flexible = "0..")]
pub struct SnapshotFooterRecord {
    /// Version of the record.
    pub version: i16,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

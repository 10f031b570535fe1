//! SnapshotHeaderRecord (control record, version 0): KIP-630.

use crate::{Message, UnknownTags};

/// The first record of a snapshot.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "0..=0", flexible = "0..")]
pub struct SnapshotHeaderRecord {
    /// Version of the record.
    pub version: i16,
    /// Timestamp of the last record that went into the snapshot, in milliseconds since 1970.
    pub last_contained_log_timestamp: i64,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

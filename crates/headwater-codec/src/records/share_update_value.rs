//! ShareUpdateValue (`__share_group_state`, version 0): KIP-932.

use crate::{Message, UnknownTags};

/// What has changed in one partition of a share group since its last whole state. Stands after its
/// version.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "0..=0", flexible = "0..")]
pub struct ShareUpdateValue {
    /// Number of the whole state, which grows with each.
    #[message(versions = "0..=0")]
    pub snapshot_epoch: i32,
    /// The epoch of the partition's leader that wrote it.
    pub leader_epoch: i32,
    /// First offset that the group may still deliver; -1 when not known.
    #[message(versions = "0..=0")]
    pub start_offset: i64,
    /// How many records from there on need no more delivery; -1 when not known (KIP-1226).
    #[message(tag = 0, tagged = "0..", default = -1, ignorable)]
    pub delivery_complete_count: i32,
    /// Records from there on that are in a state of their own.
    #[message(versions = "0..=0")]
    pub state_batches: Vec<StateBatch>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Records in one state that follow one another.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(versions = "0..=0")]
pub struct StateBatch {
    /// Offset of the first record.
    #[message(versions = "0..=0")]
    pub first_offset: i64,
    /// Offset of the last record.
    #[message(versions = "0..=0")]
    pub last_offset: i64,
    /// 0 available, 2 acknowledged, 4 archived.
    #[message(versions = "0..=0")]
    pub delivery_state: i8,
    /// How many times the records were delivered.
    #[message(versions = "0..=0")]
    pub delivery_count: i16,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

//! OffsetCommitValue (`__consumer_offsets`, versions 0-4): KIP-211, KIP-320.

use crate::{Message, Str, UnknownTags, Uuid};

/// A committed offset. Stands after its version; a null value in its place deletes the offset.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "0..=4", flexible = "4..")]
pub struct OffsetCommitValue {
    /// The offset to read next.
    pub offset: i64,
    /// Leader epoch of the last record read; -1 when not known.
    #[message(versions = "3..", default = -1, ignorable)]
    pub leader_epoch: i32,
    /// The client's note; may be empty.
    pub metadata: Str,
    /// When the offset was committed, in milliseconds since 1970.
    pub commit_timestamp: i64,
    /// When the offset expires, in milliseconds since 1970; -1 for as long as the broker keeps it.
    #[message(versions = "1..=1", default = -1, ignorable)]
    pub expire_timestamp: i64,
    /// The id of the topic when the offset was committed; all zero when not known.
    #[message(versions = "4..", tag = 0, tagged = "4..", ignorable)]
    pub topic_id: Uuid,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

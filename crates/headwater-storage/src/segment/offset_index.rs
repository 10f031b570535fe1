//! The sparse offset index, `<base offset>.index`: 8 bytes an entry, the last offset of a batch relative to the base
//! offset (int32) and the position of that batch in the log file (int32), both ascending, big-endian.

use super::Entries;

/// One entry.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct OffsetEntry {
    /// The batch's last offset minus the segment's base offset.
    pub(crate) relative: u32,
    /// Where the batch begins in the log file, in bytes.
    pub(crate) position: u32,
}

pub(crate) type OffsetIndex = Entries<OffsetEntry>;

impl super::IndexEntry for OffsetEntry {
    const LEN: usize = 8;

    fn encode(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.relative.to_be_bytes());
        out.extend_from_slice(&self.position.to_be_bytes());
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (relative, rest) = bytes.split_first_chunk::<4>()?;
        let position = rest.first_chunk::<4>()?;
        Some(Self { relative: u32::from_be_bytes(*relative), position: u32::from_be_bytes(*position) })
    }

    fn follows(self, before: Self) -> bool {
        self.relative > before.relative && self.position > before.position
    }
}

impl OffsetIndex {
    /// The position of the last indexed batch whose last offset is at or below `relative`.
    pub(crate) fn floor_offset(&self, relative: u32) -> Option<OffsetEntry> {
        self.before(self.as_slice().partition_point(|entry| entry.relative <= relative))
    }

    /// The last indexed batch that begins at or before `position`.
    pub(crate) fn floor_position(&self, position: u64) -> Option<OffsetEntry> {
        self.before(self.as_slice().partition_point(|entry| u64::from(entry.position) <= position))
    }
}

//! The sparse time index, `<base offset>.timeindex`: 12 bytes an entry, the largest timestamp so far (int64,
//! milliseconds) and the last offset of the batch that has it, relative to the base offset (int32), big-endian. The
//! timestamps ascend; the last entry of a closed segment holds the segment's largest.

use super::Entries;

/// One entry.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct TimeEntry {
    /// The largest timestamp up to and including the batch.
    pub(crate) timestamp: i64,
    /// The batch's last offset minus the segment's base offset.
    pub(crate) relative: u32,
}

pub(crate) type TimeIndex = Entries<TimeEntry>;

impl super::IndexEntry for TimeEntry {
    const LEN: usize = 12;

    fn encode(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.timestamp.to_be_bytes());
        out.extend_from_slice(&self.relative.to_be_bytes());
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (timestamp, rest) = bytes.split_first_chunk::<8>()?;
        let relative = rest.first_chunk::<4>()?;
        Some(Self { timestamp: i64::from_be_bytes(*timestamp), relative: u32::from_be_bytes(*relative) })
    }

    fn follows(self, before: Self) -> bool {
        self.timestamp > before.timestamp && self.relative >= before.relative
    }
}

impl TimeIndex {
    /// The last entry whose timestamp is at or below `timestamp`: every record before its batch is older than that, or
    /// as old.
    pub(crate) fn floor_timestamp(&self, timestamp: i64) -> Option<TimeEntry> {
        self.before(self.as_slice().partition_point(|entry| entry.timestamp <= timestamp))
    }
}

//! The index of a segment that counts records: after compaction the only holder of their offsets.

use std::{fs, path::Path};

use crate::{ImportError, source::cannot_read};

/// Entries of an `.index` file: offset minus the segment's base, and where the record stands. Both ascend.
#[derive(Debug, Default)]
pub(super) struct SegmentIndex {
    entries: Vec<(u32, u32)>,
    next: usize,
}

impl SegmentIndex {
    /// Reads the index; one that is missing, or not in order, tells nothing.
    pub(super) fn read(path: &Path) -> Result<Self, ImportError> {
        match fs::metadata(path) {
            Ok(metadata) if metadata.len() <= INDEX_BYTES_MAX => {}
            _ => return Ok(Self::default()),
        }
        let bytes = fs::read(path).map_err(cannot_read(path))?;
        let (chunks, _) = bytes.as_chunks::<8>();
        let entry = |&[o0, o1, o2, o3, p0, p1, p2, p3]: &[u8; 8]| {
            (u32::from_be_bytes([o0, o1, o2, o3]), u32::from_be_bytes([p0, p1, p2, p3]))
        };
        let entries: Vec<_> = chunks.iter().map(entry).collect();
        let in_order = entries.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1);
        Ok(Self { entries: if in_order { entries } else { Vec::new() }, next: 0 })
    }

    /// The relative offset of the record at `at`, if there is an entry for it. Asked in ascending order.
    pub(super) fn offset_at(&mut self, at: u64) -> Option<u64> {
        while self.entries.get(self.next).is_some_and(|(_, position)| u64::from(*position) < at) {
            self.next += 1;
        }
        let (offset, position) = self.entries.get(self.next)?;
        (u64::from(*position) == at).then_some(u64::from(*offset))
    }
}

/// More than the largest segment's index has.
const INDEX_BYTES_MAX: u64 = 1 << 28;

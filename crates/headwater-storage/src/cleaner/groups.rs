//! Which segments become one.

use std::sync::Arc;

use crate::{LogConfig, segment::Segment};

/// Segments, one after another, that are written to one.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// In the order of their offsets; at least one.
    pub(crate) segments: Vec<Arc<Segment>>,
    /// The offset after the last one.
    pub(crate) end: i64,
}

impl Group {
    /// The base offset of the segment that is made of it.
    pub(crate) fn base_offset(&self) -> i64 {
        self.segments.first().map_or(0, |segment| segment.base_offset())
    }

    /// When its newest file was written.
    pub(crate) fn modified_ms(&self) -> i64 {
        self.segments.iter().map(|segment| segment.modified_ms()).max().unwrap_or(0)
    }
}

/// Gathers segments that end at `end` into groups, each of which fits a segment.
pub(crate) fn group(segments: &[Arc<Segment>], end: i64, config: &LogConfig) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let (mut bytes, mut index_bytes) = (0, 0);
    for (at, segment) in segments.iter().enumerate() {
        let segment_end = segments.get(at + 1).map_or(end, |next| next.base_offset());
        let (size, index_size) = (segment.size(), index_estimate(segment.size(), config));
        let fits = groups.last().is_some_and(|group| {
            bytes + size <= u64::from(config.segment_bytes)
                && index_bytes + index_size <= u64::from(config.segment_index_bytes)
                && segment_end - group.base_offset() <= i64::from(i32::MAX)
        });
        if let Some(group) = groups.last_mut().filter(|_| fits) {
            group.segments.push(Arc::clone(segment));
            group.end = segment_end;
            (bytes, index_bytes) = (bytes + size, index_bytes + index_size);
        } else {
            groups.push(Group { segments: vec![Arc::clone(segment)], end: segment_end });
            (bytes, index_bytes) = (size, index_size);
        }
    }
    groups
}

/// Bytes of a time index, the larger one, over so many bytes of entries.
fn index_estimate(bytes: u64, config: &LogConfig) -> u64 {
    bytes / u64::from(config.index_interval_bytes.max(1)) * 12
}

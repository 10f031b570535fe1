//! What of a log can be compacted, and whether it is worth while.

use std::sync::Arc;

use crate::{
    LogConfig, LogPlace, LogView, StorageError,
    format::LogFormat,
    scan::Wait,
    segment::{ScanFailure, Segment},
};

/// How far compaction may go.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Bounds {
    /// Everything below is compacted.
    pub(crate) cleaned: i64,
    /// Below it everything is durable, indexes included.
    pub(crate) recovery_point: i64,
    /// The high watermark. Places in segments at or beyond its own are still in use.
    pub(crate) high: LogPlace,
    /// The place up to which everything is synced.
    pub(crate) synced: LogPlace,
}

/// What can be compacted.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// The segments that may be written anew, from the log's first on.
    pub(crate) segments: Vec<Arc<Segment>>,
    /// Which of them holds `first_dirty`.
    pub(crate) first_dirty_segment: usize,
    /// Everything below is compacted.
    pub(crate) first_dirty: i64,
    /// Where the last of the segments ends.
    pub(crate) end: i64,
    /// Bytes that were compacted before.
    clean_bytes: u64,
    /// Bytes that were not.
    dirty_bytes: u64,
    /// Something has waited for longer than `max.compaction.lag.ms`.
    is_overdue: bool,
}

impl Plan {
    /// Looks at a log; `None` when nothing of it can be compacted. Blocks.
    pub(crate) fn of<F: LogFormat>(
        view: &LogView,
        config: &LogConfig,
        bounds: Bounds,
        now_ms: i64,
    ) -> Result<Option<Self>, StorageError> {
        let end_of = |at: usize| view.segments.get(at + 1).map(|next| next.base_offset());
        let Some(first) = view.segments.first().map(|segment| segment.base_offset()) else { return Ok(None) };
        let upto = bounds.recovery_point.min(bounds.high.offset);
        let in_use = bounds.high.segment.min(bounds.synced.segment);
        // A note from before a log was cut back or made anew says nothing.
        let is_known = bounds.cleaned >= view.log_start && bounds.cleaned <= view.log_end().get();
        let first_dirty = if is_known { bounds.cleaned } else { view.log_start }.max(first);
        let mut plan = Self {
            segments: Vec::new(),
            first_dirty_segment: 0,
            first_dirty,
            end: first,
            clean_bytes: 0,
            dirty_bytes: 0,
            is_overdue: false,
        };
        let mut earliest = None;
        for (at, segment) in view.segments.iter().enumerate() {
            let Some(end) = end_of(at).filter(|end| *end <= upto && segment.base_offset() < in_use) else {
                break;
            };
            if end > first_dirty {
                if is_too_young::<F>(segment, config, now_ms)? {
                    break;
                }
                plan.dirty_bytes += segment.size();
                if config.max_compaction_lag_ms < i64::MAX {
                    let head = segment
                        .head_at::<F>(segment.first_spot(), Wait::ForDisk)
                        .map_err(ScanFailure::into_error)?;
                    let first = head.map(|head| head.max_timestamp).filter(|timestamp| *timestamp > 0);
                    earliest = [earliest, first].into_iter().flatten().min();
                }
            } else {
                plan.clean_bytes += segment.size();
                plan.first_dirty_segment = at + 1;
            }
            plan.segments.push(Arc::clone(segment));
            plan.end = end;
        }
        plan.is_overdue =
            earliest.is_some_and(|earliest| now_ms.saturating_sub(config.max_compaction_lag_ms) > earliest);
        plan.first_dirty_segment = plan.first_dirty_segment.min(plan.segments.len());
        Ok(Some(plan).filter(|plan| !plan.segments.is_empty()))
    }

    /// How much of what can be compacted was not, 0 to 1.
    pub(crate) fn dirty_ratio(&self) -> f64 {
        let all = self.clean_bytes + self.dirty_bytes;
        if all == 0 { 0.0 } else { self.dirty_bytes as f64 / all as f64 }
    }

    /// Whether compacting is worth while, or must be.
    pub(crate) fn is_due(&self, config: &LogConfig) -> bool {
        self.dirty_bytes > 0 && (self.is_overdue || self.dirty_ratio() > config.min_cleanable_dirty_ratio)
    }

    /// The same without the segments that reach beyond `offset`.
    pub(crate) fn bounded_by(mut self, offset: i64) -> Self {
        let fits = |plan: &Self, at: usize| {
            plan.segments.get(at + 1).map_or(plan.end, |next| next.base_offset()) <= offset
        };
        let kept = (0..self.segments.len()).take_while(|at| fits(&self, *at)).count();
        if let Some(next) = self.segments.get(kept) {
            self.end = next.base_offset();
            self.segments.truncate(kept);
            self.first_dirty_segment = self.first_dirty_segment.min(kept);
        }
        self
    }
}

/// Whether a record of the segment is younger than `min.compaction.lag.ms`.
fn is_too_young<F: LogFormat>(
    segment: &Segment,
    config: &LogConfig,
    now_ms: i64,
) -> Result<bool, StorageError> {
    if config.min_compaction_lag_ms <= 0 {
        return Ok(false);
    }
    let largest = segment.max_timestamp::<F>().map_err(ScanFailure::into_error)?;
    let time = largest.map_or_else(|| segment.modified_ms(), |(timestamp, _)| timestamp);
    Ok(time > now_ms.saturating_sub(config.min_compaction_lag_ms))
}

//! Finding records by time (KIP-79, KIP-734).

use headwater_codec::{LeaderEpoch, Offset};

use super::{LogPlace, LogView};
use crate::{
    StorageError, TimestampOffset, TimestampTarget, format::LogFormat, scan::Wait, segment::ScanFailure,
};

impl LogView {
    /// The record that `target` means among those at or after the log's start and before `upto`. Blocks.
    pub(crate) fn find_timestamp<F: LogFormat>(
        &self,
        target: TimestampTarget,
        upto: LogPlace,
    ) -> Result<Option<TimestampOffset>, StorageError> {
        let found = match target {
            TimestampTarget::AtOrAfter(target_ms) => self.first_at_or_after::<F>(target_ms, upto),
            TimestampTarget::Max => self.max_timestamp::<F>(upto),
        };
        let found = found.map_err(ScanFailure::into_error)?;
        Ok(found.map(|(offset, timestamp_ms, epoch)| {
            let epoch = if epoch < 0 { self.epoch_at(offset.get()) } else { epoch };
            TimestampOffset { offset, timestamp_ms, leader_epoch: LeaderEpoch::new(epoch) }
        }))
    }

    fn first_at_or_after<F: LogFormat>(&self, target_ms: i64, upto: LogPlace) -> Result<Found, ScanFailure> {
        let from = Offset::ZERO.plus(self.log_start);
        let first = self.segment_of(self.log_start).unwrap_or(0);
        for segment in self.segments.iter().skip(first) {
            if segment.base_offset() > upto.segment {
                break;
            }
            let limit = if segment.base_offset() == upto.segment { upto.position } else { u64::MAX };
            if let Some(found) = segment.find_timestamp::<F>(&self.name, target_ms, from, limit)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn max_timestamp<F: LogFormat>(&self, upto: LogPlace) -> Result<Found, ScanFailure> {
        let first = self.segment_of(self.log_start).unwrap_or(0);
        let mut best: Option<(i64, i64, usize)> = None;
        for (at, segment) in self.segments.iter().enumerate().skip(first) {
            if segment.base_offset() > upto.segment {
                break;
            }
            // Where only a part of the segment counts, its own maximum may lie outside.
            let whole = segment.base_offset() < upto.segment || upto.position >= segment.size();
            let max = match segment.max_timestamp::<F>()? {
                Some((_, last_offset)) if !whole && last_offset >= upto.offset => {
                    segment.max_before::<F>(upto.position, Wait::ForDisk)?
                }
                max => max,
            };
            if let Some((timestamp, last_offset)) = max
                && best.is_none_or(|(known, _, _)| timestamp > known)
            {
                best = Some((timestamp, last_offset, at));
            }
        }
        match best {
            Some((_, last_offset, at)) => self.segments[at].first_at_max::<F>(&self.name, last_offset),
            None => Ok(None),
        }
    }
}

/// Offset, timestamp and epoch.
type Found = Option<(Offset, i64, i32)>;

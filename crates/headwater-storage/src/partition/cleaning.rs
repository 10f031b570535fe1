//! Compacting a partition.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use super::{Partition, Repair, State};
use crate::{
    LogConfig, LogFormat, LogPlace, LogView, StorageError,
    cleaner::{Bounds, Cleaning, CleaningStats, Group, Plan, Rewrite, Transactions, group},
    log::{SwapError, swap_in},
    segment::CleanedSegment,
};

/// What is remembered from one cleaning to the next.
#[derive(Debug, Default)]
pub(super) struct Cleaner {
    transactions: Transactions,
    /// When a tombstone or a marker may go that is there still, milliseconds since the epoch.
    next_horizon_ms: Option<i64>,
    /// When it may be tried again after a failure, milliseconds since the epoch.
    retry_ms: Option<i64>,
    /// The disk is ahead of the log in memory; nothing more is compacted before it is opened again.
    is_halfway: bool,
}

/// What a cleaning came to, for the log and the metrics.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cleaned {
    pub(crate) stats: CleaningStats,
    pub(crate) took: Duration,
}

/// A partition as one cleaning finds it.
struct Found {
    view: LogView,
    config: Arc<LogConfig>,
    bounds: Bounds,
}

impl<F: LogFormat> Partition<F> {
    /// How much of what could be compacted was not, 0 to 1, when compacting is due; `None` when it is not, or is under way.
    pub(crate) fn dirty_ratio(&self) -> Result<Option<f64>, StorageError> {
        let Some(cleaner) = self.cleaner.try_lock() else { return Ok(None) };
        Ok(self.plan(&cleaner)?.map(|(_, plan)| plan.dirty_ratio()))
    }

    /// Compacts what can be, as far as memory reaches; `None` when nothing is due. `pace` is called with the bytes read and
    /// written; its error ends the cleaning.
    pub(crate) fn clean(
        &self,
        pace: &mut dyn FnMut(u64) -> Result<(), StorageError>,
    ) -> Result<Option<Cleaned>, StorageError> {
        let Some(mut cleaner) = self.cleaner.try_lock() else { return Ok(None) };
        let Some((found, plan)) = self.plan(&cleaner)? else { return Ok(None) };
        let started = Instant::now();
        let mut paced = |bytes| {
            if self.is_removed() {
                Err(StorageError::UnknownPartition { partition: self.id })
            } else {
                pace(bytes)
            }
        };
        let mut cleaning = Cleaning {
            name: &self.name,
            disk: &self.store.disk,
            dir: &self.dir,
            config: &found.config,
            options: &self.store.options.cleaner,
            now_ms: self.now_ms(),
            pace: &mut paced,
            stats: CleaningStats::default(),
        };
        match self.clean_found(&mut cleaner, &found, plan, &mut cleaning) {
            Ok(None) => {
                // An open transaction holds everything back.
                let backoff_ms = i64::try_from(cleaning.options.backoff_ms).unwrap_or(RETRY_MS);
                cleaner.retry_ms = Some(self.now_ms().saturating_add(backoff_ms));
                Ok(None)
            }
            Ok(Some(stats)) => {
                cleaner.retry_ms = None;
                let cleaned = Cleaned { stats, took: started.elapsed() };
                self.tell(&cleaned);
                Ok(Some(cleaned))
            }
            Err(error) => {
                cleaner.retry_ms = Some(self.now_ms().saturating_add(RETRY_MS));
                Err(error)
            }
        }
    }

    /// What can be compacted, if that is due.
    fn plan(&self, cleaner: &Cleaner) -> Result<Option<(Found, Plan)>, StorageError> {
        let now_ms = self.now_ms();
        if cleaner.is_halfway || cleaner.retry_ms.is_some_and(|retry_ms| now_ms < retry_ms) {
            return Ok(None);
        }
        let Some(found) = self.find()? else { return Ok(None) };
        let plan = Plan::of::<F>(&found.view, &found.config, found.bounds, now_ms)?;
        let is_past_horizon = cleaner.next_horizon_ms.is_some_and(|horizon| horizon <= now_ms);
        Ok(plan.filter(|plan| is_past_horizon || plan.is_due(&found.config)).map(|plan| (found, plan)))
    }

    /// The log, if it is to be compacted and there is one.
    fn find(&self) -> Result<Option<Found>, StorageError> {
        {
            let state = self.state.lock();
            match &*state {
                State::Unopened(opening) if !opening.exists || !opening.config.cleanup_compact => {
                    return Ok(None);
                }
                State::Open(log) if !log.config().cleanup_compact => return Ok(None),
                State::Unopened(_) | State::Open(_) => {}
                State::Offline { .. } | State::Closed(_) => return Ok(None),
            }
        }
        self.open_now()?;
        // Before the view, so that the view has everything below it.
        let (Some(high), Some(recovery_point)) = (self.high(), self.recovery_point()) else {
            return Ok(None);
        };
        let (view, config, synced) =
            self.with_log(|log| Ok((log.view(), Arc::clone(log.config()), log.synced())))?;
        let cleaned = self.store.cleaned_upto(self.dir_index, &self.key()).unwrap_or(0);
        Ok(Some(Found { view, config, bounds: Bounds { cleaned, recovery_point, high, synced } }))
    }

    fn high(&self) -> Option<LogPlace> {
        self.snapshot.load().as_ref().map(|snapshot| snapshot.high)
    }

    fn clean_found(
        &self,
        cleaner: &mut Cleaner,
        found: &Found,
        plan: Plan,
        cleaning: &mut Cleaning<'_>,
    ) -> Result<Option<CleaningStats>, StorageError> {
        let transactions = &mut cleaner.transactions;
        cleaning.follow_transactions::<F>(&found.view, found.bounds.high, transactions)?;
        let plan = match transactions.first_open() {
            Some(open) => plan.bounded_by(open),
            None => plan,
        };
        if plan.end <= plan.first_dirty && cleaner.next_horizon_ms.is_none_or(|at| at > cleaning.now_ms) {
            return Ok(None);
        }
        let newest = cleaning.learn::<F>(&plan, transactions)?;
        let last_entries = self.with_log(|log| Ok(log.last_entries()))?;
        let mut rewrite = Rewrite::new(&newest, transactions, &last_entries);
        let touched = plan.segments.partition_point(|segment| segment.base_offset() < newest.end);
        let end = plan.segments.get(touched).map_or(plan.end, |next| next.base_offset());
        // Durably, before anything is gone: below it an opening finds gaps and batches that are not whole in order.
        self.store.note_recovery_point(self.dir_index, self.key(), found.bounds.recovery_point)?;
        for group in group(&plan.segments[..touched], end, cleaning.config) {
            cleaning.stats.segments_before += group.segments.len();
            cleaning.stats.segments_after += 1;
            let Some(cleaned) = rewrite.group::<F>(cleaning, &group)? else { continue };
            if let Err(failed) = self.swap(&group, cleaned) {
                cleaner.is_halfway = matches!(failed, SwapError::Halfway(_));
                return Err(failed.into_error());
            }
        }
        cleaner.next_horizon_ms = rewrite.next_horizon_ms;
        self.store.note_cleaned(self.dir_index, self.key(), newest.end)?;
        Ok(Some(cleaning.stats))
    }

    /// Lets a new segment take the place of a group's.
    fn swap(&self, group: &Group, cleaned: CleanedSegment) -> Result<(), SwapError> {
        // Nobody else removes segments meanwhile.
        let _swapping = self.swapping.lock();
        let Some(high) = self.high() else { return Err(SwapError::Undone(StorageError::Closed)) };
        let retired = self.with_log(|log| {
            if !log.can_replace(&group.segments, high) {
                return Ok(false);
            }
            for segment in &group.segments {
                segment.retire::<F>().map_err(|failure| failure.into_error())?;
            }
            Ok(true)
        });
        if !matches!(retired, Ok(true)) {
            group.segments.iter().for_each(|segment| segment.unretire());
            cleaned.discard();
            // Where retention has taken them there is nothing left to do.
            return retired.map(|_| ()).map_err(SwapError::Undone);
        }
        let bases: Vec<i64> = group.segments.iter().map(|segment| segment.base_offset()).collect();
        swap_in(&*self.store.disk, &self.dir, &cleaned, &bases).inspect_err(|failed| {
            if matches!(failed, SwapError::Undone(_)) {
                group.segments.iter().for_each(|segment| segment.unretire());
            }
        })?;
        let new = cleaned.into_segment(group.end, group.modified_ms(), self.now_ms());
        let mut state = self.state.lock();
        match &mut *state {
            State::Open(log) => {
                log.replace_segments(&group.segments, new);
                self.republish(log);
            }
            State::Offline { how: Repair::Restart(log), .. } => {
                log.replace_segments(&group.segments, new);
            }
            State::Offline { .. } | State::Unopened(_) | State::Closed(_) => {}
        }
        Ok(())
    }

    fn tell(&self, cleaned: &Cleaned) {
        let Cleaned { stats, took } = cleaned;
        tracing::info!(
            log = %self.name, took_ms = took.as_millis(), bytes_read = stats.bytes_read,
            bytes_written = stats.bytes_written, records_kept = stats.records_kept,
            records_dropped = stats.records_dropped, segments_before = stats.segments_before,
            segments_after = stats.segments_after, "compacted the log"
        );
    }

    /// Waits until no cleaning is under way. One that notices that the partition is gone ends soon.
    pub(super) fn await_cleaner(&self) {
        drop(self.cleaner.lock());
    }
}

#[cfg(test)]
impl<F: LogFormat> Partition<F> {
    /// Closes the active segment.
    pub(crate) fn roll_now(&self) {
        let rolled = self.with_log(|log| {
            log.roll(self.now_ms())?;
            let mut commit = self.commit.lock();
            self.publish(log, None);
            self.sync_if_needed(log, &mut commit);
            Ok(())
        });
        rolled.expect("a segment can be made");
    }

    /// What a reader has who comes now, and the segments that are not the active one.
    pub(crate) fn view_now(&self) -> (LogView, Vec<Arc<crate::segment::Segment>>) {
        let snapshot = self.snapshot.load_full().expect("the log is open");
        let mut segments = snapshot.log.segments.to_vec();
        segments.pop();
        (snapshot.log.clone(), segments)
    }
}

/// How long after a failure a log is not compacted.
const RETRY_MS: i64 = 300_000;

//! Appending: places, checks, one write for many entries, rolling.

use std::io::IoSlice;

use headwater_codec::{LeaderEpoch, Offset};
use headwater_records::TimestampType;

use super::{
    Log, LogPlace,
    producers::{Undo, Verdict},
};
use crate::{
    StorageError,
    format::{EntryHead, LogEntry, LogFormat},
    segment::Segment,
};

/// An entry to append, and what became of it.
#[derive(Debug)]
pub struct AppendJob<E> {
    entry: E,
    outcome: Option<Result<AppendOutcome, StorageError>>,
}

/// What an append did.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct AppendOutcome {
    /// The offset of the entry's first record; the original one when it was a duplicate.
    pub base_offset: Offset,
    /// The offset after its last record: when everything below is durable, so is the entry.
    pub next_offset: Offset,
    /// The broker's time that was put into it, milliseconds since the epoch.
    pub log_append_time_ms: Option<i64>,
    /// Whether it had been written before.
    pub duplicate: bool,
}

impl<E> AppendJob<E> {
    /// A job that has not been done.
    pub const fn new(entry: E) -> Self {
        Self { entry, outcome: None }
    }

    /// What became of it.
    ///
    /// # Panics
    /// When it was not given to [`Log::append`].
    pub fn into_outcome(self) -> Result<AppendOutcome, StorageError> {
        self.outcome.expect("an append gives every job an outcome")
    }
}

/// Entries that go to the active segment in one write.
struct Run<E: LogEntry> {
    /// Which job, and where it goes.
    entries: Vec<(usize, u64, EntryHead)>,
    fronts: Vec<E::Front>,
    undo: Vec<Undo>,
    bytes: u64,
}

/// What staging an entry came to.
enum Staged {
    /// It is in the run, or has its outcome.
    Done,
    /// It needs a new segment.
    NeedsRoll,
}

impl<F: LogFormat> Log<F> {
    /// Appends one entry.
    ///
    /// # Errors
    /// As [`Log::append`].
    pub fn append_one(
        &mut self,
        entry: F::Entry,
        epoch: LeaderEpoch,
        now_ms: i64,
    ) -> Result<AppendOutcome, StorageError> {
        let mut jobs = [AppendJob::new(entry)];
        self.append(&mut jobs, epoch, now_ms);
        let [job] = jobs;
        job.into_outcome()
    }

    /// Appends entries in order, as many as possible with one write, and gives each job its outcome.
    ///
    /// Outcomes are errors when a producer's rules are broken ([`StorageError::OutOfOrderSequence`],
    /// [`StorageError::InvalidProducerEpoch`]), when an entry is too large, and when the disk fails; what a failed write
    /// left is cut off again.
    pub fn append(&mut self, jobs: &mut [AppendJob<F::Entry>], epoch: LeaderEpoch, now_ms: i64) {
        let mut at = 0;
        while at < jobs.len() {
            let mut run = Run { entries: Vec::new(), fronts: Vec::new(), undo: Vec::new(), bytes: 0 };
            while at < jobs.len() && run.entries.len() < RUN_ENTRIES_MAX {
                match self.stage(jobs, at, &mut run, epoch, now_ms) {
                    Staged::Done => at += 1,
                    Staged::NeedsRoll if !run.entries.is_empty() => break,
                    Staged::NeedsRoll => {
                        if let Err(error) = self.roll(now_ms) {
                            jobs[at].outcome = Some(Err(error));
                            at += 1;
                        }
                    }
                }
            }
            self.write(jobs, run, epoch, now_ms);
        }
    }

    /// Gives an entry its place in `run`, or its outcome.
    fn stage(
        &mut self,
        jobs: &mut [AppendJob<F::Entry>],
        at: usize,
        run: &mut Run<F::Entry>,
        epoch: LeaderEpoch,
        now_ms: i64,
    ) -> Staged {
        let next = run.entries.last().map_or(self.end.offset, |(_, _, head)| head.next_offset());
        let job = &mut jobs[at];
        let mut head = job.entry.head();
        if head.len as u64 > u64::from(self.config.segment_bytes) {
            let max = self.config.segment_bytes as usize;
            job.outcome =
                Some(Err(StorageError::BatchTooLarge { log: self.name.clone(), bytes: head.len, max }));
            return Staged::Done;
        }
        match self.producers.check(&self.name, &head) {
            Ok(Verdict::New) => {}
            Ok(Verdict::Duplicate { base_offset, next_offset }) => {
                job.outcome = Some(Ok(AppendOutcome {
                    base_offset: Offset::ZERO.plus(base_offset),
                    next_offset: Offset::ZERO.plus(next_offset),
                    log_append_time_ms: None,
                    duplicate: true,
                }));
                return Staged::Done;
            }
            Err(error) => {
                job.outcome = Some(Err(error));
                return Staged::Done;
            }
        }
        if self.must_roll(&head, next, run.bytes, now_ms) {
            return Staged::NeedsRoll;
        }
        if self.config.timestamp_type == TimestampType::LogAppendTime && !head.control {
            job.entry.set_log_append_time(now_ms);
        }
        job.entry.assign(Offset::ZERO.plus(next), epoch);
        head = job.entry.head();
        run.undo.extend(self.producers.apply(&head, now_ms));
        run.entries.push((at, self.end.position + run.bytes, head));
        run.bytes += head.len as u64;
        Staged::Done
    }

    /// Whether an entry cannot follow the `staged` bytes that will be in the active segment.
    fn must_roll(&self, head: &EntryHead, next: i64, staged: u64, now_ms: i64) -> bool {
        let Some(active) = self.active() else { return true };
        let size = self.end.position + staged;
        if size == 0 && next == active.base_offset() {
            return false;
        }
        let last = next.saturating_add(head.last_offset - head.base_offset);
        size + head.len as u64 > u64::from(self.config.segment_bytes)
            || last - active.base_offset() > i64::from(i32::MAX)
            || active.index_is_full(self.index_limits())
            || (staged == 0 && active.age_ms(head.max_timestamp, now_ms) > self.segment_ms(active))
    }

    /// `segment.ms`, less a jitter that is the segment's own. What must be compacted soon must not stay in the active segment.
    fn segment_ms(&self, segment: &Segment) -> i64 {
        let jitter = match self.config.segment_jitter_ms {
            0 => 0,
            max => {
                (segment.base_offset().wrapping_mul(0x9e37_79b9).unsigned_abs() % max.unsigned_abs()) as i64
            }
        };
        let most = if self.config.cleanup_compact { self.config.max_compaction_lag_ms } else { i64::MAX };
        self.config.segment_ms.saturating_sub(jitter).min(most)
    }

    fn write(
        &mut self,
        jobs: &mut [AppendJob<F::Entry>],
        mut run: Run<F::Entry>,
        epoch: LeaderEpoch,
        now_ms: i64,
    ) {
        let Some((first, _, first_head)) = run.entries.first().copied() else { return };
        let Some(active) = self.active().cloned() else { return };
        run.fronts.extend(run.entries.iter().map(|(job, _, _)| jobs[*job].entry.parts().0));
        let written = {
            let mut buffers = Vec::with_capacity(2 * run.entries.len());
            for ((job, _, _), front) in run.entries.iter().zip(&run.fronts) {
                buffers.push(IoSlice::new(front.as_ref()));
                buffers.push(IoSlice::new(jobs[*job].entry.parts().1));
            }
            self.write_at_end(&active, &mut buffers)
        };
        if let Err(error) = written {
            tracing::warn!(log = %self.name, %error, "an append failed and is taken back");
            for undo in run.undo.drain(..).rev() {
                self.producers.undo(undo);
            }
            for (job, _, _) in run.entries {
                jobs[job].outcome = Some(Err(error.clone()));
            }
            // What was written and cut off again must not come back.
            self.unsynced.add_segment(&active);
            return;
        }
        debug_assert!(first < jobs.len(), "a run holds jobs");
        self.epochs.note(epoch.get(), first_head.base_offset);
        let mut noted: Vec<(u64, EntryHead)> = Vec::with_capacity(run.entries.len());
        for &(job, mut position, _) in &run.entries {
            jobs[job].entry.each_head(&mut |head| {
                noted.push((position, head));
                position += head.len as u64;
            });
        }
        active.note_appended(&noted, self.index_limits(), now_ms);
        active.touch(now_ms);
        self.unsynced.add_segment(&active);
        self.snapshot_bytes += run.bytes;
        for (job, position, head) in run.entries {
            let log_append_time = self.config.timestamp_type == TimestampType::LogAppendTime && !head.control;
            self.end.offset = head.next_offset();
            self.end.position = position + head.len as u64;
            jobs[job].outcome = Some(Ok(AppendOutcome {
                base_offset: Offset::ZERO.plus(head.base_offset),
                next_offset: Offset::ZERO.plus(head.next_offset()),
                log_append_time_ms: log_append_time.then_some(now_ms),
                duplicate: false,
            }));
        }
    }

    /// Writes at the log's end, and cuts off what a failed write left there.
    fn write_at_end(&mut self, active: &Segment, buffers: &mut [IoSlice<'_>]) -> Result<(), StorageError> {
        self.cut_tail(active)?;
        let file = active.file()?;
        file.write_all_at(buffers, self.end.position).map_err(|error| {
            self.tail_is_dirty = file.set_len(self.end.position).is_err();
            StorageError::io("append", active.path(), error)
        })
    }

    /// Cuts off what a failed write left, if that could not be done at once.
    fn cut_tail(&mut self, active: &Segment) -> Result<(), StorageError> {
        if self.tail_is_dirty {
            let cut = active.file()?.set_len(self.end.position);
            cut.map_err(|error| StorageError::io("cut off a failed write", active.path(), error))?;
            self.tail_is_dirty = false;
        }
        Ok(())
    }

    /// Closes the active segment and starts another at the log's end.
    ///
    /// # Errors
    /// [`StorageError::Io`] when the new segment cannot be made; the log is as it was then.
    pub fn roll(&mut self, now_ms: i64) -> Result<(), StorageError> {
        if self.segments.is_empty() {
            self.make_dir(false)?;
        }
        if let Some(active) = self.active().cloned() {
            self.cut_tail(&active)?;
        }
        let base = self.end.offset;
        let segment = Segment::create(&self.disk, &self.dir, base, now_ms)?;
        if let Some(active) = self.active().cloned() {
            active.close();
            self.unsynced.add_closed(active);
            self.unsynced.add_file(format!("{base:020}.snapshot"), self.producers.to_snapshot(), false);
            self.snapshot_bytes = 0;
        }
        self.unsynced.add_segment(&segment);
        self.unsynced.dir = true;
        self.push_segment(segment);
        self.end = LogPlace { offset: base, segment: base, position: 0 };
        Ok(())
    }

    /// Makes the log's directory and puts its first files there.
    ///
    /// After a failed sync they are written anew, and `durable`: the pages of those there may be lost, and one that is
    /// durable must not be replaced by one that is not.
    pub(super) fn make_dir(&mut self, durable: bool) -> Result<(), StorageError> {
        let io = |op, path: &std::path::Path, error| StorageError::io(op, path, error);
        self.disk.create_dir(&self.dir).map_err(|error| io("make the directory", &self.dir, error))?;
        self.unsynced.parent_dir = true;
        self.unsynced.dir = true;
        self.unsynced.first_files = true;
        for (name, content) in &self.first_files {
            let path = self.dir.join(name);
            let is_there = || self.disk.read(&path).is_ok_and(|there| there == *content);
            if durable || !is_there() {
                self.disk.replace(&path, content, durable).map_err(|error| io("write", &path, error))?;
            }
        }
        Ok(())
    }

    /// Rolls when the active segment is older than `segment.ms`, whether or not something is to be appended. In a log that
    /// is compacted the newest records stay in the active segment as long as nothing follows them, as in Kafka; there only
    /// `max.compaction.lag.ms` counts.
    ///
    /// # Errors
    /// As [`Log::roll`].
    pub fn roll_if_old(&mut self, now_ms: i64) -> Result<bool, StorageError> {
        let old = self.active().is_some_and(|active| {
            let max_ms = if self.config.cleanup_compact {
                self.config.max_compaction_lag_ms
            } else {
                self.segment_ms(active)
            };
            self.end.position > 0 && active.age_ms(-1, now_ms) > max_ms
        });
        if old {
            self.roll(now_ms)?;
        }
        Ok(old)
    }
}

/// Two buffers each, and Linux takes 1024 in one write.
const RUN_ENTRIES_MAX: usize = 512;

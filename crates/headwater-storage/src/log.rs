//! The log of one partition: segments, indexes, producers, epochs. Synchronous, without threads or locks of its own.
//!
//! A [`Log`] has one owner that appends, rolls, cuts and deletes. What it has written is told by a [`LogView`], which
//! is immutable, cheap to make and may be read from anywhere. Nothing here syncs on append: [`Log::take_unsynced`]
//! says what must be synced so that everything up to a place is durable.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use bytes::Bytes;
use headwater_codec::{LeaderEpoch, Offset};

mod append;
mod epochs;
mod find;
mod producers;
mod read;
mod recovery;
mod restore;
mod retention;
mod swap;
mod sync;
mod truncate;
mod view;

pub use append::{AppendJob, AppendOutcome};
pub(crate) use producers::LastEntry;
pub(crate) use read::Range;
pub use recovery::Recovered;
pub use retention::Retention;
pub(crate) use swap::{SwapError, swap_in};
pub use sync::Unsynced;
pub use view::{LogPlace, LogView};

use epochs::Epochs;
use producers::Producers;

use crate::{
    ActiveProducer, EpochEnd, KafkaBatches, LogConfig, LogFormat, LogName,
    disk::Disk,
    segment::{IndexLimits, Segment},
};

/// What a log is opened with.
#[derive(Clone, Debug)]
pub struct LogOptions {
    /// The log's name in messages; its directory has the same.
    pub name: LogName,
    /// How it rolls and keeps records.
    pub config: Arc<LogConfig>,
    /// The first offset that may be read, when that is beyond the first segment's.
    pub log_start: Option<Offset>,
    /// Below it everything is on disk. `None`: nothing is known to be.
    pub recovery_point: Option<Offset>,
    /// Below it the log was compacted, so that offsets may be missing. `None`: it never was.
    pub cleaned_upto: Option<Offset>,
    /// Whether the log was closed in order, so that nothing needs to be checked.
    pub clean: bool,
    /// Files that are put into the directory when it is made, before the first append.
    pub first_files: Vec<(String, Bytes)>,
}

impl LogOptions {
    /// A log that is checked from its start when it is opened, with default settings.
    pub fn new(name: &str) -> Self {
        Self {
            name: LogName::new(name),
            config: Arc::new(LogConfig::default()),
            log_start: None,
            recovery_point: None,
            cleaned_upto: None,
            clean: false,
            first_files: Vec::new(),
        }
    }
}

/// The log of one partition.
#[derive(Debug)]
pub struct Log<F: LogFormat = KafkaBatches> {
    name: LogName,
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    config: Arc<LogConfig>,
    first_files: Vec<(String, Bytes)>,
    /// None until the first append to a log that has no directory.
    segments: Arc<Vec<Arc<Segment>>>,
    log_start: i64,
    /// Below it the log had been compacted when it was opened.
    cleaned: i64,
    end: LogPlace,
    epochs: Epochs,
    producers: Producers,
    /// Bytes appended since the last producer snapshot.
    snapshot_bytes: u64,
    unsynced: Unsynced,
    /// Up to where everything is durable.
    synced: LogPlace,
    /// A sync failed, and no new segment could be started since.
    broken: bool,
    /// Whether the active file may hold bytes beyond `end`: a write failed and cutting it off did too.
    tail_is_dirty: bool,
    /// The segment that retention last complained about.
    held_back: Option<i64>,
    format: std::marker::PhantomData<F>,
}

impl<F: LogFormat> Log<F> {
    /// The log's name.
    pub const fn name(&self) -> &LogName {
        &self.name
    }

    /// The log's directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The first offset that may be read.
    pub fn log_start(&self) -> Offset {
        Offset::ZERO.plus(self.log_start)
    }

    /// The offset that the next record gets.
    pub fn log_end(&self) -> Offset {
        Offset::ZERO.plus(self.end.offset)
    }

    /// Changes how the log rolls and keeps records.
    pub fn set_config(&mut self, config: Arc<LogConfig>) {
        self.config = config;
    }

    /// The settings that hold.
    pub const fn config(&self) -> &Arc<LogConfig> {
        &self.config
    }

    /// What is written now.
    pub fn view(&self) -> LogView {
        LogView {
            name: self.name.clone(),
            segments: Arc::clone(&self.segments),
            log_start: self.log_start,
            end: self.end,
            epochs: Arc::clone(self.epochs.entries()),
        }
    }

    /// Bytes of all segments.
    pub fn size_bytes(&self) -> u64 {
        self.segments.iter().map(|segment| segment.size()).sum()
    }

    /// The producers that are remembered.
    pub fn active_producers(&self) -> Vec<ActiveProducer> {
        self.producers.active()
    }

    /// What each producer that is remembered wrote last.
    pub(crate) fn last_entries(&self) -> HashMap<i64, LastEntry> {
        self.producers.last_entries()
    }

    /// Forgets producers that have been silent since before `before_ms`.
    pub fn expire_producers(&mut self, before_ms: i64) {
        self.producers.expire(before_ms);
    }

    /// The last stable offset, given the high watermark.
    pub fn last_stable(&self, high_watermark: Offset) -> Offset {
        self.producers.last_stable(high_watermark)
    }

    /// The end of the largest epoch at or below `epoch`, when `current` is the epoch that leads now.
    pub fn epoch_end(&self, epoch: LeaderEpoch, current: LeaderEpoch) -> Option<EpochEnd> {
        self.epochs.end_of(epoch.get(), current, self.log_end())
    }

    /// The newest epoch that wrote something.
    pub fn last_epoch(&self) -> Option<LeaderEpoch> {
        self.epochs.last().map(LeaderEpoch::new)
    }

    fn active(&self) -> Option<&Arc<Segment>> {
        self.segments.last()
    }

    fn index_limits(&self) -> IndexLimits {
        IndexLimits {
            interval_bytes: self.config.index_interval_bytes,
            bytes_max: self.config.segment_index_bytes,
        }
    }

    fn push_segment(&mut self, segment: Arc<Segment>) {
        let mut segments = Vec::with_capacity(self.segments.len() + 1);
        segments.extend_from_slice(&self.segments);
        segments.push(segment);
        self.segments = Arc::new(segments);
    }

    fn retain_segments(&mut self, kept: impl Fn(&Segment) -> bool) -> Vec<Arc<Segment>> {
        let (kept, gone) = self.segments.iter().cloned().partition(|segment| kept(segment));
        self.segments = Arc::new(kept);
        gone
    }
}

#[cfg(test)]
mod tests;

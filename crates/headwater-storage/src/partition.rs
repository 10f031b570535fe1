//! One partition of the local store: a log, a queue of appends in front of it, and the syncs behind it.
//!
//! Appends enter a queue; whoever finds it idle drains it, so that an uncontended append is one write on the caller's
//! thread and contended ones share a write. No appender syncs. Under group commit a sync is under way whenever something
//! is unsynced; what was written meanwhile goes into the next one. The high watermark is the synced offset then.
//!
//! Locks, in the order in which they are taken: `cleaner`, `swapping`, `state` (the log), `commit` (who waits). The queue's lock is held
//! alone. Readers take none: they load a snapshot.

use std::{
    path::PathBuf,
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, AtomicI32, AtomicI64, Ordering},
    },
};

use arc_swap::{ArcSwap, ArcSwapOption};
use headwater_codec::{LeaderEpoch, Offset, TopicIdPartition};
use parking_lot::Mutex;
use tokio::sync::{oneshot, watch};

mod append;
mod cleaning;
mod commit;
mod housekeeping;
mod opening;
mod read;

use cleaning::Cleaner;
use commit::Commit;
pub(crate) use opening::Opening;

use crate::{
    AppendDurability, Appended, Fence, FlushPolicy, KafkaBatches, LogConfig, LogFormat, LogName, LogPlace,
    LogView, StorageError, Watermarks, local::Shared, log::Log,
};

/// One partition.
#[derive(Debug)]
pub(crate) struct Partition<F: LogFormat = KafkaBatches> {
    pub(super) id: TopicIdPartition,
    pub(super) name: LogName,
    pub(super) topic: String,
    /// Which of the store's directories it is in.
    pub(super) dir_index: usize,
    pub(super) dir: PathBuf,
    store: Arc<Shared<F>>,
    this: Weak<Self>,
    queue: Mutex<Queue<F::Entry>>,
    state: Mutex<State<F>>,
    /// For who makes entries of batches.
    config: ArcSwap<LogConfig>,
    commit: Mutex<Commit>,
    /// `None` until the log is open.
    snapshot: ArcSwapOption<Snapshot>,
    watermarks: watch::Sender<Watermarks>,
    leader_epoch: AtomicI32,
    fence: AtomicI32,
    /// Below it everything is on disk, indexes of closed segments included.
    recovery_point: AtomicI64,
    /// Whether something was appended since the index files were written.
    touched: AtomicBool,
    /// Held by whoever compacts the log.
    cleaner: Mutex<Cleaner>,
    /// Held while segments' files change their names or go.
    swapping: Mutex<()>,
}

/// What a reader sees.
#[derive(Debug)]
struct Snapshot {
    log: LogView,
    high: LogPlace,
    /// The first offset that is open to a transaction, when one is.
    unstable: Option<i64>,
}

#[derive(Debug)]
struct Queue<E> {
    jobs: Vec<Job<E>>,
    /// Somebody is draining.
    busy: bool,
    closed: Option<Closed>,
}

impl<E> Default for Queue<E> {
    fn default() -> Self {
        Self { jobs: Vec::new(), busy: false, closed: None }
    }
}

/// Why nothing is taken any more.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Closed {
    /// The topic was removed.
    Removed,
    /// The store was closed.
    Store,
}

type Reply = oneshot::Sender<Result<Appended, StorageError>>;

/// An append that waits for its turn.
#[derive(Debug)]
struct Job<E> {
    entry: E,
    durability: AppendDurability,
    reply: Reply,
}

#[derive(Debug)]
enum State<F: LogFormat> {
    /// Not needed so far.
    Unopened(Opening),
    Open(Log<F>),
    /// Out of service until it can be opened or restarted.
    Offline {
        /// Why.
        error: Arc<StorageError>,
        /// When it is tried again, milliseconds since the epoch.
        retry_ms: i64,
        how: Repair<F>,
    },
    Closed(Closed),
}

/// What brings a partition back.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one of them per partition, and it is mostly open")]
enum Repair<F: LogFormat> {
    /// Opening it.
    Open(Opening),
    /// Starting a new segment at the last synced offset.
    Restart(Log<F>),
}

impl<F: LogFormat> Partition<F> {
    pub(crate) fn new(
        store: &Arc<Shared<F>>,
        id: TopicIdPartition,
        topic: &str,
        dir_index: usize,
        opening: Opening,
    ) -> Arc<Self> {
        let directory = format!("{topic}-{}", id.partition);
        let leader_epoch = opening.leader_epoch;
        Arc::new_cyclic(|this| Self {
            id,
            name: LogName::new(&directory),
            topic: topic.to_owned(),
            dir_index,
            dir: store.dirs[dir_index].path.join(&directory),
            store: Arc::clone(store),
            this: Weak::clone(this),
            config: ArcSwap::new(Arc::clone(&opening.config)),
            queue: Mutex::default(),
            state: Mutex::new(State::Unopened(opening)),
            commit: Mutex::default(),
            snapshot: ArcSwapOption::empty(),
            watermarks: watch::Sender::new(Watermarks { leader_epoch, ..Watermarks::default() }),
            leader_epoch: AtomicI32::new(leader_epoch.get()),
            fence: AtomicI32::new(i32::MIN),
            recovery_point: AtomicI64::new(-1),
            touched: AtomicBool::new(false),
            cleaner: Mutex::default(),
            swapping: Mutex::default(),
        })
    }

    /// The name as it stands in checkpoints.
    pub(crate) fn key(&self) -> (String, i32) {
        (self.topic.clone(), self.id.partition.get())
    }

    /// The recovery point, unless the partition was never opened.
    pub(crate) fn recovery_point(&self) -> Option<i64> {
        Some(self.recovery_point.load(Ordering::Acquire)).filter(|point| *point >= 0)
    }

    /// High watermark and log start, unless the partition was never opened.
    pub(crate) fn bounds(&self) -> Option<(i64, i64)> {
        self.snapshot.load().as_ref().map(|snapshot| (snapshot.high.offset, snapshot.log.log_start))
    }

    pub(crate) fn leader_epoch(&self) -> LeaderEpoch {
        LeaderEpoch::new(self.leader_epoch.load(Ordering::Acquire))
    }

    fn group_commit(&self) -> bool {
        self.store.options.flush_policy == FlushPolicy::GroupCommit
    }

    /// The log, opened when it was not. Blocks.
    fn with_log<T>(
        &self,
        act: impl FnOnce(&mut Log<F>) -> Result<T, StorageError>,
    ) -> Result<T, StorageError> {
        let mut state = self.state.lock();
        act(self.open_log(&mut state)?)
    }

    /// Makes what is in `log` visible. `high` is the new high watermark, `None` to leave it.
    fn publish(&self, log: &Log<F>, high: Option<LogPlace>) {
        let view = log.view();
        let high = high.unwrap_or_else(|| match &*self.snapshot.load() {
            Some(snapshot) => snapshot.high,
            None => view.end,
        });
        // The segment of the place may be deleted by now; the place is the next one's start then.
        let high = match view.segments.first() {
            Some(first) if first.base_offset() > high.segment => {
                LogPlace { segment: first.base_offset(), position: 0, ..high }
            }
            _ => high,
        };
        let unstable = log.last_stable(Offset::ZERO.plus(i64::MAX)).get();
        let unstable = Some(unstable).filter(|offset| *offset < i64::MAX);
        self.publish_snapshot(Snapshot { log: view, high, unstable });
    }

    fn publish_snapshot(&self, snapshot: Snapshot) {
        let watermarks = self.watermarks_of(&snapshot);
        self.snapshot.store(Some(Arc::new(snapshot)));
        self.watermarks.send_if_modified(|known| {
            // Nobody waits for the log end alone.
            let woken = Watermarks { log_end: watermarks.log_end, ..*known } != watermarks;
            *known = watermarks;
            woken
        });
    }

    fn watermarks_of(&self, snapshot: &Snapshot) -> Watermarks {
        let high_watermark = Offset::ZERO.plus(snapshot.high.offset);
        Watermarks {
            log_start: snapshot.log.log_start(),
            last_stable: Offset::ZERO.plus(snapshot.unstable.unwrap_or(i64::MAX)).min(high_watermark),
            high_watermark,
            log_end: snapshot.log.log_end(),
            leader_epoch: self.leader_epoch(),
        }
    }

    /// Refuses a caller whose ownership has ended.
    fn check_fence(&self, fence: Fence) -> Result<(), StorageError> {
        let known = self.fence.fetch_max(fence.0, Ordering::AcqRel);
        if fence.0 < known { Err(StorageError::Fenced { known: Fence(known), found: fence }) } else { Ok(()) }
    }

    fn closed_error(&self, closed: Closed) -> StorageError {
        match closed {
            Closed::Removed => StorageError::UnknownPartition { partition: self.id },
            Closed::Store => StorageError::Closed,
        }
    }

    fn now_ms(&self) -> i64 {
        self.store.clock.now_ms()
    }

    /// This partition, for a job that outlives the call.
    fn shared(&self) -> Option<Arc<Self>> {
        self.this.upgrade()
    }
}

//! The local log store: partitions as Kafka's directories within one or more log directories.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use headwater_codec::{LeaderEpoch, Offset, PartitionIndex, TopicIdPartition};
use headwater_records::ValidatedBatch;
use parking_lot::{Mutex, RwLock};
use tokio::sync::{oneshot, watch};
use uuid::Uuid;

mod background;
mod cleaners;
mod dirs;
mod topics;

use background::Background;
use cleaners::CleanerCounters;
pub use cleaners::CleanerStats;
use dirs::LogDir;

use crate::{
    ActiveProducer, AppendDurability, Appended, Capabilities, CleanerOptions, Clock, Disk, EpochEnd, Fence,
    FlushPolicy, Isolation, KafkaBatches, LogDirUsage, LogFormat, LogStore, Pending, ReadOutcome,
    ReadRequest, StorageError, TimestampOffset, TimestampTarget, TopicLog, Watermarks, partition::Partition,
    sync_pool::WorkerPool,
};

/// How a [`LocalLogStore`] works. The names in the docs are Kafka's configs.
#[derive(Clone, Debug)]
pub struct LocalLogOptions {
    /// `log.dirs`. They are made when they are not there; whoever opens the store holds their locks
    /// ([`crate::DirLock`]).
    pub dirs: Vec<PathBuf>,
    /// `flush.policy`.
    pub flush_policy: FlushPolicy,
    /// `log.retention.check.interval.ms`.
    pub retention_check_interval_ms: u64,
    /// `producer.id.expiration.ms`.
    pub producer_id_expiration_ms: i64,
    /// `producer.id.expiration.check.interval.ms`.
    pub producer_id_check_interval_ms: u64,
    /// How often checkpoints are written when there is something new in them, milliseconds.
    pub checkpoint_interval_ms: u64,
    /// How many files are synced at a time. 0 leaves syncs and cold reads to [`LocalLogStore::run_pending`], for tests
    /// that choose the moment; nothing is done in the background then.
    pub sync_threads: usize,
    /// How many threads read what is not in memory, and do other things that block.
    pub io_threads: usize,
    /// How logs are compacted.
    pub cleaner: CleanerOptions,
}

impl Default for LocalLogOptions {
    fn default() -> Self {
        Self {
            dirs: vec![PathBuf::from("data")],
            flush_policy: FlushPolicy::GroupCommit,
            retention_check_interval_ms: 300_000,
            producer_id_expiration_ms: 86_400_000,
            producer_id_check_interval_ms: 600_000,
            checkpoint_interval_ms: 1000,
            sync_threads: 8,
            io_threads: 4,
            cleaner: CleanerOptions::default(),
        }
    }
}

/// How often and how long the store synced, for metrics.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct SyncStats {
    /// Syncs so far.
    pub count: u64,
    /// How long they took together.
    pub time: Duration,
}

/// Records in Kafka's own files on local disks.
#[derive(Debug)]
pub struct LocalLogStore<F: LogFormat = KafkaBatches> {
    shared: Arc<Shared<F>>,
    background: Mutex<Option<Background>>,
}

/// What the store and its partitions share.
#[derive(Debug)]
pub(crate) struct Shared<F: LogFormat = KafkaBatches> {
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) options: LocalLogOptions,
    pub(crate) dirs: Vec<LogDir>,
    pub(crate) syncs: WorkerPool,
    pub(crate) io: WorkerPool,
    topics: RwLock<HashMap<Uuid, Topic<F>>>,
    /// Whether the store had been closed in order the last time.
    clean: bool,
    closed: Mutex<bool>,
    broker_epoch: Mutex<i64>,
    sync_count: AtomicU64,
    sync_micros: AtomicU64,
    cleaner_counters: CleanerCounters,
}

/// A topic's partitions, by index.
#[derive(Debug)]
struct Topic<F: LogFormat> {
    name: String,
    partitions: Vec<Arc<Partition<F>>>,
}

impl<F: LogFormat> LocalLogStore<F> {
    /// Opens the store. Partitions are found and checked when topics are put ([`LogStore::put_topic`]).
    ///
    /// # Errors
    /// [`StorageError::NoLogDir`], and [`StorageError::Io`] when a directory cannot be used.
    pub fn open(
        disk: Arc<dyn Disk>,
        clock: Arc<dyn Clock>,
        options: LocalLogOptions,
    ) -> Result<Self, StorageError> {
        if options.dirs.is_empty() {
            return Err(StorageError::NoLogDir);
        }
        let dirs =
            options.dirs.iter().map(|path| LogDir::open(&*disk, path)).collect::<Result<Vec<_>, _>>()?;
        let clean = dirs.iter().all(LogDir::was_clean);
        for dir in &dirs {
            dir.start_unclean(&*disk)?;
        }
        let in_background = options.sync_threads > 0;
        let shared = Arc::new(Shared {
            syncs: WorkerPool::new("sync", options.sync_threads),
            io: WorkerPool::new("io", if in_background { options.io_threads.max(1) } else { 0 }),
            disk,
            clock,
            options,
            dirs,
            topics: RwLock::default(),
            clean,
            closed: Mutex::new(false),
            broker_epoch: Mutex::new(-1),
            sync_count: AtomicU64::new(0),
            sync_micros: AtomicU64::new(0),
            cleaner_counters: CleanerCounters::default(),
        });
        let background = in_background.then(|| Background::start(&shared)).transpose()?;
        Ok(Self { shared, background: Mutex::new(background) })
    }

    /// The broker epoch that a clean stop notes in `.kafka_cleanshutdown`.
    pub fn set_broker_epoch(&self, broker_epoch: i64) {
        *self.shared.broker_epoch.lock() = broker_epoch;
    }

    /// Sets directories aside that belong to no topic, as Kafka does it; to be called when every topic was put. Gives
    /// how many there were. Blocks.
    ///
    /// # Errors
    /// [`StorageError::Io`].
    pub fn set_strays_aside(&self) -> Result<usize, StorageError> {
        self.shared.set_strays_aside()
    }

    /// How often and how long the store synced so far.
    pub fn sync_stats(&self) -> SyncStats {
        SyncStats {
            count: self.shared.sync_count.load(Ordering::Relaxed),
            time: Duration::from_micros(self.shared.sync_micros.load(Ordering::Relaxed)),
        }
    }

    /// Does what the store's threads would do, when it has none: syncs, cold reads, removals.
    pub fn run_pending(&self) {
        while self.shared.syncs.run_one() || self.shared.io.run_one() {}
    }

    /// Writes the checkpoints now. Blocks.
    ///
    /// # Errors
    /// [`StorageError::Io`].
    pub fn write_checkpoints(&self) -> Result<(), StorageError> {
        self.shared.write_checkpoints()
    }

    /// Applies retention, rolls old segments and forgets silent producers now. Blocks.
    pub fn housekeep(&self) {
        self.shared.housekeep();
        self.shared.expire_producers();
    }

    /// Compacts logs now, as long as there is one where it is due. Blocks.
    pub fn clean(&self) {
        while self.shared.clean_one(&mut |_| Ok(())) {}
    }

    /// What compaction did so far.
    pub fn cleaner_stats(&self) -> CleanerStats {
        self.shared.cleaner_counters.stats()
    }

    /// Whether the topic was put and not removed.
    pub(crate) fn has_topic(&self, topic_id: Uuid) -> bool {
        self.shared.topics.read().contains_key(&topic_id)
    }

    fn partition(&self, id: TopicIdPartition) -> Result<Arc<Partition<F>>, StorageError> {
        self.shared.partition(id)
    }
}

impl<F: LogFormat> Drop for LocalLogStore<F> {
    /// Stops the threads. A store that was not closed leaves what a crash leaves.
    fn drop(&mut self) {
        drop(self.background.lock().take());
        *self.shared.closed.lock() = true;
        self.shared.syncs.close();
        self.shared.io.close();
        // Partitions and store hold each other.
        self.shared.topics.write().clear();
    }
}

impl<F: LogFormat> LogStore for LocalLogStore<F> {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            delete_records: true,
            idempotence: true,
            transactions: false,
            topic_configs: true,
            create_partitions: true,
            unpack: None,
        }
    }

    fn put_topic(&self, topic: TopicLog) -> Pending<Result<(), StorageError>> {
        self.shared.put_topic(&topic)
    }

    fn remove_topic(&self, topic_id: Uuid) -> Pending<Result<(), StorageError>> {
        let shared = Arc::clone(&self.shared);
        match self.shared.topics.write().remove(&topic_id) {
            // Appends fail from here on; the files go on a thread that may block.
            Some(topic) => on_io(&self.shared, move || shared.remove_topic(topic_id, &topic.partitions)),
            None => Pending::ready(Ok(())),
        }
    }

    fn append(
        &self,
        partition: TopicIdPartition,
        batch: ValidatedBatch,
        durability: AppendDurability,
        fence: Fence,
    ) -> Pending<Result<Appended, StorageError>> {
        match self.partition(partition) {
            Ok(partition) => partition.append(batch, durability, fence),
            Err(error) => Pending::ready(Err(error)),
        }
    }

    fn read(
        &self,
        partition: TopicIdPartition,
        request: ReadRequest,
    ) -> Pending<Result<ReadOutcome, StorageError>> {
        match self.partition(partition) {
            Ok(partition) => partition.read(request),
            Err(error) => Pending::ready(Err(error)),
        }
    }

    fn watermarks(&self, partition: TopicIdPartition) -> Result<watch::Receiver<Watermarks>, StorageError> {
        self.partition(partition)?.watermarks()
    }

    fn find_timestamp(
        &self,
        partition: TopicIdPartition,
        target: TimestampTarget,
        isolation: Isolation,
    ) -> Pending<Result<Option<TimestampOffset>, StorageError>> {
        match self.partition(partition) {
            Ok(partition) => partition.find_timestamp(target, isolation),
            Err(error) => Pending::ready(Err(error)),
        }
    }

    fn epoch_end(
        &self,
        partition: TopicIdPartition,
        leader_epoch: LeaderEpoch,
    ) -> Result<Option<EpochEnd>, StorageError> {
        self.partition(partition)?.epoch_end(leader_epoch)
    }

    fn delete_records(
        &self,
        partition: TopicIdPartition,
        before: Option<Offset>,
    ) -> Pending<Result<Offset, StorageError>> {
        match self.partition(partition) {
            Ok(partition) => partition.delete_records(before),
            Err(error) => Pending::ready(Err(error)),
        }
    }

    fn active_producers(&self, partition: TopicIdPartition) -> Result<Vec<ActiveProducer>, StorageError> {
        self.partition(partition)?.active_producers()
    }

    fn log_dirs(&self) -> Pending<Vec<LogDirUsage>> {
        let shared = Arc::clone(&self.shared);
        let (reply, answer) = oneshot::channel();
        self.shared.io.submit(move || {
            let _ = reply.send(shared.usage());
        });
        Pending::waiting(async move { answer.await.unwrap_or_default() })
    }

    fn close(&self) -> Pending<Result<(), StorageError>> {
        let background = self.background.lock().take();
        let shared = Arc::clone(&self.shared);
        let (reply, answer) = oneshot::channel();
        let closer = std::thread::Builder::new().name("headwater-close".into()).spawn(move || {
            drop(background);
            let _ = reply.send(shared.close());
        });
        match closer {
            Ok(_) => Pending::waiting(async move { answer.await.unwrap_or(Err(StorageError::Closed)) }),
            Err(error) => {
                Pending::ready(Err(StorageError::io("start a thread to close", Path::new("."), error)))
            }
        }
    }
}

impl<F: LogFormat> Shared<F> {
    pub(crate) fn partition(&self, id: TopicIdPartition) -> Result<Arc<Partition<F>>, StorageError> {
        let topics = self.topics.read();
        let index = usize::try_from(id.partition.get()).ok();
        let found = topics.get(&id.topic_id).and_then(|topic| topic.partitions.get(index?)).cloned();
        found.ok_or(StorageError::UnknownPartition { partition: id })
    }

    /// Every partition there is.
    fn partitions(&self) -> Vec<Arc<Partition<F>>> {
        self.topics.read().values().flat_map(|topic| topic.partitions.iter().cloned()).collect()
    }

    pub(crate) fn note_sync(&self, took: Duration) {
        self.sync_count.fetch_add(1, Ordering::Relaxed);
        self.sync_micros.fetch_add(u64::try_from(took.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    fn housekeep(&self) {
        for partition in self.partitions() {
            if let Err(error) = partition.housekeep() {
                tracing::warn!(log = %partition.name, %error, "retention failed");
            }
        }
    }

    /// Forgets producers that have written nothing for `producer.id.expiration.ms`.
    fn expire_producers(&self) {
        let before_ms = self.clock.now_ms().saturating_sub(self.options.producer_id_expiration_ms);
        for partition in self.partitions() {
            partition.expire_producers(before_ms);
        }
    }

    fn usage(&self) -> Vec<LogDirUsage> {
        let mut dirs: Vec<LogDirUsage> = Vec::with_capacity(self.dirs.len());
        for dir in &self.dirs {
            let space = self.disk.space(&dir.path);
            dirs.push(LogDirUsage {
                path: dir.path.display().to_string(),
                total_bytes: space
                    .as_ref()
                    .map_or(-1, |space| i64::try_from(space.total).unwrap_or(i64::MAX)),
                usable_bytes: space
                    .as_ref()
                    .map_or(-1, |space| i64::try_from(space.usable).unwrap_or(i64::MAX)),
                online: space.is_ok(),
                partitions: Vec::new(),
            });
        }
        for partition in self.partitions() {
            let (bytes, _) = partition.usage();
            if let Some(dir) = dirs.get_mut(partition.dir_index) {
                dir.partitions.push((partition.id, bytes));
            }
        }
        for dir in &mut dirs {
            dir.partitions.sort_by_key(|(id, _)| (id.topic_id, id.partition));
        }
        dirs
    }

    /// Makes everything durable, notes the clean stop and joins the threads.
    fn close(&self) -> Result<(), StorageError> {
        if std::mem::replace(&mut *self.closed.lock(), true) {
            return Ok(());
        }
        let (mut first_error, mut all_sound) = (None, true);
        let partitions = self.partitions();
        let results = self.in_parallel(&partitions, Partition::close);
        for (partition, result) in partitions.iter().zip(results) {
            match result {
                Ok(sound) => all_sound &= sound,
                Err(error) => {
                    tracing::error!(log = %partition.name, %error, "the log is not closed in order");
                    first_error.get_or_insert(error);
                }
            }
        }
        self.syncs.close();
        self.io.close();
        self.write_checkpoints()?;
        match first_error {
            // Without the note the next start has to check.
            Some(error) => Err(error),
            None if !all_sound => Ok(()),
            None => {
                let epoch = *self.broker_epoch.lock();
                self.dirs.iter().try_for_each(|dir| dir.note_clean_stop(&*self.disk, epoch))
            }
        }
    }

    /// Does the same to many partitions on a few threads.
    fn in_parallel<T: Send>(
        &self,
        partitions: &[Arc<Partition<F>>],
        act: impl Fn(&Partition<F>) -> T + Sync,
    ) -> Vec<T> {
        let threads = self.options.sync_threads.clamp(1, partitions.len().max(1));
        let per_thread = partitions.len().div_ceil(threads).max(1);
        if threads == 1 {
            return partitions.iter().map(|partition| act(partition)).collect();
        }
        std::thread::scope(|scope| {
            let act = &act;
            let chunks: Vec<_> = partitions
                .chunks(per_thread)
                .map(|chunk| {
                    scope.spawn(move || chunk.iter().map(|partition| act(partition)).collect::<Vec<T>>())
                })
                .collect();
            chunks.into_iter().flat_map(|chunk| chunk.join().unwrap_or_default()).collect()
        })
    }
}

/// Does something that blocks on the I/O pool.
fn on_io<F: LogFormat, T: Send + 'static>(
    shared: &Shared<F>,
    act: impl FnOnce() -> Result<T, StorageError> + Send + 'static,
) -> Pending<Result<T, StorageError>> {
    let (reply, answer) = oneshot::channel();
    shared.io.submit(move || {
        let _ = reply.send(act());
    });
    Pending::waiting(async move { answer.await.unwrap_or(Err(StorageError::Closed)) })
}

/// The index of a partition on the wire.
fn partition_index(index: usize) -> PartitionIndex {
    PartitionIndex::new(i32::try_from(index).unwrap_or(i32::MAX))
}

#[cfg(test)]
mod tests;

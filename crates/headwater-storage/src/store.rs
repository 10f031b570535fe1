//! The three seams under the broker: records, metadata, coordinator state.
//!
//! The local implementations stand in this crate; a second one (Apache Iggy) and a third (an object store with
//! a database for its order) implement the same traits, so nothing here names a file, a path or a wire message.
//! Offsets are *returned* by an append and never chosen by a caller, partitions are addressed by topic id, and
//! every answer may take hundreds of milliseconds.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use headwater_codec::{LeaderEpoch, Offset, ProducerEpoch, ProducerId, TopicIdPartition, TopicName};
use headwater_records::ValidatedBatch;
use tokio::sync::watch;
use uuid::Uuid;

use crate::{LogConfig, LogSlice, MetadataError, MetadataImage, QuotaChange, ScramChange, StorageError};

/// An answer that a local store has at once and a remote one later.
pub enum Pending<T> {
    /// Already there; `None` once it was taken.
    Ready(Option<T>),
    /// Still under way.
    Waiting(Pin<Box<dyn Future<Output = T> + Send>>),
}

impl<T> Pending<T> {
    /// An answer that is already there.
    pub const fn ready(value: T) -> Self {
        Self::Ready(Some(value))
    }

    /// An answer that `future` will give.
    pub fn waiting(future: impl Future<Output = T> + Send + 'static) -> Self {
        Self::Waiting(Box::pin(future))
    }
}

impl<T: Unpin> Future for Pending<T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        match self.get_mut() {
            Self::Ready(value) => match value.take() {
                Some(value) => Poll::Ready(value),
                None => Poll::Pending,
            },
            Self::Waiting(future) => future.as_mut().poll(cx),
        }
    }
}

impl<T> fmt::Debug for Pending<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ready(_) => "Pending::Ready",
            Self::Waiting(_) => "Pending::Waiting",
        })
    }
}

/// The epoch under which a caller believes it owns what it writes to; a store refuses an older one than it knows.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub struct Fence(pub i32);

/// What a store can do, read once when the table of served APIs is built, never in a handler.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Capabilities {
    /// Records can be removed below an offset (DeleteRecords).
    pub delete_records: bool,
    /// Producer state is kept, so idempotent producers are safe.
    pub idempotence: bool,
    /// Transactions can be written.
    pub transactions: bool,
    /// Topic configs can be changed.
    pub topic_configs: bool,
    /// Partitions can be added to a topic.
    pub create_partitions: bool,
    /// What produced batches may unpack to, where the store must unpack them; `None` where it keeps them as they come.
    pub unpack: Option<UnpackLimits>,
}

/// Bounds on what produced batches may unpack to. What is over them gets MESSAGE_TOO_LARGE.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct UnpackLimits {
    /// Bytes of one batch's records.
    pub batch_bytes_max: usize,
    /// Bytes of the records of all batches of one request.
    pub request_bytes_max: usize,
}

/// A topic as a log store needs to know it.
#[derive(Clone, Debug, PartialEq)]
pub struct TopicLog {
    /// The topic's id, unique for ever.
    pub topic_id: Uuid,
    /// The topic's name, for directory names and messages.
    pub name: TopicName,
    /// The leader epoch of each partition, by index; its length is the partition count.
    pub leader_epochs: Vec<LeaderEpoch>,
    /// How the topic's logs roll, keep and check records.
    pub config: Arc<LogConfig>,
}

/// When an append is answered.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum AppendDurability {
    /// As soon as the records are written to the log (`acks` 0 and 1).
    Written,
    /// When the records are as durable as the flush policy promises and below the high watermark (`acks=all`).
    Committed,
}

/// What an append did.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Appended {
    /// The offset of the batch's first record; the original one when the batch was a duplicate.
    pub base_offset: Offset,
    /// The broker's time that was put into the batch, for topics with LogAppendTime. Milliseconds since the epoch.
    pub log_append_time_ms: Option<i64>,
    /// The log start offset at that moment.
    pub log_start_offset: Offset,
    /// Whether an idempotent producer had written this batch before (KIP-98).
    pub duplicate: bool,
}

/// How far records are visible to a reader.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Isolation {
    /// Up to the high watermark.
    #[default]
    ReadUncommitted,
    /// Up to the last stable offset (KIP-98).
    ReadCommitted,
    /// Up to the log end, committed or not; for replay at start.
    LogEnd,
}

/// One read from one partition.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct ReadRequest {
    /// The first offset wanted; reading starts with the batch that contains it.
    pub from: Offset,
    /// Bytes wanted at most; 0 gives no bytes unless `at_least_one_batch`.
    pub bytes_max: usize,
    /// Give the first batch whole even if it alone exceeds `bytes_max`, so that a reader always progresses (KIP-74).
    pub at_least_one_batch: bool,
    /// How far records are visible.
    pub isolation: Isolation,
}

/// A transaction that was aborted and overlaps a read (KIP-98).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct AbortedTransaction {
    /// The producer whose records are to be skipped.
    pub producer_id: ProducerId,
    /// The offset of its first record.
    pub first_offset: Offset,
}

/// What a read found.
#[derive(Clone, Debug)]
pub struct ReadOutcome {
    /// Whole batches, in order, as file ranges or bytes; empty at the end of what is visible.
    pub slices: Vec<LogSlice>,
    /// The partition's offsets at the moment of the read.
    pub watermarks: Watermarks,
    /// Aborted transactions that overlap the answer; empty unless reading committed.
    pub aborted: Vec<AbortedTransaction>,
}

impl ReadOutcome {
    /// The total length of the slices in bytes.
    pub fn bytes_len(&self) -> usize {
        self.slices.iter().map(LogSlice::len).sum()
    }
}

/// The offsets that bound a partition.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Watermarks {
    /// The first offset that may be read.
    pub log_start: Offset,
    /// The first offset that is open to a transaction; readers of committed records stop here.
    pub last_stable: Offset,
    /// The first offset that is not yet as durable as the flush policy promises; readers stop here.
    pub high_watermark: Offset,
    /// The offset that the next record gets.
    pub log_end: Offset,
    /// The current leader epoch.
    pub leader_epoch: LeaderEpoch,
}

/// A record found by time.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct TimestampOffset {
    /// The record's offset.
    pub offset: Offset,
    /// The record's own timestamp, milliseconds since the epoch.
    pub timestamp_ms: i64,
    /// The leader epoch of the record's batch.
    pub leader_epoch: LeaderEpoch,
}

/// Which record a lookup by time wants.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum TimestampTarget {
    /// The first record, in offset order, whose timestamp is at or after this one (milliseconds).
    AtOrAfter(i64),
    /// The first record that has the largest timestamp (KIP-734).
    Max,
}

/// The end of a leader epoch (KIP-320).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct EpochEnd {
    /// The largest epoch at or below the one asked for.
    pub leader_epoch: LeaderEpoch,
    /// The first offset after it.
    pub end_offset: Offset,
}

/// An idempotent producer's state in one partition (DescribeProducers).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct ActiveProducer {
    /// Who.
    pub producer_id: ProducerId,
    /// Its newest epoch.
    pub producer_epoch: ProducerEpoch,
    /// The last sequence it wrote, -1 when none.
    pub last_sequence: i32,
    /// When it wrote last, milliseconds since the epoch.
    pub last_timestamp_ms: i64,
}

/// A directory that holds partitions (DescribeLogDirs).
#[derive(Clone, Debug, PartialEq)]
pub struct LogDirUsage {
    /// The directory, as configured.
    pub path: String,
    /// Bytes of the volume, -1 when not known.
    pub total_bytes: i64,
    /// Bytes free for us on the volume, -1 when not known.
    pub usable_bytes: i64,
    /// Whether the directory serves.
    pub online: bool,
    /// Bytes by partition.
    pub partitions: Vec<(TopicIdPartition, u64)>,
}

/// Records: partitions of topics, appended to and read from.
///
/// The store owns high watermark, last stable offset, log start and producer state; no caller branches on which
/// store it is.
pub trait LogStore: Send + Sync + 'static {
    /// What this store can do.
    fn capabilities(&self) -> Capabilities;

    /// Brings the store in step with a topic that is new, has grown or was reconfigured. Idempotent.
    fn put_topic(&self, topic: TopicLog) -> Pending<Result<(), StorageError>>;

    /// Forgets a topic and everything that was written to it. Idempotent. Slices already read stay valid.
    fn remove_topic(&self, topic_id: Uuid) -> Pending<Result<(), StorageError>>;

    /// Appends one batch. It has its place in the partition's order when this call returns; the answer comes later.
    fn append(
        &self,
        partition: TopicIdPartition,
        batch: ValidatedBatch,
        durability: AppendDurability,
        fence: Fence,
    ) -> Pending<Result<Appended, StorageError>>;

    /// Reads whole batches starting with the one that contains `request.from`.
    fn read(
        &self,
        partition: TopicIdPartition,
        request: ReadRequest,
    ) -> Pending<Result<ReadOutcome, StorageError>>;

    /// The partition's offsets, to look at and to wait on.
    fn watermarks(&self, partition: TopicIdPartition) -> Result<watch::Receiver<Watermarks>, StorageError>;

    /// Finds a record by time among those that `isolation` lets a reader see.
    fn find_timestamp(
        &self,
        partition: TopicIdPartition,
        target: TimestampTarget,
        isolation: Isolation,
    ) -> Pending<Result<Option<TimestampOffset>, StorageError>>;

    /// The end of the largest epoch at or below `leader_epoch`; `None` when there is none.
    fn epoch_end(
        &self,
        partition: TopicIdPartition,
        leader_epoch: LeaderEpoch,
    ) -> Result<Option<EpochEnd>, StorageError>;

    /// Raises the log start to `before` (`None`: to the high watermark) and gives the log start that holds then.
    fn delete_records(
        &self,
        partition: TopicIdPartition,
        before: Option<Offset>,
    ) -> Pending<Result<Offset, StorageError>>;

    /// The producers that the partition remembers.
    fn active_producers(&self, partition: TopicIdPartition) -> Result<Vec<ActiveProducer>, StorageError>;

    /// How full each directory is, and with what.
    fn log_dirs(&self) -> Pending<Vec<LogDirUsage>>;

    /// Makes everything durable and stops the store's threads. Later calls fail.
    fn close(&self) -> Pending<Result<(), StorageError>>;
}

/// A topic to create.
#[derive(Clone, Debug, PartialEq)]
pub struct NewTopic {
    /// Its name, already judged by the caller (length, alphabet).
    pub name: TopicName,
    /// How many partitions, at least 1.
    pub partition_count: i32,
    /// Configs set for it, by Kafka's names, already judged by the caller.
    pub configs: Vec<(String, String)>,
}

/// What a config belongs to.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum ConfigResource {
    /// A topic, by name.
    Topic(TopicName),
    /// One broker by node id, or every broker (`None`).
    Broker(Option<i32>),
    /// A consumer group, by id (KIP-848).
    Group(String),
    /// A client metrics subscription, by name (KIP-714).
    ClientMetrics(String),
}

/// Broker metadata: topics, ids, configs, credentials, quotas, producer ids. Whatever is written is durable when the answer comes.
pub trait MetadataStore: Send + Sync + 'static {
    /// What is known now; immutable.
    fn image(&self) -> Arc<MetadataImage>;

    /// Tells of each newer image, whoever changed it.
    fn watch(&self) -> watch::Receiver<Arc<MetadataImage>>;

    /// Creates a topic and gives its id. Refuses a name that exists.
    fn create_topic(&self, topic: NewTopic, fence: Fence) -> Pending<Result<Uuid, MetadataError>>;

    /// Deletes a topic by id.
    fn delete_topic(&self, topic_id: Uuid, fence: Fence) -> Pending<Result<(), MetadataError>>;

    /// Grows a topic to `partition_count` partitions in all.
    fn create_partitions(
        &self,
        topic_id: Uuid,
        partition_count: i32,
        fence: Fence,
    ) -> Pending<Result<(), MetadataError>>;

    /// Sets configs of one resource (`None` removes one), all or none.
    fn alter_configs(
        &self,
        resource: ConfigResource,
        changes: Vec<(String, Option<String>)>,
        fence: Fence,
    ) -> Pending<Result<(), MetadataError>>;

    /// Sets and removes SCRAM credentials, all or none.
    fn alter_scram_credentials(
        &self,
        changes: Vec<ScramChange>,
        fence: Fence,
    ) -> Pending<Result<(), MetadataError>>;

    /// Sets and removes client quotas, all or none.
    fn alter_client_quotas(
        &self,
        changes: Vec<QuotaChange>,
        fence: Fence,
    ) -> Pending<Result<(), MetadataError>>;

    /// Gives the first of `count` producer ids that nobody was or will be given.
    fn allocate_producer_ids(&self, count: i32, fence: Fence) -> Pending<Result<ProducerId, MetadataError>>;

    /// Makes everything durable and closes the store. Later calls fail.
    fn close(&self) -> Pending<Result<(), MetadataError>>;
}

/// One piece of coordinator state: a key and its newest value, `None` to remove it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct CoordinatorRecord {
    /// The key, as Kafka writes it to its internal topic.
    pub key: Bytes,
    /// The value, or `None` to remove the key.
    pub value: Option<Bytes>,
}

/// Which part of the coordinator's keys: Kafka's partition index of the internal topic.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Shard(pub i32);

/// Group and transaction state, kept in shards.
pub trait CoordinatorStore: Send + Sync + 'static {
    /// How many shards there are; fixed for the life of the cluster.
    fn shard_count(&self) -> i32;

    /// Persists one machine's effects, all or none, in the order of the calls.
    fn persist(
        &self,
        shard: Shard,
        records: Vec<CoordinatorRecord>,
        fence: Fence,
    ) -> Pending<Result<(), StorageError>>;

    /// Every record of a shard, oldest first, those that were replaced since among them or not.
    fn load(&self, shard: Shard, fence: Fence) -> Pending<Result<Vec<CoordinatorRecord>, StorageError>>;
}

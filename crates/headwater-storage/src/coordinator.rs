//! Coordinator state in the partitions of an internal topic.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use headwater_codec::{Offset, PartitionIndex, TopicIdPartition};
use headwater_records::{BatchBuilder, Batches, RecordError};
use uuid::Uuid;

use crate::{
    AppendDurability, Clock, CoordinatorRecord, CoordinatorStore, Fence, Isolation, LogName, LogStore,
    Pending, ReadRequest, Shard, StorageError,
};

/// A [`CoordinatorStore`] over any [`LogStore`]: a shard is a partition of one topic, as Kafka keeps groups in
/// `__consumer_offsets`.
#[derive(Clone)]
pub struct LogCoordinatorStore {
    store: Arc<dyn LogStore>,
    topic_id: Uuid,
    shard_count: i32,
    clock: Arc<dyn Clock>,
}

impl LogCoordinatorStore {
    /// Keeps state in the topic with id `topic_id`, which has `shard_count` partitions.
    pub fn new(store: Arc<dyn LogStore>, topic_id: Uuid, shard_count: i32, clock: Arc<dyn Clock>) -> Self {
        Self { store, topic_id, shard_count, clock }
    }

    fn partition(&self, shard: Shard) -> TopicIdPartition {
        TopicIdPartition::new(self.topic_id, PartitionIndex::new(shard.0))
    }
}

impl std::fmt::Debug for LogCoordinatorStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "LogCoordinatorStore({})", self.topic_id)
    }
}

impl CoordinatorStore for LogCoordinatorStore {
    fn shard_count(&self) -> i32 {
        self.shard_count
    }

    fn persist(
        &self,
        shard: Shard,
        records: Vec<CoordinatorRecord>,
        fence: Fence,
    ) -> Pending<Result<(), StorageError>> {
        if records.is_empty() {
            return Pending::ready(Ok(()));
        }
        let now_ms = self.clock.now_ms();
        let mut builder = BatchBuilder::new();
        let built = records
            .iter()
            .try_for_each(|record| builder.push(now_ms, Some(&record.key), record.value.as_deref(), &[]))
            .and_then(|()| builder.build());
        let partition = self.partition(shard);
        let batch = match built {
            Ok(batch) => batch,
            Err(error) => return Pending::ready(Err(unreadable(partition, Offset::ZERO, error))),
        };
        match self.store.append(partition, batch, AppendDurability::Committed, fence) {
            Pending::Ready(answer) => Pending::Ready(answer.map(|answer| answer.map(|_| ()))),
            Pending::Waiting(answer) => Pending::waiting(async move { answer.await.map(|_| ()) }),
        }
    }

    fn load(&self, shard: Shard, _fence: Fence) -> Pending<Result<Vec<CoordinatorRecord>, StorageError>> {
        let partition = self.partition(shard);
        let store = Arc::clone(&self.store);
        let watermarks = match self.store.watermarks(partition) {
            Ok(watermarks) => *watermarks.borrow(),
            Err(error) => return Pending::ready(Err(error)),
        };
        if watermarks.log_start == watermarks.log_end {
            return Pending::ready(Ok(Vec::new()));
        }
        Pending::waiting(async move {
            let mut records = Vec::new();
            let mut from = watermarks.log_start;
            while from < watermarks.log_end {
                let request = ReadRequest {
                    from,
                    bytes_max: READ_BYTES,
                    at_least_one_batch: true,
                    isolation: Isolation::LogEnd,
                };
                let outcome = store.read(partition, request).await?;
                let mut bytes = BytesMut::with_capacity(outcome.bytes_len());
                for slice in &outcome.slices {
                    let read = slice.to_bytes();
                    bytes.extend_from_slice(&read.map_err(|error| StorageError::io("read", "a log", error))?);
                }
                let before = from;
                from = collect(&bytes.freeze(), from, &mut records)
                    .map_err(|error| unreadable(partition, before, error))?;
                if from == before {
                    break;
                }
            }
            Ok(records)
        })
    }
}

/// Adds the records at or after `from` and gives the offset that follows.
fn collect(
    bytes: &Bytes,
    mut from: Offset,
    records: &mut Vec<CoordinatorRecord>,
) -> Result<Offset, RecordError> {
    for batch in Batches::new(bytes) {
        let batch = batch?;
        if !batch.header().attributes.is_control() {
            let unpacked = batch.records(RECORDS_BYTES_MAX)?;
            for record in unpacked.iter() {
                let record = record?;
                if record.offset >= from
                    && let Some(key) = record.key
                {
                    records.push(CoordinatorRecord {
                        key: Bytes::copy_from_slice(key),
                        value: record.value.map(Bytes::copy_from_slice),
                    });
                }
            }
        }
        from = from.max(batch.header().next_offset());
    }
    Ok(from)
}

fn unreadable(partition: TopicIdPartition, offset: Offset, error: RecordError) -> StorageError {
    StorageError::Unreadable { log: LogName::new(&partition.to_string()), offset, source: Arc::new(error) }
}

/// How much is read at once while a shard is loaded.
const READ_BYTES: usize = 4 << 20;

/// What a batch of coordinator records may unpack to.
const RECORDS_BYTES_MAX: usize = 64 << 20;

//! What the native door must not forget: producers and their last batches, attempts at records that fail.
//!
//! Kept in an internal compacted topic, by the key's first byte: 1 a named producer, 2 its last batch in a topic, 4 the
//! attempts at a record. The topic comes into being with the first record.

use std::sync::Arc;

use bytes::Bytes;
use headwater_codec::TopicName;
use headwater_native::messages::Failure;
use headwater_storage::{
    CoordinatorRecord, CoordinatorStore, Fence, LogCoordinatorStore, Shard, StorageError, SystemClock,
};
use tokio::{runtime::Handle, sync::OnceCell, task::spawn_blocking};

use super::refusal;
use crate::topics::{NATIVE_STATE, Topic, Topics};

/// The topic, when it exists. Cheap to clone.
#[derive(Clone)]
pub(super) struct StateLog {
    topics: Topics,
    store: Arc<OnceCell<LogCoordinatorStore>>,
}

impl StateLog {
    pub(super) fn new(topics: Topics) -> Self {
        Self { topics, store: Arc::new(OnceCell::new()) }
    }

    /// Everything that was written, oldest first, what was replaced since among it.
    pub(super) async fn load(&self) -> Result<Vec<CoordinatorRecord>, StorageError> {
        let Some(topic) = self.topics.by_name(NATIVE_STATE) else { return Ok(Vec::new()) };
        let store = self.store_of(&topic);
        let runtime = Handle::current();
        // On a thread of its own: it may be long.
        let reading = spawn_blocking(move || runtime.block_on(store.load(ONLY_SHARD, Fence::default())));
        reading.await.unwrap_or(Err(StorageError::Closed))
    }

    /// Writes records, all or none; they are durable when this returns. `None` removes a key.
    pub(super) async fn write(&self, records: Vec<(Bytes, Option<Bytes>)>) -> Result<(), Failure> {
        if records.is_empty() {
            return Ok(());
        }
        let store = self.store.get_or_try_init(|| self.open()).await?;
        let records = records.into_iter().map(|(key, value)| CoordinatorRecord { key, value }).collect();
        store.persist(ONLY_SHARD, records, Fence::default()).await.map_err(|error| refusal::storage(&error))
    }

    async fn open(&self) -> Result<LogCoordinatorStore, Failure> {
        let topic = match self.topics.by_name(NATIVE_STATE) {
            Some(topic) => topic,
            None => self.topics.auto_create(&TopicName::from(NATIVE_STATE)).await.map_err(refusal::kafka)?,
        };
        Ok(self.store_of(&topic))
    }

    fn store_of(&self, topic: &Topic) -> LogCoordinatorStore {
        let logs = self.topics.logs().clone();
        LogCoordinatorStore::new(logs, topic.id(), topic.partition_count(), Arc::new(SystemClock))
    }
}

/// Everything is in one partition: it is written rarely, and read once.
const ONLY_SHARD: Shard = Shard(0);

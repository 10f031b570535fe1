//! The topics of Iggy that are served, with what is known of their partitions.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use headwater_codec::{TopicIdPartition, TopicName};
use headwater_storage::StorageError;
use iggy::prelude::{Identifier, TopicDetails};
use parking_lot::RwLock;
use tokio::time::{Duration, Instant};
use uuid::Uuid;

use super::partition::Partition;

/// Every topic by its id in Kafka.
#[derive(Default)]
pub(super) struct Directory {
    topics: RwLock<HashMap<Uuid, Arc<ServedTopic>>>,
}

/// One topic.
pub(super) struct ServedTopic {
    pub(super) id: Uuid,
    pub(super) name: TopicName,
    /// As Iggy knows it: by numbers, so that one created anew is not taken for it.
    pub(super) stream: Identifier,
    pub(super) topic: Identifier,
    partitions: RwLock<Vec<Arc<Partition>>>,
    /// The last time somebody read from it, milliseconds since `began`; 0 for never.
    read_at: AtomicU64,
    /// Iggy's count of messages when its partitions were last looked at.
    pub(super) messages_seen: AtomicU64,
    began: Instant,
}

impl Directory {
    pub(super) fn topic(&self, id: Uuid) -> Option<Arc<ServedTopic>> {
        self.topics.read().get(&id).cloned()
    }

    pub(super) fn all(&self) -> Vec<Arc<ServedTopic>> {
        self.topics.read().values().cloned().collect()
    }

    pub(super) fn put(&self, topic: Arc<ServedTopic>) {
        self.topics.write().insert(topic.id, topic);
    }

    pub(super) fn remove(&self, id: Uuid) {
        self.topics.write().remove(&id);
    }

    pub(super) fn clear(&self) {
        self.topics.write().clear();
    }
}

impl ServedTopic {
    pub(super) fn new(id: Uuid, name: TopicName, stream: Identifier, topic: Identifier) -> Self {
        Self {
            id,
            name,
            stream,
            topic,
            partitions: RwLock::default(),
            read_at: AtomicU64::new(0),
            messages_seen: AtomicU64::new(u64::MAX),
            began: Instant::now(),
        }
    }

    pub(super) fn partition(&self, id: TopicIdPartition) -> Result<Arc<Partition>, StorageError> {
        let index = usize::try_from(id.partition.get()).ok();
        let partitions = self.partitions.read();
        let partition = index.and_then(|index| partitions.get(index)).cloned();
        partition.ok_or(StorageError::UnknownPartition { partition: id })
    }

    pub(super) fn partition_count(&self) -> usize {
        self.partitions.read().len()
    }

    /// Takes in what Iggy says of the partitions.
    pub(super) fn take_in(&self, details: &TopicDetails) {
        let mut partitions = self.partitions.write();
        for found in &details.partitions {
            let Ok(index) = usize::try_from(found.id) else { continue };
            // Iggy numbers them from 0 without gaps; what does not fit is looked at again next time.
            if index == partitions.len() {
                partitions.push(Arc::new(Partition::new(self, found.id)));
            }
            if let Some(partition) = partitions.get(index) {
                partition.observe(found);
            }
        }
        self.messages_seen.store(details.messages_count, Ordering::Relaxed);
    }

    /// Takes no more appends; what waits is sent still.
    pub(super) fn close(&self) {
        self.partitions.read().iter().for_each(|partition| partition.close());
    }

    /// Remembers that somebody reads from it, so that it is looked at often.
    pub(super) fn touch(&self) {
        let millis = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.read_at.store(millis.max(1), Ordering::Relaxed);
    }

    /// Whether somebody has read from it lately.
    pub(super) fn is_read(&self) -> bool {
        let read_at = self.read_at.load(Ordering::Relaxed);
        read_at > 0 && self.began.elapsed() < Duration::from_millis(read_at) + READ_LATELY
    }
}

/// How long after a read a topic is looked at often.
const READ_LATELY: Duration = Duration::from_secs(10);

//! Topics as handlers use them: a snapshot to look things up in, and the few verbs that change it.
//!
//! The metadata store says what exists, the log store holds the records; a topic is here when both agree. Every verb
//! returns when what it did can be found here.

mod auto_create;
mod catalog;

mod partition;
mod topic;

pub(crate) use partition::Partition;
pub(crate) use topic::Topic;

use std::sync::Arc;

use arc_swap::ArcSwap;
use headwater_codec::{TopicName, Uuid};
use headwater_storage::{
    ConfigResource, Fence, LogStore, MetadataError, MetadataImage, MetadataStore, NewTopic,
};
use tokio::sync::Mutex;

use crate::{config::Config, stopping::Stopping};
use catalog::Catalog;

/// Every topic, and the verbs on them. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Topics {
    shared: Arc<Shared>,
}

struct Shared {
    config: Arc<Config>,
    metadata: Arc<dyn MetadataStore>,
    logs: Arc<dyn LogStore>,
    catalog: ArcSwap<Catalog>,
    /// Held while the catalog is brought in step with a newer image.
    in_step: Mutex<()>,
}

impl Topics {
    /// Topics of these stores. Empty until the first [`Topics::keep_in_step`].
    pub(crate) fn new(
        config: Arc<Config>,
        metadata: Arc<dyn MetadataStore>,
        logs: Arc<dyn LogStore>,
    ) -> Self {
        let catalog = ArcSwap::from_pointee(Catalog::default());
        Self { shared: Arc::new(Shared { config, metadata, logs, catalog, in_step: Mutex::new(()) }) }
    }

    /// The topic with that name.
    pub(crate) fn by_name(&self, name: &str) -> Option<Arc<Topic>> {
        self.shared.catalog.load().by_name(name).cloned()
    }

    /// The topic with that id.
    pub(crate) fn by_id(&self, id: Uuid) -> Option<Arc<Topic>> {
        self.shared.catalog.load().by_id(id).cloned()
    }

    /// Every topic, in the order of their names.
    pub(crate) fn all(&self) -> Vec<Arc<Topic>> {
        self.shared.catalog.load().all().cloned().collect()
    }

    /// The newest metadata: for configs of brokers and groups, features, ids. What of it is served is found through
    /// the other methods.
    pub(crate) fn image(&self) -> Arc<MetadataImage> {
        self.shared.metadata.image()
    }

    /// The metadata store, for what belongs to no topic.
    pub(crate) fn metadata(&self) -> &Arc<dyn MetadataStore> {
        &self.shared.metadata
    }

    /// The log store, for those who keep their own records in topics (the group coordinator). Handlers use
    /// [`Topic::partition`].
    pub(crate) fn logs(&self) -> &Arc<dyn LogStore> {
        &self.shared.logs
    }

    /// Creates a topic whose name, partition count and configs were judged already.
    ///
    /// # Errors
    /// [`MetadataError::TopicExists`], and whatever keeps the store from writing.
    pub(crate) async fn create(&self, topic: NewTopic) -> Result<Uuid, MetadataError> {
        // The name outlives the request that it came with.
        let topic = NewTopic { name: topic.name.detached(), ..topic };
        let id = self.shared.metadata.create_topic(topic, Fence::default()).await?;
        self.keep_in_step().await;
        Ok(id)
    }

    /// Deletes a topic and its records.
    ///
    /// # Errors
    /// [`MetadataError::UnknownTopic`], and whatever keeps the store from writing.
    pub(crate) async fn delete(&self, id: Uuid) -> Result<(), MetadataError> {
        self.shared.metadata.delete_topic(id, Fence::default()).await?;
        self.keep_in_step().await;
        Ok(())
    }

    /// Grows a topic to `partition_count` partitions in all.
    ///
    /// # Errors
    /// [`MetadataError::UnknownTopic`], [`MetadataError::InvalidPartitionCount`], and whatever keeps the store from
    /// writing.
    pub(crate) async fn create_partitions(
        &self,
        id: Uuid,
        partition_count: i32,
    ) -> Result<(), MetadataError> {
        self.shared.metadata.create_partitions(id, partition_count, Fence::default()).await?;
        self.keep_in_step().await;
        Ok(())
    }

    /// Sets configs of one resource, all or none; `None` removes one.
    ///
    /// # Errors
    /// [`MetadataError::UnknownTopicName`], and whatever keeps the store from writing.
    pub(crate) async fn alter_configs(
        &self,
        resource: ConfigResource,
        changes: Vec<(String, Option<String>)>,
    ) -> Result<(), MetadataError> {
        self.shared.metadata.alter_configs(resource, changes, Fence::default()).await?;
        self.keep_in_step().await;
        Ok(())
    }

    /// Brings log store and catalog in step with the newest metadata.
    pub(crate) async fn keep_in_step(&self) {
        let shared = &self.shared;
        let _in_step = shared.in_step.lock().await;
        let image = shared.metadata.image();
        let old = shared.catalog.load_full();
        if old.is_of(&image) {
            return;
        }
        let (new, removed) = old.next(image, &shared.config, &shared.logs).await;
        shared.catalog.store(Arc::new(new));
        for id in removed {
            if let Err(error) = shared.logs.remove_topic(id).await {
                tracing::error!(topic_id = %id, %error, "the records of a deleted topic could not be removed");
            }
        }
    }

    /// Follows changes of the metadata by whoever else makes them, until the broker stops.
    pub(crate) async fn follow(self, stopping: Stopping) {
        let mut images = self.shared.metadata.watch();
        loop {
            self.keep_in_step().await;
            tokio::select! {
                changed = images.changed() => if changed.is_err() { return },
                () = stopping.begun() => return,
            }
        }
    }
}

/// Whether a topic belongs to the broker itself: clients neither write to it nor delete its records.
pub(crate) fn is_internal(name: &TopicName) -> bool {
    INTERNAL.contains(&name.as_str())
}

/// The topic that holds groups and their offsets.
pub(crate) const CONSUMER_OFFSETS: &str = "__consumer_offsets";
/// The topic that holds transactions.
pub(crate) const TRANSACTION_STATE: &str = "__transaction_state";
/// The topic that holds what the native door must not forget.
pub(crate) const NATIVE_STATE: &str = "__producer_state";
/// The broker's own topics: Kafka's, and that of the native door.
const INTERNAL: [&str; 3] = [CONSUMER_OFFSETS, TRANSACTION_STATE, NATIVE_STATE];

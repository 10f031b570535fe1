//! Topics in Iggy, and everything else in the local metadata.

use std::sync::Arc;

use headwater_codec::{ProducerId, TopicName};
use headwater_storage::{
    ConfigResource, Fence, MetadataError, MetadataImage, MetadataStore, NewTopic, Pending, QuotaChange,
    ScramChange,
};
use iggy::prelude::{Identifier, IggyError, PartitionClient, StreamClient, TopicClient, TopicCreateOptions};
use tokio::sync::watch;
use uuid::Uuid;

use super::{STORE, Shared, convert::metadata_error, follow};

/// A [`MetadataStore`] over Iggy's topics and a local store for the rest.
pub struct IggyMetadataStore {
    shared: Arc<Shared>,
}

impl IggyMetadataStore {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    /// Whether a topic of that name is Iggy's.
    fn is_iggys(&self, name: &TopicName) -> bool {
        self.shared.options.internal_topics || !INTERNAL.contains(&name.as_str())
    }
}

impl std::fmt::Debug for IggyMetadataStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "IggyMetadataStore({:?})", self.shared.options.server)
    }
}

/// Publishes a new image after a change of the local metadata.
fn published<T: Send + Unpin + 'static>(
    shared: &Arc<Shared>,
    changed: Pending<Result<T, MetadataError>>,
) -> Pending<Result<T, MetadataError>> {
    let shared = shared.clone();
    Pending::waiting(async move {
        let changed = changed.await?;
        follow::publish(&shared).await;
        Ok(changed)
    })
}

impl MetadataStore for IggyMetadataStore {
    fn image(&self) -> Arc<MetadataImage> {
        self.shared.images.borrow().clone()
    }

    fn watch(&self) -> watch::Receiver<Arc<MetadataImage>> {
        self.shared.images.subscribe()
    }

    fn create_topic(&self, topic: NewTopic, fence: Fence) -> Pending<Result<Uuid, MetadataError>> {
        if !self.is_iggys(&topic.name) {
            return published(&self.shared, self.shared.local_metadata.create_topic(topic, fence));
        }
        let is_internal = INTERNAL.contains(&topic.name.as_str());
        if let Some((key, _)) = topic.configs.first().filter(|_| !is_internal) {
            return Pending::ready(Err(MetadataError::UnsupportedConfig { store: STORE, key: key.clone() }));
        }
        let shared = self.shared.clone();
        Pending::waiting(async move { create_topic(&shared, topic).await })
    }

    fn delete_topic(&self, topic_id: Uuid, fence: Fence) -> Pending<Result<(), MetadataError>> {
        let Some(topic) = self.shared.directory.topic(topic_id) else {
            return published(&self.shared, self.shared.local_metadata.delete_topic(topic_id, fence));
        };
        let shared = self.shared.clone();
        Pending::waiting(async move {
            let (stream, number) = (&topic.stream, &topic.topic);
            let link = shared.links.metadata();
            let deleted = link.ask(|client| async move { client.delete_topic(stream, number).await }).await;
            match deleted {
                Err(error) if !super::convert::is_gone(&error) => return Err(metadata_error(error)),
                _ => {}
            }
            topic.close();
            refresh(&shared).await
        })
    }

    fn create_partitions(
        &self,
        topic_id: Uuid,
        partition_count: i32,
        fence: Fence,
    ) -> Pending<Result<(), MetadataError>> {
        let Some(topic) = self.shared.directory.topic(topic_id) else {
            let grown = self.shared.local_metadata.create_partitions(topic_id, partition_count, fence);
            return published(&self.shared, grown);
        };
        let current = i32::try_from(topic.partition_count()).unwrap_or(i32::MAX);
        let more = partition_count.checked_sub(current).and_then(|more| u32::try_from(more).ok());
        let Some(more) = more.filter(|more| (1..=PARTITIONS_MAX).contains(more)) else {
            let name = topic.name.clone();
            let error = MetadataError::InvalidPartitionCount { name, current, requested: partition_count };
            return Pending::ready(Err(error));
        };
        let shared = self.shared.clone();
        Pending::waiting(async move {
            let (stream, number) = (&topic.stream, &topic.topic);
            let link = shared.links.metadata();
            link.ask(|client| async move { client.create_partitions(stream, number, more).await })
                .await
                .map_err(metadata_error)?;
            refresh(&shared).await
        })
    }

    fn alter_configs(
        &self,
        resource: ConfigResource,
        changes: Vec<(String, Option<String>)>,
        fence: Fence,
    ) -> Pending<Result<(), MetadataError>> {
        if let ConfigResource::Topic(name) = &resource
            && self.is_iggys(name)
        {
            let key = changes.into_iter().next().map_or_else(String::new, |(key, _)| key);
            return Pending::ready(Err(MetadataError::UnsupportedConfig { store: STORE, key }));
        }
        published(&self.shared, self.shared.local_metadata.alter_configs(resource, changes, fence))
    }

    fn alter_scram_credentials(
        &self,
        changes: Vec<ScramChange>,
        fence: Fence,
    ) -> Pending<Result<(), MetadataError>> {
        published(&self.shared, self.shared.local_metadata.alter_scram_credentials(changes, fence))
    }

    fn alter_client_quotas(
        &self,
        changes: Vec<QuotaChange>,
        fence: Fence,
    ) -> Pending<Result<(), MetadataError>> {
        published(&self.shared, self.shared.local_metadata.alter_client_quotas(changes, fence))
    }

    fn allocate_producer_ids(&self, count: i32, fence: Fence) -> Pending<Result<ProducerId, MetadataError>> {
        self.shared.local_metadata.allocate_producer_ids(count, fence)
    }

    fn close(&self) -> Pending<Result<(), MetadataError>> {
        self.shared.stop();
        self.shared.local_metadata.close()
    }
}

async fn create_topic(shared: &Shared, topic: NewTopic) -> Result<Uuid, MetadataError> {
    let iggy = shared.options.mapping.iggy(topic.name.as_str());
    let requested = topic.partition_count;
    let count = u32::try_from(requested).ok().filter(|count| (1..=PARTITIONS_MAX).contains(count));
    let Some(count) = count else {
        return Err(MetadataError::InvalidPartitionCount { name: topic.name, current: 0, requested });
    };
    let stream = Identifier::named(&iggy.stream).map_err(metadata_error)?;
    let options = TopicCreateOptions { partitions_count: Some(count), ..TopicCreateOptions::default() };
    let link = shared.links.metadata();
    let create = || {
        let (stream, name, options) = (&stream, &iggy.topic, &options);
        link.ask(move |client| async move { client.create_topic(stream, name, options).await })
    };
    let created = match create().await {
        Err(error) if super::convert::is_gone(&error) => {
            let name = &iggy.stream;
            let made = link.ask(|client| async move { client.create_stream(name).await.map(|_| ()) }).await;
            match made {
                Ok(()) | Err(IggyError::StreamNameAlreadyExists(_)) => create().await,
                Err(error) => Err(error),
            }
        }
        created => created,
    };
    match created {
        Ok(_) => {}
        Err(IggyError::TopicNameAlreadyExists(..)) => {
            refresh(shared).await?;
            return Err(MetadataError::TopicExists { name: topic.name });
        }
        Err(error) => return Err(metadata_error(error)),
    }
    refresh(shared).await?;
    let image = shared.images.borrow().clone();
    let known = image.topic(topic.name.as_str()).map(|topic| topic.id);
    // It may have been deleted again.
    known.ok_or(MetadataError::UnknownTopicName { name: topic.name })
}

async fn refresh(shared: &Shared) -> Result<(), MetadataError> {
    follow::refresh(shared).await.map_err(metadata_error)
}

/// The topics of the broker itself.
const INTERNAL: [&str; 2] = ["__consumer_offsets", "__transaction_state"];
/// As many partitions as Iggy lets one request create.
const PARTITIONS_MAX: u32 = 1000;

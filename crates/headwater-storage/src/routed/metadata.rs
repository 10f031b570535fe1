//! Metadata of both engines: whatever concerns a native topic goes to the native one, everything else to Kafka's.

use std::sync::Arc;

use headwater_codec::ProducerId;
use tokio::sync::{oneshot, watch};
use uuid::Uuid;

use super::{MergedImages, NativeEngine, NativeStores, creations::Creations};
use crate::{
    ConfigResource, Fence, LocalMetadataStore, MetadataError, MetadataImage, MetadataStore, NewTopic,
    Pending, QuotaChange, RecordFormat, ScramChange, StorageError,
};

/// A [`MetadataStore`] over both engines. Topic names are unique over both.
#[derive(Debug)]
pub struct RoutedMetadataStore {
    kafka: Arc<LocalMetadataStore>,
    native: Arc<NativeEngine>,
    images: Arc<MergedImages>,
    creations: Creations,
}

impl RoutedMetadataStore {
    /// Puts the engines together; both publish to `images`.
    pub fn new(kafka: LocalMetadataStore, native: Arc<NativeEngine>, images: Arc<MergedImages>) -> Self {
        Self { kafka: Arc::new(kafka), native, images, creations: Creations::default() }
    }

    /// The native engine, if it has that topic.
    fn native_with(&self, has: impl FnOnce(&MetadataImage) -> bool) -> Option<&NativeStores> {
        self.native.opened().filter(|stores| has(&stores.metadata.image()))
    }

    fn engine_of(&self, topic_id: Uuid) -> &LocalMetadataStore {
        match self.native_with(|image| image.topic_by_id(topic_id).is_some()) {
            Some(stores) => &stores.metadata,
            None => &self.kafka,
        }
    }

    /// Opens the native engine on a thread that may block, then creates the topic there.
    fn create_first_native(
        engine: Arc<NativeEngine>,
        topic: NewTopic,
        fence: Fence,
    ) -> Pending<Result<Uuid, MetadataError>> {
        let opening = Arc::clone(&engine);
        let (opened, is_open) = oneshot::channel();
        let thread = std::thread::Builder::new().name("headwater-open".into()).spawn(move || {
            let _ = opened.send(opening.open_now().map(|_| ()));
        });
        if let Err(error) = thread {
            return Pending::ready(
                Err(StorageError::io("start a thread for", "native topics", error).into()),
            );
        }
        Pending::waiting(async move {
            is_open.await.unwrap_or(Err(MetadataError::Closed))?;
            let stores = engine.opened().ok_or(MetadataError::Closed)?;
            stores.metadata.create_topic(topic, fence).await
        })
    }
}

impl MetadataStore for RoutedMetadataStore {
    fn image(&self) -> Arc<MetadataImage> {
        self.images.image()
    }

    fn watch(&self) -> watch::Receiver<Arc<MetadataImage>> {
        self.images.watch()
    }

    fn create_topic(&self, topic: NewTopic, fence: Fence) -> Pending<Result<Uuid, MetadataError>> {
        let (kafka, native, images) =
            (Arc::clone(&self.kafka), Arc::clone(&self.native), Arc::clone(&self.images));
        let name = topic.name.clone();
        self.creations.when_alone(&name, move || {
            if images.image().topic(topic.name.as_str()).is_some() {
                return Pending::ready(Err(MetadataError::TopicExists { name: topic.name }));
            }
            let configs = topic.configs.iter().map(|(name, value)| (name, value));
            match (RecordFormat::of_configs(configs), native.opened()) {
                (RecordFormat::Kafka, _) => kafka.create_topic(topic, fence),
                (RecordFormat::Native, Some(stores)) => stores.metadata.create_topic(topic, fence),
                (RecordFormat::Native, None) => Self::create_first_native(native, topic, fence),
            }
        })
    }

    fn delete_topic(&self, topic_id: Uuid, fence: Fence) -> Pending<Result<(), MetadataError>> {
        self.engine_of(topic_id).delete_topic(topic_id, fence)
    }

    fn create_partitions(
        &self,
        topic_id: Uuid,
        partition_count: i32,
        fence: Fence,
    ) -> Pending<Result<(), MetadataError>> {
        self.engine_of(topic_id).create_partitions(topic_id, partition_count, fence)
    }

    fn alter_configs(
        &self,
        resource: ConfigResource,
        changes: Vec<(String, Option<String>)>,
        fence: Fence,
    ) -> Pending<Result<(), MetadataError>> {
        let engine = match &resource {
            // By the id that the name has now: a hidden topic's name is a Kafka topic's.
            ConfigResource::Topic(name) => match self.image().topic(name.as_str()) {
                Some(topic) => self.engine_of(topic.id),
                None => &self.kafka,
            },
            _ => &self.kafka,
        };
        engine.alter_configs(resource, changes, fence)
    }

    fn alter_scram_credentials(
        &self,
        changes: Vec<ScramChange>,
        fence: Fence,
    ) -> Pending<Result<(), MetadataError>> {
        self.kafka.alter_scram_credentials(changes, fence)
    }

    fn alter_client_quotas(
        &self,
        changes: Vec<QuotaChange>,
        fence: Fence,
    ) -> Pending<Result<(), MetadataError>> {
        self.kafka.alter_client_quotas(changes, fence)
    }

    fn allocate_producer_ids(&self, count: i32, fence: Fence) -> Pending<Result<ProducerId, MetadataError>> {
        self.kafka.allocate_producer_ids(count, fence)
    }

    fn close(&self) -> Pending<Result<(), MetadataError>> {
        self.native.stay_closed();
        let kafka = self.kafka.close();
        let native = self.native.opened().map(|stores| stores.metadata.close());
        Pending::waiting(async move {
            let kafka = kafka.await;
            let native = match native {
                Some(native) => native.await,
                None => Ok(()),
            };
            kafka.and(native)
        })
    }
}

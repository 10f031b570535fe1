//! Every served topic at one moment.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use headwater_codec::{TopicName, Uuid};
use headwater_storage::{ConfigResource, LogStore, MetadataImage, TopicLog};

use super::topic::Topic;
use crate::{config::Config, topic_config};

/// Every served topic at one moment; immutable. A topic that did not change is shared with the catalog before.
#[derive(Default)]
pub(super) struct Catalog {
    image: Option<Arc<MetadataImage>>,
    by_id: HashMap<Uuid, Arc<Topic>>,
    by_name: BTreeMap<TopicName, Arc<Topic>>,
}

impl Catalog {
    /// Whether the catalog was made of this very image.
    pub(super) fn is_of(&self, image: &Arc<MetadataImage>) -> bool {
        self.image.as_ref().is_some_and(|own| Arc::ptr_eq(own, image))
    }

    pub(super) fn by_id(&self, id: Uuid) -> Option<&Arc<Topic>> {
        self.by_id.get(&id)
    }

    pub(super) fn by_name(&self, name: &str) -> Option<&Arc<Topic>> {
        self.by_name.get(name)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Arc<Topic>> {
        self.by_name.values()
    }

    /// The catalog of a newer image, after the log store has taken in what is new or changed, and the ids of the
    /// topics that are gone.
    pub(super) async fn next(
        &self,
        image: Arc<MetadataImage>,
        config: &Config,
        logs: &Arc<dyn LogStore>,
    ) -> (Self, Vec<Uuid>) {
        let defaults_stand = self.image.as_ref().is_some_and(|old| broker_configs_equal(old, &image));
        let mut next = Self { image: Some(image.clone()), by_id: HashMap::new(), by_name: BTreeMap::new() };
        for known in image.topics() {
            let topic = match self.by_id(known.id) {
                Some(old) if defaults_stand && Arc::ptr_eq(old.known(), known) => old.clone(),
                _ => {
                    let log_config = Arc::new(topic_config::log_config(config, &image, &known.configs));
                    let log = TopicLog {
                        topic_id: known.id,
                        name: known.name.clone(),
                        leader_epochs: known
                            .partitions
                            .iter()
                            .map(|partition| partition.leader_epoch)
                            .collect(),
                        config: log_config.clone(),
                    };
                    if let Err(error) = logs.put_topic(log).await {
                        tracing::error!(topic = %known.name, %error, "the topic's logs could not be opened");
                    }
                    Arc::new(Topic::new(known.clone(), log_config, logs.clone()))
                }
            };
            next.by_id.insert(known.id, topic.clone());
            next.by_name.insert(known.name.clone(), topic);
        }
        // One that is hidden now is not gone: it serves again with its records when its name is free.
        let removed = self.by_id.keys().filter(|id| !image.keeps(**id)).copied().collect();
        (next, removed)
    }
}

/// Whether the configs that topics inherit are the same in both.
fn broker_configs_equal(one: &MetadataImage, other: &MetadataImage) -> bool {
    [ConfigResource::Broker(None), ConfigResource::Broker(Some(one.node_id().get()))]
        .iter()
        .all(|resource| one.configs(resource) == other.configs(resource))
}

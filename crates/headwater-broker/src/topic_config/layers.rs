//! What a broker key is set to, and where: dynamically for this node, for all nodes, or in its configuration.

use std::{collections::BTreeMap, sync::Arc};

use headwater_storage::{ConfigResource, MetadataImage};

use super::{
    entry::{ConfigSource, Synonym},
    table::TopicKey,
};
use crate::config::{Config, known};

/// The places where a broker key can be set, strongest first.
pub(crate) struct BrokerLayers<'a> {
    node: Option<Arc<BTreeMap<String, String>>>,
    cluster: Option<Arc<BTreeMap<String, String>>>,
    config: &'a Config,
}

impl<'a> BrokerLayers<'a> {
    /// The layers as they are now.
    pub(crate) fn of(config: &'a Config, image: &MetadataImage) -> Self {
        let configs = |resource| image.configs(&resource).cloned();
        Self {
            node: configs(ConfigResource::Broker(Some(image.node_id().get()))),
            cluster: configs(ConfigResource::Broker(None)),
            config,
        }
    }

    /// The configuration alone.
    pub(crate) fn fixed(config: &'a Config) -> Self {
        Self { node: None, cluster: None, config }
    }

    /// Layers with these dynamic values for every node.
    #[cfg(test)]
    pub(crate) fn with_cluster(config: &'a Config, cluster: BTreeMap<String, String>) -> Self {
        Self { node: None, cluster: Some(Arc::new(cluster)), config }
    }

    /// What `name` is set to, and where; the strongest place first.
    pub(crate) fn set(&self, name: &str) -> impl Iterator<Item = (&str, ConfigSource)> {
        let node = self.node.as_deref().and_then(|values| values.get(name)).map(String::as_str);
        let cluster = self.cluster.as_deref().and_then(|values| values.get(name)).map(String::as_str);
        [
            (node, ConfigSource::DynamicBroker),
            (cluster, ConfigSource::DynamicDefaultBroker),
            (self.config.set_value(name), ConfigSource::StaticBroker),
        ]
        .into_iter()
        .filter_map(|(value, source)| Some((value?, source)))
    }

    /// Every broker key that is set dynamically for all nodes, or with `node` for this one.
    pub(crate) fn dynamic(&self, node: bool) -> impl Iterator<Item = (&str, &str)> {
        let values = if node { &self.node } else { &self.cluster };
        values.iter().flat_map(|values| values.iter()).map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The default that a topic inherits, in the topic config's units.
    pub(crate) fn topic_default(&self, key: &TopicKey) -> Option<String> {
        let inherited = key.synonyms.iter().find_map(|synonym| {
            let (text, _) = self.set(synonym.name).find(|(text, _)| synonym.key(key).parse(text).is_ok())?;
            Some(synonym.in_topic_units(text))
        });
        inherited.or_else(|| key.key.default.map(str::to_owned))
    }

    /// Everything that a topic's default could come from, strongest first, the built-in default last.
    pub(crate) fn topic_synonyms(&self, key: &TopicKey) -> Vec<Synonym> {
        let mut synonyms: Vec<Synonym> = key
            .synonyms
            .iter()
            .flat_map(|synonym| {
                self.set(synonym.name).map(|(value, source)| Synonym::new(synonym.name, value, source))
            })
            .collect();
        let default = key.synonyms.iter().find_map(|synonym| Some((synonym.name, synonym.default?)));
        synonyms.extend(default.map(|(name, value)| Synonym::new(name, value, ConfigSource::Default)));
        synonyms
    }

    /// Everything that a broker key's value could come from, strongest first.
    pub(crate) fn broker_synonyms(&self, name: &'static str) -> Vec<Synonym> {
        let mut synonyms: Vec<Synonym> =
            self.set(name).map(|(value, source)| Synonym::new(name, value, source)).collect();
        let default = known::key(name).and_then(|key| key.default);
        synonyms.extend(default.map(|value| Synonym::new(name, value, ConfigSource::Default)));
        synonyms
    }
}

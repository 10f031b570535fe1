//! One config as DescribeConfigs and CreateTopics tell it.

use std::collections::BTreeMap;

use super::{BrokerLayers, TOPIC_KEYS};
use crate::config::ConfigType;

/// Where a value comes from, with Kafka's numbers (KIP-226).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum ConfigSource {
    /// Set on the topic.
    Topic,
    /// Set dynamically for this broker.
    DynamicBroker,
    /// Set dynamically for every broker.
    DynamicDefaultBroker,
    /// Set in the broker's configuration.
    StaticBroker,
    /// Set by nobody.
    Default,
}

impl ConfigSource {
    /// The number on the wire.
    pub(crate) const fn code(self) -> i8 {
        match self {
            Self::Topic => 1,
            Self::DynamicBroker => 2,
            Self::DynamicDefaultBroker => 3,
            Self::StaticBroker => 4,
            Self::Default => 5,
        }
    }
}

/// Another key that the value could come from, or the key itself at another place.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Synonym {
    /// The key.
    pub(crate) name: &'static str,
    /// Its value there.
    pub(crate) value: String,
    /// The place.
    pub(crate) source: ConfigSource,
}

impl Synonym {
    pub(crate) fn new(name: &'static str, value: &str, source: ConfigSource) -> Self {
        Self { name, value: value.to_owned(), source }
    }
}

/// One config with everything there is to say about it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct ConfigEntry {
    /// The key.
    pub(crate) name: &'static str,
    /// The value that holds; `None` when there is none, or when it is a secret.
    pub(crate) value: Option<String>,
    /// Where it comes from.
    pub(crate) source: ConfigSource,
    /// Whether it cannot be changed while the broker runs.
    pub(crate) is_read_only: bool,
    /// Whether it is a secret.
    pub(crate) is_sensitive: bool,
    /// Everything that it could come from, strongest first.
    pub(crate) synonyms: Vec<Synonym>,
    /// The type of the value.
    pub(crate) kind: ConfigType,
    /// A sentence of meaning.
    pub(crate) documentation: String,
}

/// The configs of a topic, by name: every one that has a value.
pub(crate) fn topic_entries(layers: &BrokerLayers<'_>, own: &BTreeMap<String, String>) -> Vec<ConfigEntry> {
    let entries = TOPIC_KEYS.iter().filter_map(|topic| {
        let name = topic.key.name;
        let mut synonyms = layers.topic_synonyms(topic);
        let value = match own.get(name) {
            Some(value) => {
                synonyms.insert(0, Synonym::new(name, value, ConfigSource::Topic));
                value.clone()
            }
            None => layers.topic_default(topic)?,
        };
        Some(ConfigEntry {
            name,
            value: Some(value),
            source: synonyms.first().map_or(ConfigSource::Default, |synonym| synonym.source),
            is_read_only: false,
            is_sensitive: topic.key.is_sensitive(),
            synonyms,
            kind: topic.key.kind,
            documentation: topic.key.documentation(),
        })
    });
    entries.collect()
}

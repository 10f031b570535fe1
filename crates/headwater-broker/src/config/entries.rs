//! The broker's configuration as DescribeConfigs tells it.

use super::{ignored::is_removed, key::ConfigKey, known};
use crate::topic_config::{BrokerLayers, ConfigEntry, ConfigSource};

/// Every key that Kafka 4 or we know, by name, and older ones when they are set.
pub(crate) fn broker_entries(layers: &BrokerLayers<'_>) -> Vec<ConfigEntry> {
    let is_shown = |entry: &ConfigEntry| !is_removed(entry.name) || !entry.synonyms.is_empty();
    known::keys().values().map(|key| broker_entry(layers, key)).filter(is_shown).collect()
}

/// What was set dynamically for every broker.
pub(crate) fn cluster_entries(layers: &BrokerLayers<'_>) -> Vec<ConfigEntry> {
    let keys = layers.dynamic(false).filter_map(|(name, _)| known::key(name));
    keys.map(|key| {
        let mut entry = broker_entry(layers, key);
        entry.synonyms.retain(|synonym| synonym.source != ConfigSource::DynamicBroker);
        if let Some(first) = entry.synonyms.first() {
            entry.value = Some(first.value.clone());
            entry.source = first.source;
        }
        entry
    })
    .collect()
}

fn broker_entry(layers: &BrokerLayers<'_>, key: &'static ConfigKey) -> ConfigEntry {
    let mut synonyms = layers.broker_synonyms(key.name);
    let source = synonyms.first().map_or(ConfigSource::Default, |synonym| synonym.source);
    let mut value = synonyms.first().map(|synonym| synonym.value.clone());
    if key.is_sensitive() {
        value = None;
        synonyms.clear();
    }
    ConfigEntry {
        name: key.name,
        value,
        source,
        is_read_only: !key.is_dynamic(),
        is_sensitive: key.is_sensitive(),
        synonyms,
        kind: key.kind,
        documentation: key.documentation(),
    }
}

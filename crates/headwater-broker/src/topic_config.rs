//! Configs of topics: one table, and what is asked of it.
//!
//! CreateTopics, IncrementalAlterConfigs, AlterConfigs and DescribeConfigs all judge and show configs by the same table
//! (`topic_config/table.rs`). A topic's value is its own, else the broker's dynamic default, else the broker's
//! configuration, else Kafka's default.

mod alter;
mod alter_error;
mod entry;
mod layers;
mod name;
mod record_format;
mod table;

use std::collections::BTreeMap;

use headwater_records::{Compression, TimestampType, native::HeaderLimits};
use headwater_storage::{LogConfig, MetadataImage, RecordFormat};

pub(crate) use alter::{ConfigOp, OpKind, alter, alter_broker, check_topic};
pub(crate) use alter_error::AlterError;
pub(crate) use entry::{ConfigEntry, ConfigSource, topic_entries};
pub(crate) use layers::BrokerLayers;
pub(crate) use name::{TopicNameError, TopicNameRules};
pub(crate) use record_format::{check_format_stays, settle_format};
pub(crate) use table::{TOPIC_KEYS, broker_defaults, topic_key};

use crate::config::{Config, ConfigError, key::ConfigValue};

/// The settings of a topic's logs: its own configs over the broker's dynamic ones over `config`.
///
/// Every value was judged when it was set. One that is not understood any more (a directory may come from a newer
/// Kafka) falls back to the default below it.
pub(crate) fn log_config(
    config: &Config,
    image: &MetadataImage,
    own: &BTreeMap<String, String>,
) -> LogConfig {
    resolve(&BrokerLayers::of(config, image), own)
}

/// Judges the broker's topic defaults, so that a bad one is told at start.
pub(crate) fn check_defaults(config: &Config) -> Result<(), ConfigError> {
    for key in TOPIC_KEYS {
        for synonym in key.synonyms {
            if let Some(text) = config.set_value(synonym.name) {
                synonym.key(key).parse(text)?;
            }
        }
    }
    let layers = BrokerLayers::fixed(config);
    match check_topic(&layers, &BTreeMap::new()) {
        Err(AlterError::Conflict { lower, upper }) => Err(ConfigError::Contradiction {
            first: lower.0,
            first_value: lower.1.to_string(),
            second: upper.0,
            second_value: upper.1.to_string(),
        }),
        _ => Ok(()),
    }
}

/// Puts the values of all layers together.
pub(crate) fn resolve(layers: &BrokerLayers<'_>, own: &BTreeMap<String, String>) -> LogConfig {
    let value = |name: &'static str| effective(layers, own, name);
    let integer = |name: &'static str| match value(name) {
        Some(ConfigValue::Integer(number)) => number,
        _ => 0,
    };
    let size = |name: &'static str| u32::try_from(integer(name)).unwrap_or(0);
    let count = |name: &'static str| usize::try_from(integer(name)).unwrap_or(0);
    let policy = match value("cleanup.policy") {
        Some(ConfigValue::List(words)) => words,
        _ => Vec::new(),
    };
    let timestamp_type = match value("message.timestamp.type") {
        Some(ConfigValue::Text(text)) if text == "LogAppendTime" => TimestampType::LogAppendTime,
        _ => TimestampType::CreateTime,
    };
    LogConfig {
        segment_bytes: match value("internal.segment.bytes") {
            Some(ConfigValue::Integer(bytes)) => u32::try_from(bytes).unwrap_or(u32::MAX),
            _ => size("segment.bytes"),
        },
        segment_ms: integer("segment.ms"),
        segment_jitter_ms: integer("segment.jitter.ms"),
        segment_index_bytes: size("segment.index.bytes"),
        index_interval_bytes: size("index.interval.bytes"),
        retention_ms: Some(integer("retention.ms")).filter(|ms| *ms >= 0),
        retention_bytes: u64::try_from(integer("retention.bytes")).ok(),
        cleanup_delete: policy.iter().any(|word| word == "delete"),
        cleanup_compact: policy.iter().any(|word| word == "compact"),
        max_message_bytes: size("max.message.bytes"),
        compression: match value("compression.type") {
            Some(ConfigValue::Text(text)) => stored_compression(&text),
            _ => None,
        },
        timestamp_type,
        timestamp_before_max_ms: integer("message.timestamp.before.max.ms"),
        timestamp_after_max_ms: integer("message.timestamp.after.max.ms"),
        file_delete_delay_ms: integer("file.delete.delay.ms"),
        min_cleanable_dirty_ratio: match value("min.cleanable.dirty.ratio") {
            Some(ConfigValue::Double(ratio)) => ratio,
            _ => 0.5,
        },
        delete_retention_ms: integer("delete.retention.ms"),
        min_compaction_lag_ms: integer("min.compaction.lag.ms"),
        max_compaction_lag_ms: integer("max.compaction.lag.ms"),
        record_format: RecordFormat::of_configs(own),
        header_limits: HeaderLimits {
            block_bytes_max: count("headwater.headers.bytes.max"),
            count_max: count("headwater.headers.count.max"),
            name_bytes_max: count("headwater.header.name.bytes.max"),
        },
    }
}

/// What `compression.type` asks for; `None` leaves batches as they come (`producer`).
fn stored_compression(name: &str) -> Option<Compression> {
    match name {
        "uncompressed" => Some(Compression::None),
        "gzip" => Some(Compression::Gzip),
        "snappy" => Some(Compression::Snappy),
        "lz4" => Some(Compression::Lz4),
        "zstd" => Some(Compression::Zstd),
        _ => None,
    }
}

/// The judged value that holds for a topic; `None` when there is none at all.
pub(crate) fn effective(
    layers: &BrokerLayers<'_>,
    own: &BTreeMap<String, String>,
    name: &'static str,
) -> Option<ConfigValue> {
    let key = topic_key(name)?;
    if let Some(value) = own.get(name).and_then(|text| key.parse(text).ok()) {
        return Some(value);
    }
    layers.topic_default(key).and_then(|text| key.parse(&text).ok())
}

#[cfg(test)]
mod tests;

//! Topics, partitions, configs and offsets, as operators ask for them.
//!
//! - A topic is created with 1 to 1024 partitions, and there are 1024 topics at most that this door creates; a bad name, or
//!   one that exists, is BAD_FRAME (1). Names that begin with `__` are the broker's: TOPIC_FORBIDDEN (18) on delete, alter
//!   and grow, BAD_FRAME on create.
//! - Such a topic keeps its records as `headwater.native.topic.format` has it.
//! - Configs are Kafka's. Those of the original broker that have a counterpart are known by their names too:
//!   `max_segment_size` (segment.bytes), `retention` (retention.ms, in seconds), `max_log_bytes` (retention.bytes) and
//!   `cleanup_policy` (cleanup.policy).

use std::{collections::BTreeMap, sync::Arc};

use headwater_codec::{Str, TopicName};
use headwater_native::{
    ErrorCode, PartitionId,
    messages::{
        AlterTopicConfig, ConfigEntry, CreatePartitions, CreateTopic, ListOffsets, ListOffsetsMode,
        OffsetForTime, Offsets, PartitionOffsets, PartitionOffsetsFlags, TopicDescription, TopicList,
    },
};
use headwater_storage::{ConfigResource, Isolation, LogConfig, NewTopic, RecordFormat, TimestampTarget};

use super::{
    door::Native,
    refusal::{self, Answer, refuse},
};
use crate::{
    security::{Operation, Principal, Resource},
    topic_config::{self, BrokerLayers, ConfigOp, OpKind, TopicNameRules},
    topics::{Partition, Topic},
};

impl Native {
    pub(super) async fn create_topic(&self, principal: &Principal, request: &CreateTopic) -> Answer<()> {
        let name = &request.name;
        let may = principal.authorize(Operation::Create, Resource::Cluster);
        may.or_else(|_| principal.authorize(Operation::Create, Resource::Topic(name)))
            .map_err(refusal::kafka)?;
        if !(1..=PARTITIONS_MAX).contains(&request.partitions) {
            let message = format!("a topic has 1 to {PARTITIONS_MAX} partitions, not {}", request.partitions);
            return refuse(ErrorCode::INVALID_PARTITIONS, message);
        }
        if name.as_str().starts_with(RESERVED_PREFIX) || name.as_str().starts_with('-') {
            return refuse(ErrorCode::BAD_FRAME, format!("no topic can be named '{name}'"));
        }
        let topics = &self.services().topics;
        let existing = topics.all();
        TopicNameRules::check_new(name.as_str(), existing.iter().map(|topic| topic.name().as_str()))
            .map_err(|error| refusal::topic_name(&error))?;
        if existing.len() >= TOPICS_MAX {
            return refuse(ErrorCode::RATE_LIMITED, format!("there are {TOPICS_MAX} topics already"));
        }
        let partition_count = i32::try_from(request.partitions).unwrap_or(1);
        let config = &self.services().config;
        let format = (RecordFormat::CONFIG.to_owned(), config.native_topic_format.name().to_owned());
        let mut configs = BTreeMap::from([format]);
        topic_config::settle_format(config, name, &mut configs);
        let new = NewTopic { name: name.clone(), partition_count, configs: configs.into_iter().collect() };
        topics.create(new).await.map(drop).map_err(|error| refusal::metadata(&error))
    }

    pub(super) fn list_topics(&self, principal: &Principal) -> TopicList {
        let topics = self.services().topics.all();
        let visible = topics.iter().filter(|topic| {
            principal.authorize(Operation::Describe, Resource::Topic(topic.name())).is_ok()
                && !topic.is_internal()
        });
        TopicList { topics: visible.map(|topic| topic.name().clone()).collect() }
    }

    pub(super) async fn delete_topic(&self, principal: &Principal, name: &TopicName) -> Answer<()> {
        let topic = self.changeable(principal, Operation::Delete, name)?;
        if !self.services().config.delete_topic_enable {
            return refuse(
                ErrorCode::NOT_AUTHORIZED,
                "topics cannot be deleted: delete.topic.enable is false",
            );
        }
        self.services().topics.delete(topic.id()).await.map_err(|error| refusal::metadata(&error))
    }

    pub(super) async fn create_partitions(
        &self,
        principal: &Principal,
        request: &CreatePartitions,
    ) -> Answer<()> {
        let topic = self.changeable(principal, Operation::Alter, &request.name)?;
        let current = topic.partition_count().unsigned_abs();
        if request.total <= current || request.total > PARTITIONS_MAX {
            let message = format!(
                "topic '{}' has {current} partitions and can have {PARTITIONS_MAX}, but {} are asked for",
                request.name, request.total
            );
            return refuse(ErrorCode::INVALID_PARTITIONS, message);
        }
        let total = i32::try_from(request.total).unwrap_or(i32::MAX);
        self.services()
            .topics
            .create_partitions(topic.id(), total)
            .await
            .map_err(|error| refusal::metadata(&error))
    }

    pub(super) fn describe_topic(&self, principal: &Principal, name: &TopicName) -> Answer<TopicDescription> {
        let topic = self.described(principal, name)?;
        let config = topic.log_config();
        let own = topic.known().configs.iter().map(|(key, value)| (key.clone(), value.clone()));
        let mut configs: Vec<(String, String)> = original_configs(config).into_iter().chain(own).collect();
        // What this wire has no room for is left to Kafka's tools.
        configs.retain(|(key, value)| {
            key.len() <= headwater_native::limits::CONFIG_KEY_BYTES_MAX
                && value.len() <= headwater_native::limits::CONFIG_VALUE_BYTES_MAX
        });
        configs.sort_unstable();
        let configs = configs
            .into_iter()
            .map(|(key, value)| ConfigEntry { key: Str::from(key), value: Str::from(value) });
        Ok(TopicDescription {
            name: topic.name().clone(),
            partitions: topic.partition_count().unsigned_abs(),
            configs: configs.collect(),
        })
    }

    pub(super) async fn alter_topic_config(
        &self,
        principal: &Principal,
        request: &AlterTopicConfig,
    ) -> Answer<()> {
        let topic = self.changeable(principal, Operation::AlterConfigs, &request.name)?;
        let mut ops = request.configs.iter().map(to_kafka).collect::<Answer<Vec<ConfigOp>>>()?;
        let own = &topic.known().configs;
        topic_config::check_format_stays(own, &mut ops).map_err(|error| refusal::config(&error))?;
        let changes = {
            let image = self.services().topics.image();
            let layers = BrokerLayers::of(&self.services().config, &image);
            topic_config::alter(&layers, own, &ops).map_err(|error| refusal::config(&error))?
        };
        if changes.is_empty() {
            return Ok(());
        }
        let resource = ConfigResource::Topic(topic.name().clone());
        self.services()
            .topics
            .alter_configs(resource, changes)
            .await
            .map_err(|error| refusal::metadata(&error))
    }

    pub(super) async fn list_offsets(&self, principal: &Principal, request: &ListOffsets) -> Answer<Offsets> {
        let topic = self.described(principal, &request.topic)?;
        let mut partitions = Vec::new();
        for partition in topic.partitions() {
            partitions.push(bounds(&partition)?);
        }
        let for_time = match request.mode {
            ListOffsetsMode::Bounds => None,
            ListOffsetsMode::Timestamp(time) => Some(by_time(&topic, &partitions, time).await?),
        };
        Ok(Offsets { partitions, for_time })
    }

    /// Finds a topic that may be described.
    fn described(&self, principal: &Principal, name: &TopicName) -> Answer<Arc<Topic>> {
        principal.authorize(Operation::Describe, Resource::Topic(name)).map_err(refusal::kafka)?;
        self.services().topics.by_name(name.as_str()).ok_or_else(|| refusal::no_topic(name.as_str()))
    }

    /// Finds a topic that clients may change.
    fn changeable(
        &self,
        principal: &Principal,
        operation: Operation,
        name: &TopicName,
    ) -> Answer<Arc<Topic>> {
        if name.as_str().starts_with(RESERVED_PREFIX) {
            return refuse(ErrorCode::TOPIC_FORBIDDEN, format!("topic '{name}' belongs to the broker"));
        }
        principal.authorize(operation, Resource::Topic(name)).map_err(refusal::kafka)?;
        self.services().topics.by_name(name.as_str()).ok_or_else(|| refusal::no_topic(name.as_str()))
    }
}

fn bounds(partition: &Partition) -> Answer<PartitionOffsets> {
    let watermarks = partition.watermarks().map_err(|error| refusal::storage(&error))?;
    let flags = PartitionOffsetsFlags::HIGH_WATERMARK_EXACT
        | PartitionOffsetsFlags::LAST_STABLE_OFFSET_KNOWN
        | PartitionOffsetsFlags::SERVED_HERE;
    Ok(PartitionOffsets {
        partition: PartitionId::from_index(partition.index()).unwrap_or_default(),
        earliest: watermarks.log_start,
        latest: watermarks.log_end,
        high_watermark: watermarks.high_watermark,
        last_stable_offset: watermarks.last_stable,
        flags,
    })
}

async fn by_time(topic: &Arc<Topic>, bounds: &[PartitionOffsets], time: i64) -> Answer<Vec<OffsetForTime>> {
    let mut offsets = Vec::with_capacity(bounds.len());
    for (partition, bounds) in topic.partitions().zip(bounds) {
        let found = partition.find_timestamp(TimestampTarget::AtOrAfter(time), Isolation::ReadUncommitted);
        let found = found.await.map_err(|error| refusal::storage(&error))?;
        offsets.push(OffsetForTime {
            partition: bounds.partition,
            offset: found.map_or(bounds.latest, |found| found.offset),
            found: found.is_some(),
        });
    }
    Ok(offsets)
}

/// The configs that the original broker has, with the values that hold.
fn original_configs(config: &LogConfig) -> Vec<(String, String)> {
    let policy = match (config.cleanup_delete, config.cleanup_compact) {
        (true, true) => "compact,delete",
        (false, true) => "compact",
        _ => "delete",
    };
    let mut configs = vec![("cleanup_policy", policy.to_owned())];
    configs.extend(config.retention_bytes.map(|bytes| ("max_log_bytes", bytes.to_string())));
    configs.push(("max_segment_size", config.segment_bytes.to_string()));
    configs.extend(config.retention_ms.map(|ms| ("retention", (ms / MS_PER_SECOND).to_string())));
    configs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// A config as Kafka knows it.
fn to_kafka(entry: &ConfigEntry) -> Answer<ConfigOp> {
    let positive = |unit: i64| {
        // The original broker takes decimals too, and rounds down.
        let number =
            entry.value.as_str().parse::<f64>().ok().filter(|number| *number > 0.0 && *number < 1e15);
        let Some(number) = number else {
            let message = format!("{}={}: expected a positive number", entry.key, entry.value);
            return refuse(ErrorCode::INVALID_CONFIG, message);
        };
        Ok((number as i64).saturating_mul(unit).to_string())
    };
    let (name, value) = match entry.key.as_str() {
        "max_segment_size" => ("segment.bytes", positive(1)?),
        "retention" => ("retention.ms", positive(MS_PER_SECOND)?),
        "max_log_bytes" => ("retention.bytes", positive(1)?),
        "cleanup_policy" => ("cleanup.policy", entry.value.as_str().to_owned()),
        "cleaner_interval" => {
            let message = "cleaner_interval is the whole broker's here: log.retention.check.interval.ms";
            return refuse(ErrorCode::INVALID_CONFIG, message);
        }
        kafkas => (kafkas, entry.value.as_str().to_owned()),
    };
    Ok(ConfigOp { name: name.to_owned(), kind: OpKind::Set, value: Some(value) })
}

/// Topics with such names are the broker's.
const RESERVED_PREFIX: &str = "__";
/// Partitions of a topic.
const PARTITIONS_MAX: u32 = 1024;
/// Topics in all, above which this door creates none.
const TOPICS_MAX: usize = 1024;
/// The original broker counts retention in seconds.
const MS_PER_SECOND: i64 = 1000;

#[cfg(test)]
mod tests {
    use super::*;

    fn kafkas(key: &str, value: &str) -> Answer<(String, String)> {
        let entry = ConfigEntry { key: key.into(), value: value.into() };
        to_kafka(&entry).map(|op| (op.name, op.value.unwrap_or_default()))
    }

    #[test]
    fn configs_of_the_original_broker_become_kafkas() {
        let check = |key, value, name: &str, kafka: &str| {
            assert_eq!(kafkas(key, value), Ok((name.to_owned(), kafka.to_owned())), "{key}");
        };
        check("max_segment_size", "1048576", "segment.bytes", "1048576");
        check("retention", "60.9", "retention.ms", "60000");
        check("max_log_bytes", "10", "retention.bytes", "10");
        check("cleanup_policy", "compact", "cleanup.policy", "compact");
        check("retention.ms", "7", "retention.ms", "7");
        for (key, value) in
            [("retention", "0"), ("retention", "x"), ("max_log_bytes", "-1"), ("cleaner_interval", "5")]
        {
            assert_eq!(kafkas(key, value).unwrap_err().code, ErrorCode::INVALID_CONFIG, "{key}={value}");
        }
    }
}

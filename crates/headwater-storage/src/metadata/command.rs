//! What can be asked of the writer, and which records it takes.

use std::cmp::max;

use headwater_codec::{
    ProducerId,
    records::{MetadataLogRecord, ProducerIdsRecord, RemoveTopicRecord, TopicRecord},
};
use tokio::sync::oneshot;
use uuid::Uuid;

use super::{
    error::MetadataError,
    image::{MetadataImage, TOPIC_RESOURCE, resource_key},
    kafka_uuid::IdSource,
    to_records::{VersionedRecord, client_quota, config, partition, scram_credential},
    topic::PartitionImage,
};
use crate::{ConfigResource, Fence, NewTopic, QuotaChange, ScramChange};

/// Where an answer goes.
pub(crate) type Answer<T> = oneshot::Sender<Result<T, MetadataError>>;

/// One call, waiting for the writer.
#[derive(Debug)]
pub(crate) struct Command {
    pub(crate) fence: Fence,
    pub(crate) kind: CommandKind,
}

/// What is asked, and where the answer goes.
#[derive(Debug)]
pub(crate) enum CommandKind {
    CreateTopic { topic: NewTopic, answer: Answer<Uuid> },
    DeleteTopic { topic_id: Uuid, answer: Answer<()> },
    CreatePartitions { topic_id: Uuid, partition_count: i32, answer: Answer<()> },
    AlterConfigs { resource: ConfigResource, changes: Vec<(String, Option<String>)>, answer: Answer<()> },
    AlterScramCredentials { changes: Vec<ScramChange>, answer: Answer<()> },
    AlterClientQuotas { changes: Vec<QuotaChange>, answer: Answer<()> },
    AllocateProducerIds { count: i32, answer: Answer<ProducerId> },
    Close { answer: Answer<()> },
}

/// The producer ids that were taken from the metadata and not given out yet: `next..end`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ProducerIdBlock {
    pub(crate) next: i64,
    pub(crate) end: i64,
}

/// Creates a topic: its record, its configs, its partitions, in Kafka's order.
pub(crate) fn create_topic(
    image: &MetadataImage,
    topic: &NewTopic,
    ids: &mut impl IdSource,
) -> Result<(Uuid, Vec<VersionedRecord>), MetadataError> {
    if image.topic(topic.name.as_str()).is_some() {
        return Err(MetadataError::TopicExists { name: topic.name.clone() });
    }
    let requested = topic.partition_count;
    if !(1..=PARTITIONS_PER_CALL_MAX).contains(&requested) {
        return Err(MetadataError::InvalidPartitionCount { name: topic.name.clone(), current: 0, requested });
    }
    let mut topic_id = ids.new_id();
    while image.topic_by_id(topic_id).is_some() {
        topic_id = ids.new_id();
    }
    let record = TopicRecord { name: topic.name.clone(), topic_id, ..TopicRecord::default() };
    let mut records = vec![(MetadataLogRecord::Topic(record), 0)];
    let configs = topic.configs.iter();
    records.extend(
        configs.map(|(key, value)| (config(TOPIC_RESOURCE, topic.name.as_str(), key, Some(value)), 0)),
    );
    records.extend(new_partitions(image, topic_id, 0, requested));
    Ok((topic_id, records))
}

/// Deletes a topic.
pub(crate) fn delete_topic(
    image: &MetadataImage,
    topic_id: Uuid,
) -> Result<Vec<VersionedRecord>, MetadataError> {
    if image.topic_by_id(topic_id).is_none() {
        return Err(MetadataError::UnknownTopic { topic_id });
    }
    let record = RemoveTopicRecord { topic_id, ..RemoveTopicRecord::default() };
    Ok(vec![(MetadataLogRecord::RemoveTopic(record), 0)])
}

/// Grows a topic.
pub(crate) fn create_partitions(
    image: &MetadataImage,
    topic_id: Uuid,
    requested: i32,
) -> Result<Vec<VersionedRecord>, MetadataError> {
    let topic = image.topic_by_id(topic_id).ok_or(MetadataError::UnknownTopic { topic_id })?;
    let current = topic.partition_count();
    if requested <= current || requested - current > PARTITIONS_PER_CALL_MAX {
        return Err(MetadataError::InvalidPartitionCount { name: topic.name.clone(), current, requested });
    }
    Ok(new_partitions(image, topic_id, current, requested).collect())
}

/// Sets and removes configs of one resource.
pub(crate) fn alter_configs(
    image: &MetadataImage,
    resource: &ConfigResource,
    changes: &[(String, Option<String>)],
) -> Result<Vec<VersionedRecord>, MetadataError> {
    if let ConfigResource::Topic(name) = resource
        && image.topic(name.as_str()).is_none()
    {
        return Err(MetadataError::UnknownTopicName { name: name.clone() });
    }
    let (kind, resource_name) = resource_key(resource);
    let known = image.configs(resource);
    // What is there already needs no record; a later change of the same name still sees the earlier one.
    let is_new = |(name, value): &&(String, Option<String>)| {
        changes.iter().filter(|(other, _)| other == name).count() > 1
            || known.and_then(|configs| configs.get(name)) != value.as_ref()
    };
    let records = changes.iter().filter(is_new);
    Ok(records.map(|(name, value)| (config(kind, &resource_name, name, value.as_deref()), 0)).collect())
}

/// Sets and removes SCRAM credentials; what is not there needs no record to be removed.
pub(crate) fn alter_scram_credentials(
    image: &MetadataImage,
    changes: Vec<ScramChange>,
) -> Vec<VersionedRecord> {
    let is_new = |change: &ScramChange| match change {
        ScramChange::Put(_) => true,
        ScramChange::Remove { user, mechanism } => image.scram_credential(user, *mechanism).is_some(),
    };
    changes.into_iter().filter(is_new).map(|change| (scram_credential(change), 0)).collect()
}

/// Sets and removes client quotas; what is there already needs no record.
pub(crate) fn alter_client_quotas(image: &MetadataImage, changes: &[QuotaChange]) -> Vec<VersionedRecord> {
    let is_new = |change: &&QuotaChange| image.client_quota(&change.entity, &change.quota) != change.value;
    changes.iter().filter(is_new).map(|change| (client_quota(change), 0)).collect()
}

/// Takes `count` producer ids out of the block; a new block, with its record, when it has not that many left.
///
/// # Errors
/// [`MetadataError::InvalidProducerIdCount`].
pub(crate) fn allocate_producer_ids(
    image: &MetadataImage,
    block: &mut ProducerIdBlock,
    count: i32,
) -> Result<(ProducerId, Vec<VersionedRecord>), MetadataError> {
    let invalid = MetadataError::InvalidProducerIdCount { count };
    if count < 1 {
        return Err(invalid);
    }
    let mut records = Vec::new();
    if block.end - block.next < i64::from(count) {
        let first = max(image.next_producer_id, 0);
        let Some(end) = first.checked_add(max(i64::from(count), PRODUCER_IDS_PER_BLOCK)) else {
            return Err(invalid);
        };
        *block = ProducerIdBlock { next: first, end };
        let record = ProducerIdsRecord {
            broker_id: image.node,
            broker_epoch: image.broker_epoch(),
            next_producer_id: end,
            ..ProducerIdsRecord::default()
        };
        records.push((MetadataLogRecord::ProducerIds(record), 0));
    }
    let first = ProducerId::new(block.next);
    block.next += i64::from(count);
    Ok((first, records))
}

fn new_partitions(
    image: &MetadataImage,
    topic_id: Uuid,
    from: i32,
    to: i32,
) -> impl Iterator<Item = VersionedRecord> {
    let level = image.metadata_version();
    let new = PartitionImage::new(image.node, image.leader_epoch_floor, image.default_directory());
    (from..to).map(move |index| partition(new.to_record(topic_id, index, image.node), level))
}

/// How many partitions one call may add, as in Kafka.
const PARTITIONS_PER_CALL_MAX: i32 = 10_000;
/// How many producer ids are taken at a time, as in Kafka.
const PRODUCER_IDS_PER_BLOCK: i64 = 1000;

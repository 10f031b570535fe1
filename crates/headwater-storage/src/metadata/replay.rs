//! How each metadata record changes the image.

use std::{mem, sync::Arc};

use headwater_codec::{
    TopicName,
    records::{
        BrokerRegistrationChangeRecord, ClientQuotaRecord, ConfigRecord, MetadataLogRecord,
        PartitionChangeRecord, PartitionRecord, RegisterBrokerRecord, TopicRecord,
    },
};
use uuid::Uuid;

use super::{
    error::CorruptMetadata,
    image::{MetadataImage, QuotaKey, TOPIC_RESOURCE},
    topic::{PartitionImage, Topic},
};
use crate::QuotaEntity;

/// Applies records to an image; those between the begin and the end of a transaction take effect together (KIP-868).
#[derive(Debug, Default)]
pub(crate) struct Replay {
    pub(crate) image: MetadataImage,
    transaction: Option<Vec<MetadataLogRecord>>,
}

impl Replay {
    /// Starts with an image.
    pub(crate) fn new(image: MetadataImage) -> Self {
        Self { image, transaction: None }
    }

    /// Whether a transaction was begun and neither ended nor aborted yet.
    pub(crate) fn in_transaction(&self) -> bool {
        self.transaction.is_some()
    }

    /// Applies one record, or keeps it until its transaction ends.
    pub(crate) fn record(&mut self, record: MetadataLogRecord) -> Result<(), CorruptMetadata> {
        match record {
            MetadataLogRecord::BeginTransaction(_) => self.transaction = Some(Vec::new()),
            MetadataLogRecord::AbortTransaction(_) => self.transaction = None,
            MetadataLogRecord::EndTransaction(_) => {
                for record in mem::take(&mut self.transaction).unwrap_or_default() {
                    self.image.apply(record)?;
                }
            }
            record => match &mut self.transaction {
                Some(records) => records.push(record),
                None => self.image.apply(record)?,
            },
        }
        Ok(())
    }
}

impl MetadataImage {
    /// Applies one record.
    pub(crate) fn apply(&mut self, record: MetadataLogRecord) -> Result<(), CorruptMetadata> {
        match record {
            MetadataLogRecord::Topic(record) => self.add_topic(record),
            MetadataLogRecord::Partition(record) => self.put_partition(record)?,
            MetadataLogRecord::PartitionChange(record) => self.change_partition(&record)?,
            MetadataLogRecord::RemoveTopic(record) => self.remove_topic(record.topic_id),
            MetadataLogRecord::Config(record) => self.set_config(record),
            MetadataLogRecord::FeatureLevel(record) => {
                let features = Arc::make_mut(&mut self.features);
                match record.feature_level {
                    0 => features.remove(record.name.as_ref()),
                    level => features.insert(record.name.to_string(), level),
                };
            }
            MetadataLogRecord::ProducerIds(record) => self.next_producer_id = record.next_producer_id,
            MetadataLogRecord::RegisterBroker(record) => self.register_broker(record),
            MetadataLogRecord::UnregisterBroker(record) => {
                Arc::make_mut(&mut self.brokers).remove(&record.broker_id.get());
            }
            MetadataLogRecord::FenceBroker(record) => self.fence_broker(record.id.get(), true),
            MetadataLogRecord::UnfenceBroker(record) => self.fence_broker(record.id.get(), false),
            MetadataLogRecord::BrokerRegistrationChange(record) => self.change_broker(record),
            MetadataLogRecord::ClearElr(record) => self.clear_eligible_leaders(&record.topic_name),
            record => self.keep(record),
        }
        Ok(())
    }

    /// Keeps what is not used here but must not be lost.
    fn keep(&mut self, record: MetadataLogRecord) {
        let kept = Arc::make_mut(&mut self.kept);
        match record {
            MetadataLogRecord::RegisterController(record) => {
                kept.controllers.insert(record.controller_id, record);
            }
            MetadataLogRecord::AccessControlEntry(record) => {
                kept.acls.insert(record.id, record);
            }
            MetadataLogRecord::RemoveAccessControlEntry(record) => {
                kept.acls.remove(&record.id);
            }
            MetadataLogRecord::UserScramCredential(record) => {
                kept.scram.insert((record.name.to_string(), record.mechanism), record);
            }
            MetadataLogRecord::RemoveUserScramCredential(record) => {
                kept.scram.remove(&(record.name.to_string(), record.mechanism));
            }
            MetadataLogRecord::ClientQuota(record) => {
                let key = quota_key(&record);
                if record.remove {
                    kept.quotas.remove(&key);
                } else {
                    kept.quotas.insert(key, record);
                }
            }
            MetadataLogRecord::DelegationToken(record) => {
                kept.delegation_tokens.insert(record.token_id.to_string(), record);
            }
            MetadataLogRecord::RemoveDelegationToken(record) => {
                kept.delegation_tokens.remove(record.token_id.as_ref());
            }
            // Nothing lasts of the others: no-ops, and the state of a migration from ZooKeeper, which is over in 4.0.
            _ => {}
        }
    }

    fn add_topic(&mut self, record: TopicRecord) {
        let name = record.name.as_str();
        // Configs that came before their topic wait under its name.
        let waiting = (TOPIC_RESOURCE, name.to_owned());
        let configs = match self.configs.contains_key(&waiting) {
            true => Arc::make_mut(&mut self.configs).remove(&waiting).unwrap_or_default(),
            false => Arc::default(),
        };
        let topic = Topic { id: record.topic_id, name: record.name.clone(), partitions: Vec::new(), configs };
        Arc::make_mut(&mut self.topic_ids).insert(record.name, record.topic_id);
        Arc::make_mut(&mut self.topics).insert(record.topic_id, Arc::new(topic));
    }

    fn remove_topic(&mut self, id: Uuid) {
        if let Some(topic) = Arc::make_mut(&mut self.topics).remove(&id) {
            Arc::make_mut(&mut self.topic_ids).remove(topic.name.as_str());
            // A topic of the same name starts above, so that clients never see an epoch go down.
            let epochs =
                topic.partitions.iter().map(|partition| partition.leader_epoch.get().saturating_add(1));
            self.leader_epoch_floor = epochs.max().unwrap_or(0).max(self.leader_epoch_floor);
        }
    }

    /// Forgets, in one topic or in all when the name is empty, which replicas out of sync may lead.
    fn clear_eligible_leaders(&mut self, name: &TopicName) {
        let one = self.topic_ids.get(name).copied();
        let all = name.as_str().is_empty();
        let node = self.node;
        for (id, topic) in Arc::make_mut(&mut self.topics) {
            if all || Some(*id) == one {
                let partitions = &mut Arc::make_mut(topic).partitions;
                partitions.iter_mut().for_each(|partition| partition.clear_eligible_leaders(node));
            }
        }
    }

    fn put_partition(&mut self, record: PartitionRecord) -> Result<(), CorruptMetadata> {
        let (id, index, node) = (record.topic_id, record.partition_id, self.node);
        let topic = self.topic_mut(id).ok_or(CorruptMetadata::UnknownTopic(id))?;
        let place = usize::try_from(index).map_err(|_| CorruptMetadata::UnknownPartition(id, index))?;
        let partition = PartitionImage::from_record(record, node);
        let count = topic.partitions.len();
        match topic.partitions.get_mut(place) {
            Some(known) => *known = partition,
            None if place == count => topic.partitions.push(partition),
            None => return Err(CorruptMetadata::UnknownPartition(id, index)),
        }
        Ok(())
    }

    fn change_partition(&mut self, record: &PartitionChangeRecord) -> Result<(), CorruptMetadata> {
        let (id, index, node) = (record.topic_id, record.partition_id, self.node);
        let topic = self.topic_mut(id).ok_or(CorruptMetadata::UnknownTopic(id))?;
        let partition = usize::try_from(index)
            .ok()
            .and_then(|place| topic.partitions.get_mut(place))
            .ok_or(CorruptMetadata::UnknownPartition(id, index))?;
        *partition = partition.change(record, node);
        Ok(())
    }

    fn topic_mut(&mut self, id: Uuid) -> Option<&mut Topic> {
        Arc::make_mut(&mut self.topics).get_mut(&id).map(Arc::make_mut)
    }

    fn set_config(&mut self, record: ConfigRecord) {
        let topic = match record.resource_type {
            TOPIC_RESOURCE => self.topic_ids.get(record.resource_name.as_ref()).copied(),
            _ => None,
        };
        if let Some(topic) = topic.and_then(|id| self.topic_mut(id)) {
            let configs = Arc::make_mut(&mut topic.configs);
            match record.value {
                Some(value) => configs.insert(record.name.to_string(), value.to_string()),
                None => configs.remove(record.name.as_ref()),
            };
            return;
        }
        let all = Arc::make_mut(&mut self.configs);
        let resource = (record.resource_type, record.resource_name.to_string());
        match record.value {
            Some(value) => {
                let configs = Arc::make_mut(all.entry(resource).or_default());
                configs.insert(record.name.to_string(), value.to_string());
            }
            None => {
                if let Some(configs) = all.get_mut(&resource) {
                    Arc::make_mut(configs).remove(record.name.as_ref());
                    if configs.is_empty() {
                        all.remove(&resource);
                    }
                }
            }
        }
    }

    fn register_broker(&mut self, record: RegisterBrokerRecord) {
        Arc::make_mut(&mut self.brokers).insert(record.broker_id.get(), record);
    }

    fn fence_broker(&mut self, id: i32, fenced: bool) {
        if let Some(broker) = Arc::make_mut(&mut self.brokers).get_mut(&id) {
            broker.fenced = fenced;
        }
    }

    fn change_broker(&mut self, record: BrokerRegistrationChangeRecord) {
        let Some(broker) = Arc::make_mut(&mut self.brokers).get_mut(&record.broker_id.get()) else { return };
        match record.fenced {
            FENCE => broker.fenced = true,
            UNFENCE => broker.fenced = false,
            _ => {}
        }
        if record.in_controlled_shutdown == IN_CONTROLLED_SHUTDOWN {
            broker.in_controlled_shutdown = true;
        }
        if !record.log_dirs.is_empty() {
            broker.log_dirs = record.log_dirs;
        }
        if record.cordoned_log_dirs.is_some() {
            broker.cordoned_log_dirs = record.cordoned_log_dirs;
        }
    }
}

fn quota_key(record: &ClientQuotaRecord) -> QuotaKey {
    let parts = record
        .entity
        .iter()
        .map(|part| (part.entity_type.to_string(), part.entity_name.as_ref().map(ToString::to_string)));
    QuotaKey { entity: QuotaEntity::new(parts), quota: record.key.to_string() }
}

/// A registration change that fences the broker.
pub(crate) const FENCE: i8 = 1;
/// A registration change that unfences the broker.
pub(crate) const UNFENCE: i8 = -1;
/// A registration change that says that the broker is about to stop.
pub(crate) const IN_CONTROLLED_SHUTDOWN: i8 = 1;

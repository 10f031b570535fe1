//! An image as the records that make it, in the order in which Kafka writes them to a snapshot.

use headwater_codec::records::{
    ClientQuotaRecord, ConfigRecord, FeatureLevelRecord, MetadataLogRecord, PartitionRecord,
    ProducerIdsRecord, RegisterBrokerRecord, RemoveUserScramCredentialRecord, TopicRecord,
    UserScramCredentialRecord, client_quota_record,
};

use super::{
    features::{METADATA_VERSION, MetadataVersion},
    image::{Configs, MetadataImage, TOPIC_RESOURCE},
};
use crate::{QuotaChange, ScramChange};

/// A record and the version in which it is written.
pub(crate) type VersionedRecord = (MetadataLogRecord, i16);

impl MetadataImage {
    /// Gives every record of the image to `each`.
    pub(crate) fn for_each_record<E>(
        &self,
        mut each: impl FnMut(VersionedRecord) -> Result<(), E>,
    ) -> Result<(), E> {
        let level = self.metadata_version();
        // The level comes first: it says how to read the rest.
        let first = self.features.get_key_value(METADATA_VERSION);
        let others = self.features.iter().filter(|(name, _)| *name != METADATA_VERSION);
        for (name, feature_level) in first.into_iter().chain(others) {
            each((feature(name, *feature_level), 0))?;
        }
        for broker in self.brokers.values() {
            each(register_broker(broker.clone(), level))?;
        }
        if level.has_controller_registration() {
            for controller in self.kept.controllers.values() {
                each((MetadataLogRecord::RegisterController(controller.clone()), 0))?;
            }
        }
        for topic in self.topics() {
            let record =
                TopicRecord { name: topic.name.clone(), topic_id: topic.id, ..TopicRecord::default() };
            each((MetadataLogRecord::Topic(record), 0))?;
            for (index, image) in (0..).zip(&topic.partitions) {
                each(partition(image.to_record(topic.id, index, self.node), level))?;
            }
        }
        for topic in self.topics() {
            for record in configs(TOPIC_RESOURCE, topic.name.as_str(), &topic.configs) {
                each((record, 0))?;
            }
        }
        for ((kind, name), resource) in self.configs.iter() {
            for record in configs(*kind, name, resource) {
                each((record, 0))?;
            }
        }
        for quota in self.kept.quotas.values() {
            each((MetadataLogRecord::ClientQuota(quota.clone()), 0))?;
        }
        if self.next_producer_id > 0 {
            let next = ProducerIdsRecord {
                broker_id: headwater_codec::BrokerId::NONE,
                broker_epoch: -1,
                next_producer_id: self.next_producer_id,
                ..ProducerIdsRecord::default()
            };
            each((MetadataLogRecord::ProducerIds(next), 0))?;
        }
        for acl in self.kept.acls.values() {
            each((MetadataLogRecord::AccessControlEntry(acl.clone()), 0))?;
        }
        for credential in self.kept.scram.values() {
            each((MetadataLogRecord::UserScramCredential(credential.clone()), 0))?;
        }
        for token in self.kept.delegation_tokens.values() {
            each((MetadataLogRecord::DelegationToken(token.clone()), 0))?;
        }
        Ok(())
    }
}

/// Sets a feature's level.
pub(crate) fn feature(name: &str, feature_level: i16) -> MetadataLogRecord {
    let record = FeatureLevelRecord { name: name.into(), feature_level, ..FeatureLevelRecord::default() };
    MetadataLogRecord::FeatureLevel(record)
}

/// A registration, without what its level does not have.
pub(crate) fn register_broker(mut record: RegisterBrokerRecord, level: MetadataVersion) -> VersionedRecord {
    let version = level.register_broker();
    if version < 4 {
        record.cordoned_log_dirs = None;
    }
    if version < 3 {
        record.log_dirs.clear();
    }
    if version < 2 {
        record.is_migrating_zk_broker = false;
    }
    (MetadataLogRecord::RegisterBroker(record), version)
}

/// A partition, without what its level does not have.
pub(crate) fn partition(mut record: PartitionRecord, level: MetadataVersion) -> VersionedRecord {
    let version = level.partition();
    if version < 2 {
        record.eligible_leader_replicas = None;
        record.last_known_elr = None;
    }
    if version < 1 {
        record.directories.clear();
    }
    (MetadataLogRecord::Partition(record), version)
}

fn configs(kind: i8, name: &str, configs: &Configs) -> impl Iterator<Item = MetadataLogRecord> {
    configs.iter().map(move |(key, value)| config(kind, name, key, Some(value)))
}

/// Sets or removes one config.
pub(crate) fn config(kind: i8, resource: &str, name: &str, value: Option<&str>) -> MetadataLogRecord {
    MetadataLogRecord::Config(ConfigRecord {
        resource_type: kind,
        resource_name: resource.into(),
        name: name.into(),
        value: value.map(Into::into),
        ..ConfigRecord::default()
    })
}

/// Sets or removes one user's credential of one mechanism.
pub(crate) fn scram_credential(change: ScramChange) -> MetadataLogRecord {
    match change {
        ScramChange::Put(credential) => MetadataLogRecord::UserScramCredential(UserScramCredentialRecord {
            name: credential.user.into(),
            mechanism: credential.mechanism,
            salt: credential.salt,
            stored_key: credential.stored_key,
            server_key: credential.server_key,
            iterations: credential.iterations,
            ..UserScramCredentialRecord::default()
        }),
        ScramChange::Remove { user, mechanism } => {
            MetadataLogRecord::RemoveUserScramCredential(RemoveUserScramCredentialRecord {
                name: user.into(),
                mechanism,
                ..RemoveUserScramCredentialRecord::default()
            })
        }
    }
}

/// Sets or removes one quota.
pub(crate) fn client_quota(change: &QuotaChange) -> MetadataLogRecord {
    let part = |(entity_type, name): &(String, Option<String>)| client_quota_record::EntityData {
        entity_type: entity_type.as_str().into(),
        entity_name: name.as_deref().map(Into::into),
        ..client_quota_record::EntityData::default()
    };
    MetadataLogRecord::ClientQuota(ClientQuotaRecord {
        entity: change.entity.parts().iter().map(part).collect(),
        key: change.quota.as_str().into(),
        value: change.value.unwrap_or_default(),
        remove: change.value.is_none(),
        ..ClientQuotaRecord::default()
    })
}

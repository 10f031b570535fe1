//! All broker metadata at one moment.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use headwater_codec::{
    BrokerId, Offset, TopicName,
    records::{
        AccessControlEntryRecord, ClientQuotaRecord, DelegationTokenRecord, RegisterBrokerRecord,
        RegisterControllerRecord, UserScramCredentialRecord,
    },
};
use uuid::Uuid;

use super::{
    features::{METADATA_VERSION, MetadataVersion},
    topic::{Topic, UNASSIGNED_DIRECTORY},
};
use crate::{ConfigResource, QuotaEntity, StoredScramCredential};

/// Configs of one resource, by Kafka's names.
pub(crate) type Configs = Arc<BTreeMap<String, String>>;

/// All broker metadata at one moment; immutable once published.
///
/// Topics and the maps are shared, so a clone is cheap and a change copies only what it touches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MetadataImage {
    pub(crate) cluster_id: Arc<str>,
    pub(crate) node: BrokerId,
    pub(crate) directories: Arc<Vec<Uuid>>,
    pub(crate) end_offset: Offset,
    pub(crate) kraft_epoch: i32,
    pub(crate) topics: Arc<HashMap<Uuid, Arc<Topic>>>,
    pub(crate) topic_ids: Arc<BTreeMap<TopicName, Uuid>>,
    /// Topics that are out of service because another one has their name. Their records stay.
    pub(crate) hidden: Arc<HashSet<Uuid>>,
    /// Configs of everything but existing topics, by Kafka's resource type and name.
    pub(crate) configs: Arc<BTreeMap<(i8, String), Configs>>,
    pub(crate) features: Arc<BTreeMap<String, i16>>,
    pub(crate) next_producer_id: i64,
    /// No topic that was ever deleted had a leader epoch at or above this one.
    pub(crate) leader_epoch_floor: i32,
    pub(crate) brokers: Arc<BTreeMap<i32, RegisterBrokerRecord>>,
    pub(crate) kept: Arc<KeptRecords>,
}

/// A quota's entity, and the quota's name.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) struct QuotaKey {
    pub(crate) entity: QuotaEntity,
    pub(crate) quota: String,
}

/// What is kept as it came, for a Kafka that opens the directory next and for whoever asks: nothing of it is judged here.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct KeptRecords {
    pub(crate) controllers: BTreeMap<i32, RegisterControllerRecord>,
    pub(crate) acls: BTreeMap<Uuid, AccessControlEntryRecord>,
    pub(crate) scram: BTreeMap<(String, i8), UserScramCredentialRecord>,
    pub(crate) quotas: BTreeMap<QuotaKey, ClientQuotaRecord>,
    pub(crate) delegation_tokens: BTreeMap<String, DelegationTokenRecord>,
}

impl MetadataImage {
    /// The cluster's id, 22 characters of base64url when it was made here.
    pub fn cluster_id(&self) -> &str {
        &self.cluster_id
    }

    /// This node's id.
    pub fn node_id(&self) -> BrokerId {
        self.node
    }

    /// The ids of this node's log directories, in the order of `log.dirs`.
    pub fn directories(&self) -> &[Uuid] {
        &self.directories
    }

    /// The epoch of this node's registration; -1 before the first.
    pub fn broker_epoch(&self) -> i64 {
        self.brokers.get(&self.node.get()).map_or(-1, |registration| registration.broker_epoch)
    }

    /// The epoch of the metadata log, raised at each start.
    pub fn kraft_epoch(&self) -> i32 {
        self.kraft_epoch
    }

    /// The offset in the metadata log after the last record that this image holds.
    pub fn end_offset(&self) -> Offset {
        self.end_offset
    }

    /// This image with topics that another store keeps. Of two with the same name or id the one that is here already stays.
    #[must_use]
    pub fn with_topics(&self, others: impl IntoIterator<Item = Arc<Topic>>) -> Self {
        let mut image = self.clone();
        let (topics, topic_ids) = (Arc::make_mut(&mut image.topics), Arc::make_mut(&mut image.topic_ids));
        for topic in others {
            if !topics.contains_key(&topic.id) && !topic_ids.contains_key(&topic.name) {
                topic_ids.insert(topic.name.clone(), topic.id);
                topics.insert(topic.id, topic);
            }
        }
        image
    }

    /// Every topic, in the order of their names.
    pub fn topics(&self) -> impl Iterator<Item = &Arc<Topic>> {
        self.topic_ids.values().filter_map(|id| self.topics.get(id))
    }

    /// How many topics there are.
    pub fn topic_count(&self) -> usize {
        self.topics.len()
    }

    /// The topic with that name.
    pub fn topic(&self, name: &str) -> Option<&Arc<Topic>> {
        self.topic_by_id(*self.topic_ids.get(name)?)
    }

    /// The topic with that id.
    pub fn topic_by_id(&self, id: Uuid) -> Option<&Arc<Topic>> {
        self.topics.get(&id)
    }

    /// Whether a topic is there, if only out of service because another one has its name: its records are to stay.
    pub fn keeps(&self, id: Uuid) -> bool {
        self.topics.contains_key(&id) || self.hidden.contains(&id)
    }

    /// How many partitions there are in all.
    pub fn partition_count(&self) -> usize {
        self.topics.values().map(|topic| topic.partitions.len()).sum()
    }

    /// The configs set for a resource; `None` when none are set.
    pub fn configs(&self, resource: &ConfigResource) -> Option<&Arc<BTreeMap<String, String>>> {
        if let ConfigResource::Topic(name) = resource {
            return self.topic(name.as_str()).map(|topic| &topic.configs);
        }
        self.configs.get(&resource_key(resource))
    }

    /// Every resource of a kind with its configs, topics left out, by name: groups, client metrics, brokers.
    pub fn configured_resources(
        &self,
    ) -> impl Iterator<Item = (ConfigResource, &Arc<BTreeMap<String, String>>)> {
        self.configs.iter().filter_map(|((kind, name), configs)| Some((resource(*kind, name)?, configs)))
    }

    /// A user's SCRAM credential of one mechanism (1 SCRAM-SHA-256, 2 SCRAM-SHA-512).
    pub fn scram_credential(&self, user: &str, mechanism: i8) -> Option<StoredScramCredential> {
        self.kept.scram.get(&(user.to_owned(), mechanism)).map(credential)
    }

    /// Every SCRAM credential, in the order of users and mechanisms.
    pub fn scram_credentials(&self) -> impl Iterator<Item = StoredScramCredential> {
        self.kept.scram.values().map(credential)
    }

    /// One quota of one entity.
    pub fn client_quota(&self, entity: &QuotaEntity, quota: &str) -> Option<f64> {
        let key = QuotaKey { entity: entity.clone(), quota: quota.to_owned() };
        self.kept.quotas.get(&key).map(|record| record.value)
    }

    /// Every quota, in the order of entities and names: whom it holds for, which, how much.
    pub fn client_quotas(&self) -> impl Iterator<Item = (&QuotaEntity, &str, f64)> {
        self.kept.quotas.iter().map(|(key, record)| (&key.entity, key.quota.as_str(), record.value))
    }

    /// The finalized level of a feature; 0 when it was never set.
    pub fn feature(&self, name: &str) -> i16 {
        self.features.get(name).copied().unwrap_or(0)
    }

    /// Every finalized feature with its level, in the order of their names.
    pub fn features(&self) -> impl ExactSizeIterator<Item = (&str, i16)> {
        self.features.iter().map(|(name, level)| (name.as_str(), *level))
    }

    /// The first producer id that is in no block given so far.
    pub fn next_producer_id(&self) -> i64 {
        self.next_producer_id
    }

    pub(crate) fn metadata_version(&self) -> MetadataVersion {
        MetadataVersion(self.feature(METADATA_VERSION))
    }

    /// The directory that new partitions are assigned to: the only one, or none yet when there are several.
    pub(crate) fn default_directory(&self) -> Uuid {
        match self.directories.as_slice() {
            [only] => *only,
            _ => UNASSIGNED_DIRECTORY,
        }
    }
}

fn credential(record: &UserScramCredentialRecord) -> StoredScramCredential {
    StoredScramCredential {
        user: record.name.to_string(),
        mechanism: record.mechanism,
        salt: record.salt.clone(),
        stored_key: record.stored_key.clone(),
        server_key: record.server_key.clone(),
        iterations: record.iterations,
    }
}

/// Kafka's type and name of a resource that has configs.
pub(crate) fn resource_key(resource: &ConfigResource) -> (i8, String) {
    match resource {
        ConfigResource::Topic(name) => (TOPIC_RESOURCE, name.as_str().into()),
        ConfigResource::Broker(node) => {
            (BROKER_RESOURCE, node.map_or_else(String::new, |node| node.to_string()))
        }
        ConfigResource::ClientMetrics(name) => (CLIENT_METRICS_RESOURCE, name.clone()),
        ConfigResource::Group(id) => (GROUP_RESOURCE, id.clone()),
    }
}

fn resource(kind: i8, name: &str) -> Option<ConfigResource> {
    match kind {
        TOPIC_RESOURCE => Some(ConfigResource::Topic(name.into())),
        BROKER_RESOURCE if name.is_empty() => Some(ConfigResource::Broker(None)),
        BROKER_RESOURCE => Some(ConfigResource::Broker(Some(name.parse().ok()?))),
        CLIENT_METRICS_RESOURCE => Some(ConfigResource::ClientMetrics(name.into())),
        GROUP_RESOURCE => Some(ConfigResource::Group(name.into())),
        _ => None,
    }
}

/// Kafka's type of a topic's configs.
pub(crate) const TOPIC_RESOURCE: i8 = 2;
/// Kafka's type of a broker's configs.
const BROKER_RESOURCE: i8 = 4;
/// Kafka's type of a client metrics subscription's configs.
const CLIENT_METRICS_RESOURCE: i8 = 16;
/// Kafka's type of a group's configs.
const GROUP_RESOURCE: i8 = 32;

//! CreateTopics (key 19, versions 2-7). Creates topics, each judged alone (KIP-4, KIP-464, KIP-525).
//!
//! - The same name twice: INVALID_REQUEST (42) for that name, which is answered once and not created.
//! - More than 10,000 partitions in one request: POLICY_VIOLATION (44) for every topic.
//! - Order of checks: authorization (29), the name and its collision with existing ones (17), existence (36), configs
//!   (40), then counts or assignments.
//! - Partitions: -1 is `num.partitions`, other numbers below 1 are INVALID_PARTITIONS (37).
//! - Replication factor: -1 or 1; anything else is INVALID_REPLICATION_FACTOR (38), because there is one node.
//! - With assignments both counts must be -1, else 42; indexes that are double or leave a gap, and replicas other than
//!   this node, are INVALID_REPLICA_ASSIGNMENT (39).
//! - Two names of one request that differ only in `.` and `_` are both created: only existing topics count.
//! - From version 5 on the answer tells real counts and all configs; from 7 on the topic's id.
//! - `validate_only` answers the same and creates nothing.

use std::collections::{BTreeMap, BTreeSet};

use headwater_codec::{
    BrokerId, ErrorCode, Str, TopicName, Uuid,
    messages::create_topics::{
        CreatableReplicaAssignment, CreatableTopic, CreatableTopicConfigs, CreatableTopicResult,
        CreateTopicsRequest, CreateTopicsResponse,
    },
};
use headwater_storage::NewTopic;

use super::{refusal::Refusal, replica_assignment};
use crate::{
    context::Context,
    security::{Operation, Resource},
    topic_config::{self, BrokerLayers, ConfigOp, OpKind, TopicNameRules, topic_entries},
};

pub(super) async fn handle(cx: &Context, request: CreateTopicsRequest) -> CreateTopicsResponse {
    let too_many = partitions_asked(cx, &request.topics) > PARTITIONS_MAX;
    let twice = names_given_twice(&request.topics);
    let existing: Vec<_> = cx.topics().all().iter().map(|topic| topic.name().clone()).collect();
    let mut answered = BTreeSet::new();
    let mut topics = Vec::with_capacity(request.topics.len());
    for topic in &request.topics {
        if !answered.insert(topic.name.clone()) {
            continue;
        }
        let result = if too_many {
            Err(Refusal::new(
                ErrorCode::PolicyViolation,
                Str::from_static("too many partitions in one request"),
            ))
        } else if twice.contains(&topic.name) {
            Err(Refusal::invalid_request(Str::from_static("the topic is in the request more than once")))
        } else {
            create(cx, topic, &existing, request.validate_only).await
        };
        topics.push(result.unwrap_or_else(|refusal| CreatableTopicResult {
            name: topic.name.clone(),
            error_code: refusal.code,
            error_message: Some(refusal.message),
            num_partitions: -1,
            replication_factor: -1,
            ..Default::default()
        }));
    }
    CreateTopicsResponse { topics, ..Default::default() }
}

/// Judges one topic and, unless it is only to be judged, creates it.
async fn create(
    cx: &Context,
    topic: &CreatableTopic,
    existing: &[TopicName],
    validate_only: bool,
) -> Result<CreatableTopicResult, Refusal> {
    cx.authorize(Operation::Create, Resource::Cluster)
        .or_else(|_| cx.authorize(Operation::Create, Resource::Topic(&topic.name)))
        .map_err(|_| ErrorCode::TopicAuthorizationFailed)?;
    TopicNameRules::check_new(topic.name.as_str(), existing.iter().map(TopicName::as_str))?;
    if topic.name.as_str() == CLUSTER_METADATA {
        return Err(ErrorCode::TopicAuthorizationFailed.into());
    }
    if cx.topics().by_name(topic.name.as_str()).is_some() {
        return Err(exists(&topic.name));
    }
    let configs = judged_configs(cx, topic)?;
    let partition_count = judged_partition_count(cx, topic)?;
    let topic_id = if validate_only {
        Uuid::nil()
    } else {
        let configs = configs.clone().into_iter().collect();
        let created =
            cx.topics().create(NewTopic { name: topic.name.clone(), partition_count, configs }).await;
        created.map_err(|error| match Refusal::from(error) {
            refusal if refusal.code == ErrorCode::TopicAlreadyExists => exists(&topic.name),
            refusal => refusal,
        })?
    };
    Ok(created(cx, topic.name.clone(), topic_id, partition_count, &configs))
}

/// The answer for a topic that was, or could be, created.
fn created(
    cx: &Context,
    name: TopicName,
    topic_id: Uuid,
    partition_count: i32,
    configs: &BTreeMap<String, String>,
) -> CreatableTopicResult {
    if let Err(code) = cx.authorize(Operation::DescribeConfigs, Resource::Topic(&name)) {
        return CreatableTopicResult {
            name,
            topic_id,
            error_message: None,
            topic_config_error_code: code,
            num_partitions: -1,
            replication_factor: -1,
            configs: None,
            ..Default::default()
        };
    }
    let image = cx.topics().image();
    let entries = topic_entries(&BrokerLayers::of(cx.config(), &image), configs);
    let configs = entries.into_iter().map(|entry| CreatableTopicConfigs {
        name: Str::from_static(entry.name),
        value: entry.value.map(Str::from),
        read_only: entry.is_read_only,
        config_source: entry.source.code(),
        is_sensitive: entry.is_sensitive,
        ..Default::default()
    });
    CreatableTopicResult {
        name,
        topic_id,
        error_message: None,
        num_partitions: partition_count,
        replication_factor: 1,
        configs: Some(configs.collect()),
        ..Default::default()
    }
}

/// The configs asked for, judged; of one that is there twice the last one counts.
fn judged_configs(cx: &Context, topic: &CreatableTopic) -> Result<BTreeMap<String, String>, Refusal> {
    let mut configs = BTreeMap::new();
    for config in &topic.configs {
        let Some(value) = &config.value else {
            let message = format!("config {}: null is no value", config.name);
            return Err(Refusal::new(ErrorCode::InvalidConfig, message));
        };
        configs.insert(config.name.as_str().to_owned(), value.as_str().to_owned());
    }
    let set = |(name, value): (&String, &String)| ConfigOp {
        name: name.clone(),
        kind: OpKind::Set,
        value: Some(value.clone()),
    };
    let ops: Vec<ConfigOp> = configs.iter().map(set).collect();
    let image = cx.topics().image();
    topic_config::alter(&BrokerLayers::of(cx.config(), &image), &BTreeMap::new(), &ops)?;
    topic_config::settle_format(cx.config(), &topic.name, &mut configs);
    Ok(configs)
}

/// How many partitions the topic gets.
fn judged_partition_count(cx: &Context, topic: &CreatableTopic) -> Result<i32, Refusal> {
    if !topic.assignments.is_empty() {
        return judged_assignments(cx.cluster().node_id(), topic);
    }
    match topic.replication_factor {
        -1 | 1 => {}
        ..1 => {
            let message = "the replication factor must be larger than 0, or -1 for the default";
            return Err(Refusal::new(ErrorCode::InvalidReplicationFactor, message));
        }
        factor => {
            let message = format!("replication factor {factor} cannot be reached: there is 1 broker");
            return Err(Refusal::new(ErrorCode::InvalidReplicationFactor, message));
        }
    }
    match topic.num_partitions {
        -1 => Ok(cx.config().num_partitions),
        count if count > 0 => Ok(count),
        _ => {
            let message = "the number of partitions must be larger than 0, or -1 for the default";
            Err(Refusal::new(ErrorCode::InvalidPartitions, message))
        }
    }
}

/// How many partitions are assigned by hand, when all of them are rightly.
fn judged_assignments(node: BrokerId, topic: &CreatableTopic) -> Result<i32, Refusal> {
    if topic.replication_factor != -1 {
        return Err(Refusal::invalid_request(
            "with replicas assigned by hand the replication factor must be -1",
        ));
    }
    if topic.num_partitions != -1 {
        return Err(Refusal::invalid_request(
            "with replicas assigned by hand the number of partitions must be -1",
        ));
    }
    let mut indexes = BTreeSet::new();
    for CreatableReplicaAssignment { partition_index, broker_ids, .. } in &topic.assignments {
        if !indexes.insert(*partition_index) {
            let message = format!("partition {partition_index} is assigned more than once");
            return Err(Refusal::new(ErrorCode::InvalidReplicaAssignment, message));
        }
        replica_assignment::check(node, broker_ids)?;
    }
    if indexes.iter().zip(0..).any(|(index, expected)| *index != expected) {
        let message = "partitions must be numbered from 0 without a gap";
        return Err(Refusal::new(ErrorCode::InvalidReplicaAssignment, message));
    }
    i32::try_from(indexes.len()).map_err(|_| ErrorCode::InvalidReplicaAssignment.into())
}

/// How many partitions the whole request would create.
fn partitions_asked(cx: &Context, topics: &[CreatableTopic]) -> i64 {
    let of_one = |topic: &CreatableTopic| match topic.num_partitions {
        _ if !topic.assignments.is_empty() => i64::try_from(topic.assignments.len()).unwrap_or(i64::MAX),
        -1 => i64::from(cx.config().num_partitions),
        count => i64::from(count.max(0)),
    };
    topics.iter().map(of_one).fold(0, i64::saturating_add)
}

fn names_given_twice(topics: &[CreatableTopic]) -> BTreeSet<TopicName> {
    let mut seen = BTreeSet::new();
    topics.iter().filter(|topic| !seen.insert(&topic.name)).map(|topic| topic.name.clone()).collect()
}

fn exists(name: &TopicName) -> Refusal {
    Refusal::new(ErrorCode::TopicAlreadyExists, format!("topic '{name}' already exists"))
}

/// Kafka's bound on one request.
const PARTITIONS_MAX: i64 = 10_000;
/// The metadata log looks like a topic's partition on disk and is none.
const CLUSTER_METADATA: &str = "__cluster_metadata";

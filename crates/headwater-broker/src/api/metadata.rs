//! Metadata (key 3, versions 0-13). Tells of the node and of topics, and creates topics on the way (KIP-4, KIP-516).
//!
//! - Version 0: an empty list means every topic. Later ones: null means every topic, an empty list none. Neither creates.
//! - Versions 10 and 11 carry topic ids in answers only: an id or a null name in a request gets INVALID_REQUEST (42) for
//!   every topic asked for. From 12 on a topic may be asked for by id; an unknown one gets UNKNOWN_TOPIC_ID (100).
//! - An unknown name is created when the client allows it (always before version 4) and
//!   `auto.create.topics.enable` does; otherwise UNKNOWN_TOPIC_OR_PARTITION (3), or INVALID_TOPIC_EXCEPTION (17) when no
//!   topic can have that name.
//! - A topic that is named twice is answered once.
//! - Every endpoint is the one of the listener that the client came through.
//! - Allowed operations are told only when asked for (KIP-430); the cluster's from 8 to 10.

use std::collections::HashSet;

use headwater_codec::{
    BrokerId, ErrorCode, TopicName, Uuid,
    messages::metadata::{
        MetadataRequest, MetadataRequestTopic, MetadataResponse, MetadataResponseBroker,
        MetadataResponsePartition, MetadataResponseTopic,
    },
};

use crate::{
    context::Context,
    security::{CLUSTER_OPERATIONS, OPERATIONS_NOT_ASKED, Operation, Resource, TOPIC_OPERATIONS},
    topics::Topic,
};

pub(super) async fn handle(cx: &Context, request: MetadataRequest) -> MetadataResponse {
    let asked = match request.topics {
        Some(topics) if topics.is_empty() && cx.api_version() == 0 => None,
        asked => asked,
    };
    if let Some(topics) = &asked
        && cx.api_version() < TOPIC_IDS_SINCE
        && topics.iter().any(|topic| topic.name.is_none() || !topic.topic_id.is_nil())
    {
        return invalid(topics);
    }
    let topic_operations =
        if request.include_topic_authorized_operations { TOPIC_OPERATIONS } else { OPERATIONS_NOT_ASKED };
    let mut topics = Vec::new();
    match asked {
        None => {
            let all = cx.topics().all();
            let visible = all.iter().filter(|topic| describable(cx, topic.name()).is_ok());
            topics.extend(visible.map(|topic| described(cx, topic)));
        }
        Some(asked) => {
            let mut seen = HashSet::with_capacity(asked.len());
            for topic in asked {
                if !seen.insert((topic.name.clone(), topic.topic_id)) {
                    continue;
                }
                topics.push(match topic.name {
                    Some(name) if topic.topic_id.is_nil() => {
                        by_name(cx, name, request.allow_auto_topic_creation).await
                    }
                    _ => by_id(cx, topic.topic_id),
                });
            }
        }
    }
    for topic in topics.iter_mut().filter(|topic| topic.error_code == ErrorCode::None) {
        topic.topic_authorized_operations = topic_operations;
    }
    MetadataResponse {
        brokers: vec![broker(cx)],
        cluster_id: Some(cx.cluster().cluster_id().clone()),
        controller_id: cx.cluster().node_id(),
        topics,
        cluster_authorized_operations: if request.include_cluster_authorized_operations {
            CLUSTER_OPERATIONS
        } else {
            OPERATIONS_NOT_ASKED
        },
        ..Default::default()
    }
}

fn broker(cx: &Context) -> MetadataResponseBroker {
    MetadataResponseBroker {
        node_id: cx.cluster().node_id(),
        host: cx.endpoint().host.clone(),
        port: cx.endpoint().port.into(),
        rack: cx.cluster().rack().cloned(),
        ..Default::default()
    }
}

async fn by_name(cx: &Context, name: TopicName, client_allows_creation: bool) -> MetadataResponseTopic {
    if let Err(code) = describable(cx, &name) {
        return failed(Some(name), Uuid::nil(), code);
    }
    if let Some(topic) = cx.topics().by_name(name.as_str()) {
        return described(cx, &topic);
    }
    if let Err(code) = cx.topics().judge_name(&name) {
        return failed(Some(name), Uuid::nil(), code);
    }
    if !(client_allows_creation && cx.config().auto_create_topics_enable) {
        return failed(Some(name), Uuid::nil(), ErrorCode::UnknownTopicOrPartition);
    }
    let may_create = cx
        .authorize(Operation::Create, Resource::Cluster)
        .or_else(|_| cx.authorize(Operation::Create, Resource::Topic(&name)));
    let created = match may_create {
        Ok(()) => cx.topics().auto_create(&name).await,
        Err(code) => Err(code),
    };
    match created {
        Ok(topic) => described(cx, &topic),
        Err(code) => failed(Some(name), Uuid::nil(), code),
    }
}

fn by_id(cx: &Context, id: Uuid) -> MetadataResponseTopic {
    match cx.topics().by_id(id) {
        // What the principal may not see looks as if it were not there.
        Some(topic) if describable(cx, topic.name()).is_ok() => described(cx, &topic),
        _ => failed(None, id, ErrorCode::UnknownTopicId),
    }
}

fn describable(cx: &Context, name: &TopicName) -> Result<(), ErrorCode> {
    cx.authorize(Operation::Describe, Resource::Topic(name))
}

fn described(cx: &Context, topic: &Topic) -> MetadataResponseTopic {
    let node: BrokerId = cx.cluster().node_id();
    let partitions =
        topic.known().partitions.iter().zip(0..).map(|(partition, index)| MetadataResponsePartition {
            partition_index: index,
            leader_id: node,
            leader_epoch: partition.leader_epoch.get(),
            replica_nodes: vec![node],
            isr_nodes: vec![node],
            ..Default::default()
        });
    MetadataResponseTopic {
        name: Some(topic.name().clone()),
        topic_id: topic.id(),
        is_internal: topic.is_internal(),
        partitions: partitions.collect(),
        ..Default::default()
    }
}

fn failed(name: Option<TopicName>, topic_id: Uuid, error_code: ErrorCode) -> MetadataResponseTopic {
    MetadataResponseTopic { error_code, name, topic_id, ..Default::default() }
}

/// Every topic asked for gets the same code, and there is no word of the cluster, as Kafka does it.
fn invalid(topics: &[MetadataRequestTopic]) -> MetadataResponse {
    let answer = |topic: &MetadataRequestTopic| {
        failed(Some(topic.name.clone().unwrap_or_default()), topic.topic_id, ErrorCode::InvalidRequest)
    };
    MetadataResponse { topics: topics.iter().map(answer).collect(), ..Default::default() }
}

/// The first version that may ask by topic id.
const TOPIC_IDS_SINCE: i16 = 12;

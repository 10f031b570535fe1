//! DescribeTopicPartitions (key 75, version 0). Tells of topics and their partitions, page by page (KIP-966).
//!
//! - An empty list asks for every topic. Topics come in the order of their names, each once.
//! - A page holds as many partitions as the request and `max.request.partition.size.limit` allow, at least one; where
//!   it ends, `next_cursor` tells where the next one begins.
//! - A cursor whose topic is not among those asked for, or whose partition is negative: INVALID_REQUEST (42) for every
//!   topic asked for. A cursor on a topic that is gone goes on with the next one, when every topic is asked for.
//! - A topic asked for by a name that does not exist: UNKNOWN_TOPIC_OR_PARTITION (3), or INVALID_TOPIC_EXCEPTION (17)
//!   when no topic can have it. Who may not describe one gets TOPIC_AUTHORIZATION_FAILED (29), last.

use std::{collections::BTreeSet, sync::Arc};

use headwater_codec::{
    ErrorCode, TopicName,
    messages::describe_topic_partitions::{
        Cursor, DescribeTopicPartitionsRequest, DescribeTopicPartitionsResponse,
        DescribeTopicPartitionsResponsePartition, DescribeTopicPartitionsResponseTopic,
    },
};

use crate::{
    context::Context,
    security::{OPERATIONS_NOT_ASKED, Operation, Resource, TOPIC_OPERATIONS},
    topic_config::TopicNameRules,
    topics::{Topic, is_internal},
};

pub(super) async fn handle(
    cx: &Context,
    request: DescribeTopicPartitionsRequest,
) -> DescribeTopicPartitionsResponse {
    if is_invalid(&request) {
        let topics = request.topics.into_iter().map(|topic| failed(topic.name, ErrorCode::InvalidRequest));
        return DescribeTopicPartitionsResponse { topics: topics.collect(), ..Default::default() };
    }
    let wants_all = request.topics.is_empty();
    let from = request.cursor.as_ref().map(|cursor| cursor.topic_name.clone()).unwrap_or_default();
    let names: BTreeSet<TopicName> = if wants_all {
        cx.topics().all().iter().map(|topic| topic.name().clone()).collect()
    } else {
        request.topics.into_iter().map(|topic| topic.name).collect()
    };
    let (visible, hidden): (Vec<_>, Vec<_>) = names
        .into_iter()
        .filter(|name| *name >= from)
        .partition(|name| cx.authorize(Operation::Describe, Resource::Topic(name)).is_ok());

    let limit = usize::try_from(request.response_partition_limit).unwrap_or(0);
    let mut page =
        Page { left: limit.min(cx.config().max_request_partition_size_limit).max(1), ..Page::default() };
    for name in visible {
        let start = request.cursor.as_ref().filter(|cursor| cursor.topic_name == name);
        let start = start.map_or(0, |cursor| cursor.partition_index);
        match cx.topics().by_name(name.as_str()) {
            Some(topic) => page.add(cx, &topic, start),
            None if wants_all => {}
            None => page.topics.push(unknown(name)),
        }
        if page.next_cursor.is_some() {
            break;
        }
    }
    if !wants_all {
        page.topics.extend(hidden.into_iter().map(|name| failed(name, ErrorCode::TopicAuthorizationFailed)));
    }
    DescribeTopicPartitionsResponse {
        topics: page.topics,
        next_cursor: page.next_cursor,
        ..Default::default()
    }
}

fn is_invalid(request: &DescribeTopicPartitionsRequest) -> bool {
    request.cursor.as_ref().is_some_and(|cursor| {
        let is_asked = request.topics.iter().any(|topic| topic.name == cursor.topic_name);
        cursor.partition_index < 0 || !(request.topics.is_empty() || is_asked)
    })
}

/// The answer as it grows.
#[derive(Default)]
struct Page {
    topics: Vec<DescribeTopicPartitionsResponseTopic>,
    /// How many partitions fit yet.
    left: usize,
    next_cursor: Option<Cursor>,
}

impl Page {
    /// Adds the partitions of `topic` from `start` on, as many as fit.
    fn add(&mut self, cx: &Context, topic: &Arc<Topic>, start: i32) {
        let count = topic.partition_count();
        if self.left == 0 {
            self.next_cursor = Some(cursor(topic, start));
            return;
        }
        let end = start.saturating_add(i32::try_from(self.left).unwrap_or(i32::MAX)).min(count);
        let partitions: Vec<_> = (start..end).map(|index| partition(cx, topic, index)).collect();
        self.left -= partitions.len();
        if end < count {
            self.next_cursor = Some(cursor(topic, end));
        }
        self.topics.push(DescribeTopicPartitionsResponseTopic {
            error_code: ErrorCode::None,
            name: Some(topic.name().clone()),
            topic_id: topic.id(),
            is_internal: topic.is_internal(),
            partitions,
            topic_authorized_operations: TOPIC_OPERATIONS,
            ..Default::default()
        });
    }
}

fn partition(cx: &Context, topic: &Topic, index: i32) -> DescribeTopicPartitionsResponsePartition {
    let node = cx.cluster().node_id();
    DescribeTopicPartitionsResponsePartition {
        error_code: ErrorCode::None,
        partition_index: index,
        leader_id: node,
        leader_epoch: topic.leader_epoch(index.into()).get(),
        replica_nodes: vec![node],
        isr_nodes: vec![node],
        eligible_leader_replicas: Some(Vec::new()),
        last_known_elr: Some(Vec::new()),
        offline_replicas: Vec::new(),
        ..Default::default()
    }
}

fn unknown(name: TopicName) -> DescribeTopicPartitionsResponseTopic {
    match TopicNameRules::check(name.as_str()) {
        Ok(()) => failed(name, ErrorCode::UnknownTopicOrPartition),
        Err(error) => failed(name, error.code()),
    }
}

fn failed(name: TopicName, error_code: ErrorCode) -> DescribeTopicPartitionsResponseTopic {
    DescribeTopicPartitionsResponseTopic {
        error_code,
        is_internal: is_internal(&name),
        name: Some(name),
        topic_authorized_operations: OPERATIONS_NOT_ASKED,
        ..Default::default()
    }
}

fn cursor(topic: &Topic, partition_index: i32) -> Cursor {
    Cursor { topic_name: topic.name().clone(), partition_index, ..Default::default() }
}

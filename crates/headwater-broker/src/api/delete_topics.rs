//! DeleteTopics (key 20, versions 1-6). Deletes topics with all their records, by name or by id (KIP-4, KIP-516).
//!
//! - `delete.topic.enable=false`: TOPIC_DELETION_DISABLED (73) for every topic, before version 3 INVALID_REQUEST (42).
//! - Version 6 names a topic by name or by id; both or neither are 42.
//! - The same name or id twice, or a name and its own id: 42 for each of them, nothing of it is deleted.
//! - Unknown name: UNKNOWN_TOPIC_OR_PARTITION (3); unknown id: UNKNOWN_TOPIC_ID (100).
//! - The broker's own topics cannot be deleted: INVALID_TOPIC_EXCEPTION (17). (Kafka lets them go, and with them every
//!   committed offset.)

use std::{collections::HashMap, sync::Arc};

use headwater_codec::{
    ErrorCode, TopicName, Uuid,
    messages::delete_topics::{
        DeletableTopicResult, DeleteTopicState, DeleteTopicsRequest, DeleteTopicsResponse,
    },
};

use super::refusal::Refusal;
use crate::{
    context::Context,
    security::{Operation, Resource},
    topics::Topic,
};

pub(super) async fn handle(cx: &Context, request: DeleteTopicsRequest) -> DeleteTopicsResponse {
    let named = request
        .topic_names
        .into_iter()
        .map(|name| DeleteTopicState { name: Some(name), ..Default::default() });
    let asked: Vec<DeleteTopicState> = request.topics.into_iter().chain(named).collect();
    let mut responses = Vec::with_capacity(asked.len());
    let found: Vec<_> = asked.iter().map(|topic| find(cx, topic)).collect();
    let mut times: HashMap<Uuid, usize> = HashMap::new();
    for topic in found.iter().flatten() {
        *times.entry(topic.id()).or_default() += 1;
    }
    let mut times_named: HashMap<(Option<TopicName>, Uuid), usize> = HashMap::new();
    for topic in &asked {
        *times_named.entry((topic.name.clone(), topic.topic_id)).or_default() += 1;
    }
    for (topic, found) in asked.into_iter().zip(found) {
        let is_twice = times_named.get(&(topic.name.clone(), topic.topic_id)).is_some_and(|times| *times > 1)
            || found.as_ref().is_ok_and(|found| times.get(&found.id()).is_some_and(|times| *times > 1));
        let result = match found {
            _ if !cx.config().delete_topic_enable => Err(disabled(cx)),
            _ if is_twice => Err(Refusal::invalid_request("the topic is in the request more than once")),
            Ok(found) => delete(cx, &found).await.map(|()| found),
            Err(refusal) => Err(refusal),
        };
        responses.push(answer(topic, result));
    }
    DeleteTopicsResponse { responses, ..Default::default() }
}

/// The topic that is meant.
fn find(cx: &Context, asked: &DeleteTopicState) -> Result<Arc<Topic>, Refusal> {
    match &asked.name {
        Some(_) if !asked.topic_id.is_nil() => {
            Err(Refusal::invalid_request("a name and an id are one too many"))
        }
        None if asked.topic_id.is_nil() => Err(Refusal::invalid_request("neither a name nor an id is given")),
        Some(name) => {
            cx.authorize(Operation::Delete, Resource::Topic(name))?;
            Ok(cx.topics().by_name(name.as_str()).ok_or(ErrorCode::UnknownTopicOrPartition)?)
        }
        None => {
            let topic = cx.topics().by_id(asked.topic_id).ok_or(ErrorCode::UnknownTopicId)?;
            // Who may not see the topic is not told that the id exists.
            cx.authorize(Operation::Describe, Resource::Topic(topic.name()))
                .map_err(|_| ErrorCode::UnknownTopicId)?;
            cx.authorize(Operation::Delete, Resource::Topic(topic.name()))?;
            Ok(topic)
        }
    }
}

async fn delete(cx: &Context, topic: &Topic) -> Result<(), Refusal> {
    if topic.is_internal() {
        let message = format!("topic '{}' belongs to the broker and cannot be deleted", topic.name());
        return Err(Refusal::new(ErrorCode::InvalidTopicException, message));
    }
    Ok(cx.topics().delete(topic.id()).await?)
}

fn answer(asked: DeleteTopicState, result: Result<Arc<Topic>, Refusal>) -> DeletableTopicResult {
    match result {
        Ok(topic) => DeletableTopicResult {
            name: Some(topic.name().clone()),
            topic_id: topic.id(),
            ..Default::default()
        },
        Err(refusal) => DeletableTopicResult {
            name: asked.name,
            topic_id: asked.topic_id,
            error_code: refusal.code,
            error_message: Some(refusal.message),
            ..Default::default()
        },
    }
}

fn disabled(cx: &Context) -> Refusal {
    if cx.api_version() < 3 {
        Refusal::invalid_request("topic deletion is disabled")
    } else {
        ErrorCode::TopicDeletionDisabled.into()
    }
}

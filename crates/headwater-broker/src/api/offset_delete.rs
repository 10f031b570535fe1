//! OffsetDelete (key 47, version 0). Forgets offsets of a group (KIP-496).
//!
//! - GROUP_AUTHORIZATION_FAILED (30), GROUP_ID_NOT_FOUND (69) and NON_EMPTY_GROUP (68, for a group that is no consumer
//!   group and has members) concern the request as a whole, and then there are no topics in the answer.
//! - An empty group id is INVALID_GROUP_ID (24).
//! - For each partition: TOPIC_AUTHORIZATION_FAILED (29), UNKNOWN_TOPIC_OR_PARTITION (3) when it does not exist,
//!   GROUP_SUBSCRIBED_TO_TOPIC (86) while a member reads the topic. An offset that is not there is forgotten all the same.

use headwater_codec::{
    ErrorCode, PartitionIndex, TopicName,
    messages::offset_delete::{
        OffsetDeleteRequest, OffsetDeleteRequestTopic, OffsetDeleteResponse, OffsetDeleteResponsePartition,
        OffsetDeleteResponseTopic,
    },
};

use crate::{
    context::Context,
    security::{Operation, Resource},
};

pub(super) async fn handle(cx: &Context, request: OffsetDeleteRequest) -> OffsetDeleteResponse {
    match delete(cx, request).await {
        Ok(topics) => OffsetDeleteResponse { topics, ..Default::default() },
        Err(error_code) => OffsetDeleteResponse { error_code, ..Default::default() },
    }
}

async fn delete(
    cx: &Context,
    request: OffsetDeleteRequest,
) -> Result<Vec<OffsetDeleteResponseTopic>, ErrorCode> {
    cx.authorize(Operation::Delete, Resource::Group(&request.group_id))?;
    if request.group_id.as_str().is_empty() {
        return Err(ErrorCode::InvalidGroupId);
    }
    let mut judged = Vec::new();
    let mut deletable = Vec::new();
    for topic in &request.topics {
        for partition in &topic.partitions {
            let index = partition.partition_index;
            let verdict = judge(cx, &topic.name, index);
            if verdict.is_ok() {
                deletable.push((topic.name.clone(), index));
            }
            judged.push(verdict);
        }
    }
    let mut results = cx.groups().delete_offsets(&request.group_id, deletable).await?.into_iter();
    let mut judged = judged.into_iter();
    let mut topics = Vec::with_capacity(request.topics.len());
    for OffsetDeleteRequestTopic { name, partitions } in request.topics {
        let answered = partitions.into_iter().map(|partition| OffsetDeleteResponsePartition {
            partition_index: partition.partition_index,
            error_code: match judged.next() {
                Some(Err(error)) => error,
                _ => results.next().unwrap_or(ErrorCode::UnknownServerError),
            },
        });
        let partitions = answered.collect();
        topics.push(OffsetDeleteResponseTopic { name, partitions });
    }
    Ok(topics)
}

fn judge(cx: &Context, topic: &TopicName, partition: i32) -> Result<(), ErrorCode> {
    cx.authorize(Operation::Read, Resource::Topic(topic))?;
    cx.partition(topic, PartitionIndex::new(partition)).map(|_| ())
}

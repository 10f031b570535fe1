//! OffsetDelete (key 47, version 0). Forgets offsets of a group (KIP-496).
//!
//! - GROUP_AUTHORIZATION_FAILED (30), GROUP_ID_NOT_FOUND (69) and NON_EMPTY_GROUP (68, for a group that is no consumer
//!   group and has members) concern the request as a whole, and then there are no topics in the answer.
//! - For each partition: TOPIC_AUTHORIZATION_FAILED (29), UNKNOWN_TOPIC_OR_PARTITION (3) when the topic does not exist,
//!   GROUP_SUBSCRIBED_TO_TOPIC (86) while a member reads the topic. An offset that is not there is forgotten all the same.

use headwater_codec::{
    ErrorCode, TopicName,
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
    let judged: Vec<Result<(), ErrorCode>> =
        request.topics.iter().map(|topic| judge(cx, &topic.name)).collect();
    let deletable = request.topics.iter().zip(&judged).filter(|(_, judged)| judged.is_ok());
    let partitions = deletable.flat_map(|(topic, _)| {
        topic.partitions.iter().map(|partition| (topic.name.clone(), partition.partition_index))
    });
    let mut results = cx.groups().delete_offsets(&request.group_id, partitions.collect()).await?.into_iter();
    let mut topics = Vec::with_capacity(request.topics.len());
    for (OffsetDeleteRequestTopic { name, partitions }, judged) in request.topics.into_iter().zip(judged) {
        let answered = partitions.into_iter().map(|partition| OffsetDeleteResponsePartition {
            partition_index: partition.partition_index,
            error_code: match judged {
                Ok(()) => results.next().unwrap_or(ErrorCode::UnknownServerError),
                Err(error) => error,
            },
        });
        let partitions = answered.collect();
        topics.push(OffsetDeleteResponseTopic { name, partitions });
    }
    Ok(topics)
}

fn judge(cx: &Context, topic: &TopicName) -> Result<(), ErrorCode> {
    cx.authorize(Operation::Read, Resource::Topic(topic))?;
    cx.topics().by_name(topic.as_str()).map(|_| ()).ok_or(ErrorCode::UnknownTopicOrPartition)
}

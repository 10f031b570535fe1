//! OffsetCommit (key 8, versions 2-10). Stores offsets for a group, from a member or from outside any generation.
//!
//! - Checks for each partition, in this order: GROUP_AUTHORIZATION_FAILED (30), UNKNOWN_TOPIC_ID (100, version 10),
//!   TOPIC_AUTHORIZATION_FAILED (29), UNKNOWN_TOPIC_OR_PARTITION (3); then the group's, all alike:
//!   UNKNOWN_MEMBER_ID (25), FENCED_INSTANCE_ID (82), ILLEGAL_GENERATION (22, also for a group that does not exist;
//!   GROUP_ID_NOT_FOUND (69) from version 9 on), REBALANCE_IN_PROGRESS (27) before the assignment is known; then
//!   OFFSET_METADATA_TOO_LARGE (12) above `offset.metadata.max.bytes`.
//! - Generation -1 without a member id is a consumer that assigns itself: allowed while the group has no members.
//! - Versions 2 to 4 can say how long to keep the offsets, -1 for the broker's own rule (KIP-211).
//! - It is answered when the offsets are durable. Topics and partitions are answered in the request's order.

use std::time::Duration;

use headwater_codec::{
    ErrorCode, PartitionIndex, TopicName, Uuid,
    messages::offset_commit::{
        OffsetCommitRequest, OffsetCommitRequestTopic, OffsetCommitResponse, OffsetCommitResponsePartition,
        OffsetCommitResponseTopic,
    },
};
use headwater_coordinator::{CommitRequest, OffsetToCommit};

use crate::{
    context::Context,
    security::{Operation, Resource},
    topics::Topic,
};

pub(super) async fn handle(cx: &Context, request: OffsetCommitRequest) -> OffsetCommitResponse {
    let group_id = request.group_id.clone();
    let may_commit = cx.authorize(Operation::Read, Resource::Group(&group_id));
    let mut offsets = Vec::new();
    // What is not judged yet is in `offsets`, in the same order.
    let mut topics: Vec<(OffsetCommitResponseTopic, Vec<Option<ErrorCode>>)> = Vec::new();
    for topic in &request.topics {
        let found = may_commit.and_then(|()| find(cx, topic));
        let judged = topic.partitions.iter().map(|partition| {
            let known = found.as_ref().map_err(|error| *error)?;
            known
                .partition(PartitionIndex::new(partition.partition_index))
                .ok_or(ErrorCode::UnknownTopicOrPartition)?;
            offsets.push(OffsetToCommit {
                topic: known.name().clone(),
                topic_id: known.id(),
                partition: partition.partition_index,
                offset: partition.committed_offset,
                leader_epoch: partition.committed_leader_epoch,
                metadata: partition.committed_metadata.clone(),
            });
            Ok(())
        });
        let errors = judged.map(Result::<(), ErrorCode>::err).collect();
        topics.push((answer(topic), errors));
    }
    let mut results = commit(cx, request, offsets).await.into_iter();
    let topics = topics.into_iter().map(|(mut topic, errors)| {
        for (partition, error) in topic.partitions.iter_mut().zip(errors) {
            partition.error_code = error.or_else(|| results.next()).unwrap_or(ErrorCode::UnknownServerError);
        }
        topic
    });
    OffsetCommitResponse { topics: topics.collect(), ..Default::default() }
}

fn find(cx: &Context, topic: &OffsetCommitRequestTopic) -> Result<std::sync::Arc<Topic>, ErrorCode> {
    if cx.api_version() >= TOPIC_IDS_SINCE {
        let known = cx.topics().by_id(topic.topic_id).ok_or(ErrorCode::UnknownTopicId)?;
        cx.authorize(Operation::Read, Resource::Topic(known.name()))?;
        return Ok(known);
    }
    cx.authorize(Operation::Read, Resource::Topic(&topic.name))?;
    cx.topics().by_name(topic.name.as_str()).ok_or(ErrorCode::UnknownTopicOrPartition)
}

/// One code for each offset, in their order.
async fn commit(cx: &Context, request: OffsetCommitRequest, offsets: Vec<OffsetToCommit>) -> Vec<ErrorCode> {
    let count = offsets.len();
    if count == 0 {
        return Vec::new();
    }
    let commit = CommitRequest {
        member_id: request.member_id,
        instance_id: request.group_instance_id,
        generation: request.generation_id_or_member_epoch,
        knows_group_id_not_found: cx.api_version() >= GROUP_ID_NOT_FOUND_SINCE,
        retention: u64::try_from(request.retention_time_ms).ok().map(Duration::from_millis),
        offsets,
    };
    match cx.groups().commit(&request.group_id, commit).await {
        Ok(results) => results,
        Err(error) => vec![error; count],
    }
}

fn answer(topic: &OffsetCommitRequestTopic) -> OffsetCommitResponseTopic {
    let partitions = topic.partitions.iter().map(|partition| OffsetCommitResponsePartition {
        partition_index: partition.partition_index,
        ..Default::default()
    });
    let (name, topic_id): (TopicName, Uuid) = (topic.name.clone(), topic.topic_id);
    OffsetCommitResponseTopic { name, topic_id, partitions: partitions.collect(), ..Default::default() }
}

/// The version from which on a group that does not exist is told apart from a generation that is over.
const GROUP_ID_NOT_FOUND_SINCE: i16 = 9;
/// The version from which on topics are told by their ids.
const TOPIC_IDS_SINCE: i16 = 10;

//! OffsetFetch (key 9, versions 1-10). Tells the offsets that groups committed (KIP-88, KIP-709, KIP-447).
//!
//! - A partition without an offset gets -1, leader epoch -1, empty metadata and no error, whether or not it exists.
//! - From version 2 on null topics mean every partition with an offset; an empty list means none. From 8 on several groups
//!   can be asked for; from 10 on topics are told by their ids: UNKNOWN_TOPIC_ID (100) for unknown ones.
//! - GROUP_AUTHORIZATION_FAILED (30) and COORDINATOR_LOAD_IN_PROGRESS (14) concern a group: in version 1 they stand at each
//!   partition, from 2 to 7 at the top, from 8 on at the group. TOPIC_AUTHORIZATION_FAILED (29) concerns a topic, which is
//!   left out where every topic is asked for.
//! - Offsets are always stable: there are no transactions that could change them (KIP-447).

use headwater_codec::{
    ErrorCode, GroupId, Str, TopicName, Uuid,
    messages::offset_fetch::{
        OffsetFetchRequest, OffsetFetchRequestGroup, OffsetFetchRequestTopics, OffsetFetchResponse,
        OffsetFetchResponseGroup, OffsetFetchResponsePartition, OffsetFetchResponsePartitions,
        OffsetFetchResponseTopic, OffsetFetchResponseTopics,
    },
};
use headwater_coordinator::CommittedOffset;

use crate::{
    context::Context,
    security::{Operation, Resource},
};

pub(super) async fn handle(cx: &Context, request: OffsetFetchRequest) -> OffsetFetchResponse {
    if cx.api_version() >= GROUPS_SINCE {
        let groups = request.groups.into_iter().map(|group| fetch(cx, group)).collect();
        return OffsetFetchResponse { groups, ..Default::default() };
    }
    let topics = request.topics.map(|topics| {
        let newer = topics.into_iter().map(|topic| OffsetFetchRequestTopics {
            name: topic.name,
            partition_indexes: topic.partition_indexes,
            ..Default::default()
        });
        newer.collect()
    });
    let asked = OffsetFetchRequestGroup { group_id: request.group_id, topics, ..Default::default() };
    let group = fetch(cx, asked.clone());
    let mut topics = group.topics;
    if group.error_code != ErrorCode::None && cx.api_version() < TOP_ERROR_SINCE {
        topics = asked
            .topics
            .unwrap_or_default()
            .into_iter()
            .map(|topic| failed(topic, group.error_code))
            .collect();
    }
    let topics = topics.into_iter().map(older).collect();
    OffsetFetchResponse { topics, error_code: group.error_code, ..Default::default() }
}

fn fetch(cx: &Context, group: OffsetFetchRequestGroup) -> OffsetFetchResponseGroup {
    let fetched = cx.authorize(Operation::Describe, Resource::Group(&group.group_id)).and_then(|()| {
        match group.topics {
            None => every_topic(cx, &group.group_id),
            Some(topics) => topics.into_iter().map(|topic| one_topic(cx, &group.group_id, topic)).collect(),
        }
    });
    match fetched {
        Ok(topics) => OffsetFetchResponseGroup { group_id: group.group_id, topics, ..Default::default() },
        Err(error_code) => {
            OffsetFetchResponseGroup { group_id: group.group_id, error_code, ..Default::default() }
        }
    }
}

fn every_topic(cx: &Context, group: &GroupId) -> Result<Vec<OffsetFetchResponseTopics>, ErrorCode> {
    let mut topics: Vec<OffsetFetchResponseTopics> = Vec::new();
    for (name, index, offset) in cx.groups().all_offsets(group)? {
        if topics.last().is_none_or(|topic| topic.name != name) {
            let topic_id = cx.topics().by_name(name.as_str()).map_or(Uuid::nil(), |topic| topic.id());
            topics.push(OffsetFetchResponseTopics { name, topic_id, ..Default::default() });
        }
        if let Some(topic) = topics.last_mut() {
            topic.partitions.push(partition(index, Some(offset)));
        }
    }
    let by_id = cx.api_version() >= TOPIC_IDS_SINCE;
    topics.retain(|topic| describable(cx, &topic.name).is_ok() && !(by_id && topic.topic_id.is_nil()));
    Ok(topics)
}

fn one_topic(
    cx: &Context,
    group: &GroupId,
    topic: OffsetFetchRequestTopics,
) -> Result<OffsetFetchResponseTopics, ErrorCode> {
    let by_id = cx.api_version() >= TOPIC_IDS_SINCE;
    let name = if by_id {
        match cx.topics().by_id(topic.topic_id) {
            Some(known) => known.name().clone(),
            None => return Ok(failed(topic, ErrorCode::UnknownTopicId)),
        }
    } else {
        topic.name.clone()
    };
    if let Err(error) = describable(cx, &name) {
        return Ok(failed(topic, error));
    }
    let asked: Vec<(TopicName, i32)> =
        topic.partition_indexes.iter().map(|index| (name.clone(), *index)).collect();
    let offsets = cx.groups().offsets(group, &asked)?;
    let partitions =
        topic.partition_indexes.iter().zip(offsets).map(|(index, offset)| partition(*index, offset));
    Ok(OffsetFetchResponseTopics {
        name: topic.name,
        topic_id: topic.topic_id,
        partitions: partitions.collect(),
        ..Default::default()
    })
}

fn describable(cx: &Context, topic: &TopicName) -> Result<(), ErrorCode> {
    cx.authorize(Operation::Describe, Resource::Topic(topic))
}

fn partition(partition_index: i32, offset: Option<CommittedOffset>) -> OffsetFetchResponsePartitions {
    let none = OffsetFetchResponsePartitions {
        partition_index,
        committed_offset: -1,
        committed_leader_epoch: -1,
        metadata: Some(Str::default()),
        ..Default::default()
    };
    match offset {
        None => none,
        Some(offset) => OffsetFetchResponsePartitions {
            committed_offset: offset.offset,
            committed_leader_epoch: offset.leader_epoch,
            metadata: Some(offset.metadata),
            ..none
        },
    }
}

fn failed(topic: OffsetFetchRequestTopics, error_code: ErrorCode) -> OffsetFetchResponseTopics {
    let partitions = topic.partition_indexes.iter();
    let partitions = partitions
        .map(|index| OffsetFetchResponsePartitions { error_code, ..partition(*index, None) })
        .collect();
    OffsetFetchResponseTopics { name: topic.name, topic_id: topic.topic_id, partitions, ..Default::default() }
}

/// The form of the versions before groups.
fn older(topic: OffsetFetchResponseTopics) -> OffsetFetchResponseTopic {
    let partitions = topic.partitions.into_iter().map(|partition| OffsetFetchResponsePartition {
        partition_index: partition.partition_index,
        committed_offset: partition.committed_offset,
        committed_leader_epoch: partition.committed_leader_epoch,
        metadata: partition.metadata,
        error_code: partition.error_code,
        ..Default::default()
    });
    OffsetFetchResponseTopic { name: topic.name, partitions: partitions.collect(), ..Default::default() }
}

/// The version from which on there is an error for the whole answer.
const TOP_ERROR_SINCE: i16 = 2;
/// The version from which on several groups can be asked for (KIP-709).
const GROUPS_SINCE: i16 = 8;
/// The version from which on topics are told by their ids.
const TOPIC_IDS_SINCE: i16 = 10;

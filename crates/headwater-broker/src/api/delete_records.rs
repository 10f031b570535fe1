//! DeleteRecords (key 21, versions 0-2). Raises a partition's log start offset (KIP-107).
//!
//! - By topic: no right to delete 29; an internal topic 17 (INVALID_TOPIC_EXCEPTION); unknown 3.
//! - By partition: unknown 3; a topic that is compacted and never deleted from 44 (POLICY_VIOLATION); an offset above the
//!   high watermark or below -1: 1, and nothing changes.
//! - -1 means up to the high watermark. An offset below the log start changes nothing and answers the log start.

use std::sync::Arc;

use headwater_codec::{
    ErrorCode, Offset, PartitionIndex,
    messages::delete_records::{
        DeleteRecordsPartition, DeleteRecordsPartitionResult, DeleteRecordsRequest, DeleteRecordsResponse,
        DeleteRecordsTopicResult,
    },
};

use crate::{
    context::Context,
    error_code,
    security::{Operation, Resource},
    topics::{Topic, is_internal},
};

pub(super) async fn handle(cx: &Context, request: DeleteRecordsRequest) -> DeleteRecordsResponse {
    let mut topics = Vec::with_capacity(request.topics.len());
    for asked in request.topics {
        let found = find_topic(cx, &asked.name);
        let mut partitions = Vec::with_capacity(asked.partitions.len());
        for partition in asked.partitions {
            let deleted = match &found {
                Ok(topic) => delete(topic, &partition).await,
                Err(code) => Err(*code),
            };
            partitions.push(DeleteRecordsPartitionResult {
                partition_index: partition.partition_index,
                low_watermark: deleted.map_or(NO_LOW_WATERMARK, Offset::get),
                error_code: deleted.err().unwrap_or(ErrorCode::None),
                ..Default::default()
            });
        }
        topics.push(DeleteRecordsTopicResult { name: asked.name, partitions, ..Default::default() });
    }
    DeleteRecordsResponse { topics, ..Default::default() }
}

fn find_topic(cx: &Context, name: &headwater_codec::TopicName) -> Result<Arc<Topic>, ErrorCode> {
    cx.authorize(Operation::Delete, Resource::Topic(name))?;
    if is_internal(name) {
        return Err(ErrorCode::InvalidTopicException);
    }
    cx.topics().by_name(name.as_str()).ok_or(ErrorCode::UnknownTopicOrPartition)
}

async fn delete(topic: &Arc<Topic>, asked: &DeleteRecordsPartition) -> Result<Offset, ErrorCode> {
    let index = PartitionIndex::new(asked.partition_index);
    let partition = topic.partition(index).ok_or(ErrorCode::UnknownTopicOrPartition)?;
    if !topic.log_config().cleanup_delete {
        return Err(ErrorCode::PolicyViolation);
    }
    let before = match asked.offset {
        HIGH_WATERMARK => None,
        offset => Some(Offset::new(offset).ok_or(ErrorCode::OffsetOutOfRange)?),
    };
    let high_watermark = partition.watermarks().map_err(|error| error_code::storage(&error))?.high_watermark;
    if before.is_some_and(|before| before > high_watermark) {
        return Err(ErrorCode::OffsetOutOfRange);
    }
    partition.delete_records(before).await.map_err(|error| error_code::storage(&error))
}

/// "Up to the high watermark" on the wire.
const HIGH_WATERMARK: i64 = -1;
/// "No log start to tell" on the wire.
const NO_LOW_WATERMARK: i64 = -1;

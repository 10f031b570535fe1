//! OffsetForLeaderEpoch (key 23, versions 2-4). Where a leader epoch ends, so that a consumer notices lost records
//! (KIP-101, KIP-320).
//!
//! - By partition: no right to describe 29; unknown 3; the client's current epoch is behind 74, or ahead 75.
//! - The answer is the largest epoch at or below the one asked for, and the first offset after it; -1 and -1 when there
//!   is none.

use headwater_codec::{
    ErrorCode, LeaderEpoch, PartitionIndex, TopicName,
    messages::offset_for_leader_epoch::{
        EpochEndOffset, OffsetForLeaderEpochRequest, OffsetForLeaderEpochResponse, OffsetForLeaderPartition,
        OffsetForLeaderTopicResult,
    },
};
use headwater_storage::EpochEnd;

use crate::{
    context::Context,
    error_code,
    security::{Operation, Resource},
};

pub(super) async fn handle(
    cx: &Context,
    request: OffsetForLeaderEpochRequest,
) -> OffsetForLeaderEpochResponse {
    let topics = request.topics.into_iter().map(|topic| {
        let partitions =
            topic.partitions.iter().map(|asked| answer(asked, epoch_end(cx, &topic.topic, asked))).collect();
        OffsetForLeaderTopicResult { topic: topic.topic, partitions, ..Default::default() }
    });
    OffsetForLeaderEpochResponse { topics: topics.collect(), ..Default::default() }
}

fn epoch_end(
    cx: &Context,
    topic: &TopicName,
    asked: &OffsetForLeaderPartition,
) -> Result<Option<EpochEnd>, ErrorCode> {
    cx.authorize(Operation::Describe, Resource::Topic(topic))?;
    let partition = cx.partition(topic, PartitionIndex::new(asked.partition))?;
    partition.check_leader_epoch(asked.current_leader_epoch)?;
    if asked.leader_epoch < 0 {
        return Ok(None);
    }
    partition.epoch_end(LeaderEpoch::new(asked.leader_epoch)).map_err(|error| error_code::storage(&error))
}

fn answer(asked: &OffsetForLeaderPartition, found: Result<Option<EpochEnd>, ErrorCode>) -> EpochEndOffset {
    let (error_code, end) = match found {
        Ok(end) => (ErrorCode::None, end),
        Err(code) => (code, None),
    };
    EpochEndOffset {
        error_code,
        partition: asked.partition,
        leader_epoch: end.map_or(UNDEFINED_EPOCH, |end| end.leader_epoch.get()),
        end_offset: end.map_or(UNDEFINED_OFFSET, |end| end.end_offset.get()),
        ..Default::default()
    }
}

/// "No such epoch" on the wire.
const UNDEFINED_EPOCH: i32 = -1;
/// "No such offset" on the wire.
const UNDEFINED_OFFSET: i64 = -1;

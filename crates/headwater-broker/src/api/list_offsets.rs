//! ListOffsets (key 2, versions 1-11). Finds offsets by time or by name (KIP-79, KIP-734, KIP-405, KIP-1005, KIP-1023).
//!
//! - By partition: named twice 42; no right to describe 29; unknown 3; the client's leader epoch is behind 74, or ahead
//!   75; a target that the version does not have 35. Other partitions are answered all the same.
//! - A time finds the first record, in offset order, whose timestamp is at or after it, and that record's timestamp.
//!   Nothing found is offset -1, timestamp -1, and no error.
//! - -1 is the high watermark, or the last stable offset with isolation level 1; -2 the log start; -3 (version 7) the
//!   first record with the largest timestamp; -4 (version 8) the first offset that is on this node; -5 (version 9) the
//!   last offset in tiered storage and -6 (version 11) the first that is not, which without tiered storage are -1.

use std::collections::{HashMap, HashSet};

use headwater_codec::{
    ErrorCode, LeaderEpoch, Offset, PartitionIndex, TopicName,
    messages::list_offsets::{
        ListOffsetsPartition, ListOffsetsPartitionResponse, ListOffsetsRequest, ListOffsetsResponse,
        ListOffsetsTopicResponse,
    },
};
use headwater_storage::{Isolation, TimestampTarget};

use crate::{
    context::Context,
    error_code,
    security::{Operation, Resource},
    topics::Partition,
};

pub(super) async fn handle(cx: &Context, request: ListOffsetsRequest) -> ListOffsetsResponse {
    let isolation = match request.isolation_level {
        READ_COMMITTED => Isolation::ReadCommitted,
        _ => Isolation::ReadUncommitted,
    };
    let doubles = named_twice(&request);
    let mut topics = Vec::with_capacity(request.topics.len());
    for (topic_place, topic) in request.topics.into_iter().enumerate() {
        let mut partitions = Vec::with_capacity(topic.partitions.len());
        for (place, asked) in topic.partitions.iter().enumerate() {
            let found = if doubles.contains(&(topic_place, place)) {
                Err(ErrorCode::InvalidRequest)
            } else {
                find(cx, &topic.name, asked, isolation).await
            };
            partitions.push(answer(cx, asked, found));
        }
        topics.push(ListOffsetsTopicResponse { name: topic.name, partitions, ..Default::default() });
    }
    ListOffsetsResponse { topics, ..Default::default() }
}

/// Where the request names a partition that it names elsewhere too.
fn named_twice(request: &ListOffsetsRequest) -> HashSet<(usize, usize)> {
    let mut first = HashMap::new();
    let mut doubles = HashSet::new();
    for (topic_place, topic) in request.topics.iter().enumerate() {
        for (place, partition) in topic.partitions.iter().enumerate() {
            let here = (topic_place, place);
            if let Some(before) = first.insert((topic.name.as_str(), partition.partition_index), here) {
                doubles.extend([before, here]);
            }
        }
    }
    doubles
}

/// What a partition is asked for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum ListOffsetsAt {
    Latest,
    Earliest,
    MaxTimestamp,
    EarliestLocal,
    LatestTiered,
    EarliestPendingUpload,
    Timestamp(i64),
}

impl ListOffsetsAt {
    fn parse(timestamp: i64, version: i16) -> Result<Self, ErrorCode> {
        let (at, since) = match timestamp {
            -1 => (Self::Latest, 0),
            -2 => (Self::Earliest, 0),
            -3 => (Self::MaxTimestamp, 7),
            -4 => (Self::EarliestLocal, 8),
            -5 => (Self::LatestTiered, 9),
            -6 => (Self::EarliestPendingUpload, 11),
            0.. => (Self::Timestamp(timestamp), 0),
            _ => return Err(ErrorCode::UnsupportedVersion),
        };
        if version >= since { Ok(at) } else { Err(ErrorCode::UnsupportedVersion) }
    }
}

struct Found {
    offset: i64,
    timestamp: i64,
    leader_epoch: i32,
}

impl Found {
    const NOTHING: Self = Self { offset: -1, timestamp: -1, leader_epoch: -1 };
}

async fn find(
    cx: &Context,
    topic: &TopicName,
    asked: &ListOffsetsPartition,
    isolation: Isolation,
) -> Result<Found, ErrorCode> {
    cx.authorize(Operation::Describe, Resource::Topic(topic))?;
    let partition = cx.partition(topic, PartitionIndex::new(asked.partition_index))?;
    partition.check_leader_epoch(asked.current_leader_epoch)?;
    let watermarks = partition.watermarks().map_err(|error| error_code::storage(&error))?;
    let at = |offset: Offset| Found {
        offset: offset.get(),
        timestamp: -1,
        leader_epoch: partition.leader_epoch().get(),
    };
    match ListOffsetsAt::parse(asked.timestamp, cx.api_version())? {
        ListOffsetsAt::Latest => Ok(at(match isolation {
            Isolation::ReadCommitted => watermarks.last_stable,
            _ => watermarks.high_watermark,
        })),
        ListOffsetsAt::Earliest | ListOffsetsAt::EarliestLocal => {
            Ok(Found { leader_epoch: earliest_epoch(&partition), ..at(watermarks.log_start) })
        }
        ListOffsetsAt::LatestTiered | ListOffsetsAt::EarliestPendingUpload => Ok(Found::NOTHING),
        ListOffsetsAt::MaxTimestamp => by_time(&partition, TimestampTarget::Max, isolation).await,
        ListOffsetsAt::Timestamp(time) => {
            by_time(&partition, TimestampTarget::AtOrAfter(time), isolation).await
        }
    }
}

/// The epoch of the first record, -1 when it cannot be told.
fn earliest_epoch(partition: &Partition) -> i32 {
    let zero = LeaderEpoch::new(0);
    match partition.epoch_end(zero) {
        // Epoch 0 has records still, or nothing was written in a later one.
        Ok(Some(end)) if partition.watermarks().is_ok_and(|now| end.end_offset > now.log_start) => {
            end.leader_epoch.get()
        }
        _ => -1,
    }
}

async fn by_time(
    partition: &Partition,
    target: TimestampTarget,
    isolation: Isolation,
) -> Result<Found, ErrorCode> {
    let found =
        partition.find_timestamp(target, isolation).await.map_err(|error| error_code::storage(&error))?;
    Ok(found.map_or(Found::NOTHING, |found| Found {
        offset: found.offset.get(),
        timestamp: found.timestamp_ms,
        leader_epoch: found.leader_epoch.get(),
    }))
}

fn answer(
    cx: &Context,
    asked: &ListOffsetsPartition,
    found: Result<Found, ErrorCode>,
) -> ListOffsetsPartitionResponse {
    let (error_code, found) = match found {
        Ok(found) => (ErrorCode::None, found),
        Err(code) => (code, Found::NOTHING),
    };
    ListOffsetsPartitionResponse {
        partition_index: asked.partition_index,
        error_code,
        timestamp: found.timestamp,
        offset: found.offset,
        leader_epoch: if cx.api_version() >= LEADER_EPOCH_SINCE { found.leader_epoch } else { -1 },
        ..Default::default()
    }
}

/// The first version that tells leader epochs.
const LEADER_EPOCH_SINCE: i16 = 4;
/// The isolation level that sees committed records only.
const READ_COMMITTED: i8 = 1;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_depend_on_the_version() {
        for (timestamp, since, at) in [
            (-1, 1, ListOffsetsAt::Latest),
            (-2, 1, ListOffsetsAt::Earliest),
            (-3, 7, ListOffsetsAt::MaxTimestamp),
            (-4, 8, ListOffsetsAt::EarliestLocal),
            (-5, 9, ListOffsetsAt::LatestTiered),
            (-6, 11, ListOffsetsAt::EarliestPendingUpload),
            (0, 1, ListOffsetsAt::Timestamp(0)),
            (i64::MAX, 1, ListOffsetsAt::Timestamp(i64::MAX)),
        ] {
            assert_eq!(ListOffsetsAt::parse(timestamp, since), Ok(at));
            if since > 1 {
                assert_eq!(ListOffsetsAt::parse(timestamp, since - 1), Err(ErrorCode::UnsupportedVersion));
            }
        }
        assert_eq!(ListOffsetsAt::parse(-100, 11), Err(ErrorCode::UnsupportedVersion));
    }
}

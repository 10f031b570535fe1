//! Reading every partition of a fetch once.

use headwater_codec::{
    ErrorCode, LeaderEpoch, Offset, PartitionIndex, Records,
    messages::fetch::{AbortedTransaction, EpochEndOffset, LeaderIdAndEpoch, PartitionData},
};
use headwater_records::Compression;
use headwater_storage::{Isolation, LogSlice, ReadOutcome, ReadRequest, Watermarks};

use super::{Read, TOPIC_IDS_SINCE, failed};
use crate::{
    context::Context,
    error_code,
    fetch_sessions::{Answered, FetchFrom, FetchTarget, Wanted},
    security::{Operation, Resource},
    topics::Partition,
};

/// What holds for all partitions of a fetch together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Bytes of records in all.
    pub(super) bytes_max: usize,
    /// How far records are visible.
    pub(super) isolation: Isolation,
}

/// What one reading of every partition gave.
pub(super) struct Outcome {
    /// Every partition, in the order of the request.
    pub(super) partitions: Vec<Read>,
    /// Bytes of records in all.
    pub(super) bytes: usize,
    /// Whether something is to be told that does not wait.
    pub(super) at_once: bool,
}

/// Reads every partition, in order.
pub(super) async fn read_all(cx: &Context, wanted: &[Wanted], limits: Limits) -> Outcome {
    let mut outcome =
        Outcome { partitions: Vec::with_capacity(wanted.len()), bytes: 0, at_once: wanted.is_empty() };
    for Wanted { target, from } in wanted {
        let room = Room {
            bytes_max: limits.bytes_max.saturating_sub(outcome.bytes),
            at_least_one_batch: outcome.bytes == 0,
            isolation: limits.isolation,
        };
        let read = match find(cx, target) {
            Ok(partition) => read_partition(cx, &partition, target, *from, room).await,
            Err(code) => Err(code),
        };
        let read = read.unwrap_or_else(|code| Read { answered: told(cx, target, code), slices: Vec::new() });
        outcome.bytes += read.answered.data.records.as_ref().map_or(0, Records::len);
        outcome.at_once |= tells_at_once(&read.answered.data);
        outcome.partitions.push(read);
    }
    outcome
}

/// Finds a partition that may be read.
pub(super) fn find(cx: &Context, target: &FetchTarget) -> Result<Partition, ErrorCode> {
    let topic = if cx.api_version() >= TOPIC_IDS_SINCE {
        let topic = cx.topics().by_id(target.topic_id).ok_or(ErrorCode::UnknownTopicId)?;
        cx.authorize(Operation::Read, Resource::Topic(topic.name()))?;
        topic
    } else {
        cx.authorize(Operation::Read, Resource::Topic(&target.topic))?;
        cx.topics().by_name(target.topic.as_str()).ok_or(ErrorCode::UnknownTopicOrPartition)?
    };
    topic.partition(PartitionIndex::new(target.partition)).ok_or(ErrorCode::UnknownTopicOrPartition)
}

/// What is left for a partition.
#[derive(Clone, Copy)]
struct Room {
    bytes_max: usize,
    at_least_one_batch: bool,
    isolation: Isolation,
}

async fn read_partition(
    cx: &Context,
    partition: &Partition,
    target: &FetchTarget,
    from: FetchFrom,
    room: Room,
) -> Result<Read, ErrorCode> {
    // Kafka takes any negative epoch of a fetch for none.
    partition.check_leader_epoch(from.current_leader_epoch.max(-1))?;
    if let Some(diverging_epoch) = diverging(partition, from)? {
        let watermarks = partition.watermarks().map_err(|error| error_code::storage(&error))?;
        let data = PartitionData { diverging_epoch, ..data(target, &watermarks) };
        return Ok(Read { answered: Answered { target: target.clone(), data }, slices: Vec::new() });
    }
    if cx.api_version() < ZSTD_SINCE && partition.topic().log_config().compression == Some(Compression::Zstd)
    {
        return Err(ErrorCode::UnsupportedCompressionType);
    }
    let offset = Offset::new(from.offset).ok_or(ErrorCode::OffsetOutOfRange)?;
    let request = ReadRequest {
        from: offset,
        bytes_max: usize::try_from(from.bytes_max).unwrap_or(0).min(room.bytes_max),
        at_least_one_batch: room.at_least_one_batch,
        isolation: room.isolation,
    };
    let outcome = partition.read(request).await.map_err(|error| {
        let code = error_code::storage(&error);
        if code == ErrorCode::KafkaStorageError {
            tracing::error!(topic = %partition.topic().name(), partition = target.partition, %error, "read failed");
        }
        code
    })?;
    let aborted_transactions = match room.isolation {
        Isolation::ReadCommitted => Some(aborted(&outcome)),
        Isolation::ReadUncommitted | Isolation::LogEnd => None,
    };
    let data = PartitionData { aborted_transactions, ..data(target, &outcome.watermarks) };
    let slices = outcome.slices;
    let records = match slices.iter().map(LogSlice::len).sum::<usize>() {
        0 => Records::default(),
        length => Records::External { length: u32::try_from(length).unwrap_or(u32::MAX), token: 0 },
    };
    let data = PartitionData { records: Some(records), ..data };
    Ok(Read { answered: Answered { target: target.clone(), data }, slices })
}

/// Whether what is answered cannot wait for more.
fn tells_at_once(data: &PartitionData) -> bool {
    data.error_code != ErrorCode::None || data.diverging_epoch.end_offset >= 0
}

fn data(target: &FetchTarget, watermarks: &Watermarks) -> PartitionData {
    PartitionData {
        partition_index: target.partition,
        high_watermark: watermarks.high_watermark.get(),
        last_stable_offset: watermarks.last_stable.get(),
        log_start_offset: watermarks.log_start.get(),
        records: Some(Records::default()),
        ..Default::default()
    }
}

/// A failure; one that has to do with leadership names the leader, for versions that can (KIP-951).
fn told(cx: &Context, target: &FetchTarget, code: ErrorCode) -> Answered {
    let mut answered = failed(target, code);
    let about_leader = matches!(code, ErrorCode::NotLeaderOrFollower | ErrorCode::FencedLeaderEpoch);
    if about_leader
        && cx.api_version() >= CURRENT_LEADER_SINCE
        && let Ok(partition) = find(cx, target)
    {
        answered.data.current_leader = LeaderIdAndEpoch {
            leader_id: cx.cluster().node_id(),
            leader_epoch: partition.leader_epoch().get(),
            ..Default::default()
        };
    }
    answered
}

/// Where the client's last epoch ended, when that is before what the client has (KIP-595).
fn diverging(partition: &Partition, from: FetchFrom) -> Result<Option<EpochEndOffset>, ErrorCode> {
    if from.last_fetched_epoch < 0 {
        return Ok(None);
    }
    let end = partition.epoch_end(LeaderEpoch::new(from.last_fetched_epoch));
    let end = end.map_err(|error| error_code::storage(&error))?.ok_or(ErrorCode::OffsetOutOfRange)?;
    let diverges = end.leader_epoch.get() < from.last_fetched_epoch || end.end_offset.get() < from.offset;
    Ok(diverges.then(|| EpochEndOffset {
        epoch: end.leader_epoch.get(),
        end_offset: end.end_offset.get(),
        ..Default::default()
    }))
}

fn aborted(outcome: &ReadOutcome) -> Vec<AbortedTransaction> {
    let aborted = outcome.aborted.iter().map(|aborted| AbortedTransaction {
        producer_id: aborted.producer_id,
        first_offset: aborted.first_offset.get(),
        ..Default::default()
    });
    aborted.collect()
}

/// The first version whose clients know zstd (KIP-110). Older ones are refused, as Kafka does, by the topic's
/// `compression.type` and not by what its batches hold.
const ZSTD_SINCE: i16 = 10;
/// The first version that can tell who leads.
const CURRENT_LEADER_SINCE: i16 = 12;

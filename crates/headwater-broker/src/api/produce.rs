//! Produce (key 0, versions 3-13). Appends one batch to each partition named (KIP-98, KIP-467, KIP-516, KIP-951).
//!
//! - All batches are judged and have their places in their partitions when the first poll returns; waiting for
//!   durability comes after, so that the requests behind this one may begin.
//! - Codes by partition, in this order: no right to write 29; unknown topic 3, from version 13 on unknown id 100;
//!   unknown partition 3; `acks` other than -1, 0 and 1: 21; an internal topic 17; a transaction 35, until there are
//!   any; then what is wrong with the batch, as `headwater-records` judges it; then what the log says (10, 45, 47, 56).
//! - Each partition holds exactly one batch. Nothing of a refused batch is appended; other partitions go on.
//! - `acks=-1` answers when the batch is durable as the flush policy has it, or with REQUEST_TIMED_OUT (7) after
//!   `timeout_ms`, but not before 5 s; `acks=1` when it is written; `acks=0` never: a failure closes the connection.
//! - Every batch is charged to the client's quota, whatever becomes of it (KIP-13, KIP-219).
//! - A batch that an idempotent producer sends again is answered with its first offset, and not appended.

mod judge;
mod unpack_budget;

use std::{sync::Arc, time::Duration};

use headwater_codec::{
    ErrorCode, PartitionIndex, Records, Str,
    messages::produce::{
        LeaderIdAndEpoch, NodeEndpoint, PartitionProduceData, PartitionProduceResponse, ProduceRequest,
        ProduceResponse, TopicProduceData, TopicProduceResponse,
    },
};
use headwater_storage::{AppendDurability, Appended, Pending, StorageError};
use tokio::time::{Instant, timeout_at};

use self::{
    judge::{Refusal, judge},
    unpack_budget::UnpackBudget,
};
use crate::{
    api::ProduceReply,
    context::Context,
    error_code,
    security::{Operation, Resource},
    topics::Topic,
};

/// How many acknowledgements a producer waits for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Acks {
    /// None, and no answer.
    None,
    /// That the batch is written.
    Leader,
    /// That it is durable.
    AllInSync,
}

impl Acks {
    fn parse(acks: i16) -> Option<Self> {
        match acks {
            -1 => Some(Self::AllInSync),
            0 => Some(Self::None),
            1 => Some(Self::Leader),
            _ => None,
        }
    }

    fn durability(self) -> AppendDurability {
        match self {
            Self::None | Self::Leader => AppendDurability::Written,
            Self::AllInSync => AppendDurability::Committed,
        }
    }
}

type Appending = Pending<Result<Appended, StorageError>>;

/// A topic whose batches are on their way, in the order of the request.
struct Begun {
    response: TopicProduceResponse,
    /// By partition of the response; `None` where a code stands already.
    appending: Vec<Option<Appending>>,
}

pub(super) async fn handle(cx: &Context, request: ProduceRequest) -> ProduceReply<ProduceResponse> {
    let acks = Acks::parse(request.acks);
    let transactional = request.transactional_id.is_some();
    let deadline = deadline(request.timeout_ms);
    let partitions = request.topic_data.iter().flat_map(|topic| &topic.partition_data);
    let throttle_time_ms =
        cx.charge_produced(partitions.filter_map(|data| data.records.as_ref()).map(Records::len).sum());
    let mut unpack = UnpackBudget::new(cx.unpack_limits());
    let begin = |topic| begin_topic(cx, topic, acks, transactional, &mut unpack);
    let begun: Vec<_> = request.topic_data.into_iter().map(begin).collect();
    // Everything has its place; from here on others may begin.
    let mut responses = Vec::with_capacity(begun.len());
    for topic in begun {
        responses.push(finish_topic(topic, acks, deadline).await);
    }
    if acks == Some(Acks::None) {
        let mut partitions = responses.iter().flat_map(|topic| &topic.partition_responses);
        return if partitions.all(|partition| partition.error_code == ErrorCode::None) {
            ProduceReply::Nothing
        } else {
            ProduceReply::Close("a produce request with acks=0 failed")
        };
    }
    let response = with_leader_hints(cx, responses);
    ProduceReply::Response(ProduceResponse { throttle_time_ms, ..response })
}

fn begin_topic(
    cx: &Context,
    data: TopicProduceData,
    acks: Option<Acks>,
    transactional: bool,
    unpack: &mut UnpackBudget,
) -> Begun {
    let topic = find_topic(cx, &data);
    let mut partition_responses = Vec::with_capacity(data.partition_data.len());
    let mut appending = Vec::with_capacity(data.partition_data.len());
    for partition in data.partition_data {
        let index = partition.index;
        let begun = topic
            .as_ref()
            .map_err(|code| Refusal::from(*code))
            .and_then(|topic| begin_partition(cx, topic, partition, acks, transactional, unpack));
        let mut response = PartitionProduceResponse { index, base_offset: -1, ..Default::default() };
        match begun {
            Ok(pending) => appending.push(Some(pending)),
            Err(refusal) => {
                refusal.tell(&mut response);
                appending.push(None);
            }
        }
        partition_responses.push(response);
    }
    let response = TopicProduceResponse {
        name: data.name,
        topic_id: data.topic_id,
        partition_responses,
        ..Default::default()
    };
    Begun { response, appending }
}

fn find_topic(cx: &Context, data: &TopicProduceData) -> Result<Arc<Topic>, ErrorCode> {
    if cx.api_version() >= TOPIC_IDS_SINCE {
        let topic = cx.topics().by_id(data.topic_id).ok_or(ErrorCode::UnknownTopicId)?;
        cx.authorize(Operation::Write, Resource::Topic(topic.name()))?;
        return Ok(topic);
    }
    cx.authorize(Operation::Write, Resource::Topic(&data.name))?;
    cx.topics().by_name(data.name.as_str()).ok_or(ErrorCode::UnknownTopicOrPartition)
}

fn begin_partition(
    cx: &Context,
    topic: &Arc<Topic>,
    data: PartitionProduceData,
    acks: Option<Acks>,
    transactional: bool,
    unpack: &mut UnpackBudget,
) -> Result<Appending, Refusal> {
    let partition =
        topic.partition(PartitionIndex::new(data.index)).ok_or(ErrorCode::UnknownTopicOrPartition)?;
    let acks = acks.ok_or(ErrorCode::InvalidRequiredAcks)?;
    if topic.is_internal() {
        return Err(ErrorCode::InvalidTopicException.into());
    }
    if transactional {
        return Err(ErrorCode::UnsupportedVersion.into());
    }
    let batch = judge(cx, topic, data.records, unpack)?;
    cx.metrics().appended(batch.record_count(), batch.len());
    Ok(partition.append(batch, acks.durability()))
}

async fn finish_topic(begun: Begun, acks: Option<Acks>, deadline: Instant) -> TopicProduceResponse {
    let Begun { mut response, appending } = begun;
    for (partition, appending) in response.partition_responses.iter_mut().zip(appending) {
        let Some(appending) = appending else { continue };
        let appended = match (acks, appending) {
            (_, Pending::Ready(Some(appended))) => appended,
            (Some(Acks::AllInSync), appending) => match timeout_at(deadline, appending).await {
                Ok(appended) => appended,
                Err(_) => {
                    partition.error_code = ErrorCode::RequestTimedOut;
                    continue;
                }
            },
            (_, appending) => appending.await,
        };
        match appended {
            Ok(appended) => {
                partition.base_offset = appended.base_offset.get();
                partition.log_append_time_ms = appended.log_append_time_ms.unwrap_or(-1);
                partition.log_start_offset = appended.log_start_offset.get();
            }
            Err(error) => {
                partition.error_code = error_code::storage(&error);
                if partition.error_code == ErrorCode::KafkaStorageError {
                    tracing::error!(topic = %response.name, partition = partition.index, %error, "append failed");
                }
                partition.error_message = Some(Str::from(error.to_string()));
            }
        }
    }
    response
}

/// A client that was refused as by a broker that does not lead is told who does (KIP-951): we.
fn with_leader_hints(cx: &Context, mut responses: Vec<TopicProduceResponse>) -> ProduceResponse {
    let mut hinted = false;
    for topic in &mut responses {
        for partition in &mut topic.partition_responses {
            if partition.error_code == ErrorCode::NotLeaderOrFollower {
                let known =
                    cx.topics().by_name(topic.name.as_str()).or_else(|| cx.topics().by_id(topic.topic_id));
                let Some(known) = known else { continue };
                partition.current_leader = LeaderIdAndEpoch {
                    leader_id: cx.cluster().node_id(),
                    leader_epoch: known.leader_epoch(PartitionIndex::new(partition.index)).get(),
                    ..Default::default()
                };
                hinted = true;
            }
        }
    }
    let endpoint = hinted.then(|| NodeEndpoint {
        node_id: cx.cluster().node_id(),
        host: cx.endpoint().host.clone(),
        port: cx.endpoint().port.into(),
        rack: cx.cluster().rack().cloned(),
        ..Default::default()
    });
    let hints_known = cx.api_version() >= LEADER_HINTS_SINCE;
    if !hints_known {
        for partition in responses.iter_mut().flat_map(|topic| &mut topic.partition_responses) {
            partition.current_leader = LeaderIdAndEpoch::default();
        }
    }
    let node_endpoints = endpoint.filter(|_| hints_known).into_iter().collect();
    ProduceResponse { responses, node_endpoints, ..Default::default() }
}

/// When waiting ends. A producer's timeout is for replicas; the disk gets [`SYNC_PATIENCE`] whatever the timeout is, because
/// Kafka on one node answers at once what we answer after a sync.
fn deadline(timeout_ms: i32) -> Instant {
    let timeout = Duration::from_millis(u64::try_from(timeout_ms).unwrap_or(0));
    Instant::now() + timeout.max(SYNC_PATIENCE)
}

/// How long an append may take to become durable before its producer is told to try again.
const SYNC_PATIENCE: Duration = Duration::from_secs(5);

/// The first version that names topics by id.
const TOPIC_IDS_SINCE: i16 = 13;
/// The first version that can tell who leads.
const LEADER_HINTS_SINCE: i16 = 10;

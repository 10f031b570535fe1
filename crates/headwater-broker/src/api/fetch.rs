//! Fetch (key 1, versions 4-18). Reads batches, and waits for them (KIP-74, KIP-98, KIP-227, KIP-320, KIP-516, KIP-951).
//!
//! - From version 7 on a fetch may belong to a session: see `fetch_sessions.rs`. A session's faults (70, 71, 106) are told
//!   at the top, with nothing else.
//! - Codes by partition, in this order: unknown topic id 100 (from version 13), no right to read 29, unknown 3; the
//!   client's leader epoch is behind 74, or ahead 75; an offset outside the log 1; below version 10
//!   a topic whose `compression.type` is zstd: 76.
//! - A client whose last epoch ended earlier than it thinks is told where (`diverging_epoch`), and gets no records.
//! - Records go up to the high watermark, or the last stable offset with isolation level 1, which gets the list of
//!   aborted transactions; level 0 gets null for it.
//! - The first partition of the request that has records gives a whole batch whatever the limits are; the others keep
//!   to `partition_max_bytes`, and all together to `max_bytes` and `fetch.max.bytes`. Records are never null.
//! - What is given is charged to the client's quota, which bounds one answer too (KIP-13, KIP-219).
//! - With less than `min_bytes` the answer waits for up to `max_wait_ms`; a failed or diverging partition is told at once.

mod read;
mod wait;

use headwater_codec::{
    ErrorCode, Records,
    messages::fetch::{
        FetchRequest, FetchResponse, FetchTopic, FetchableTopicResponse, ForgottenTopic, LeaderIdAndEpoch,
        NodeEndpoint, PartitionData,
    },
};
use headwater_storage::{Isolation, LogSlice};

use self::{
    read::{Limits, read_all},
    wait::Wait,
};
use crate::{
    api::FetchReply,
    context::Context,
    fetch_sessions::{Answered, FetchFrom, FetchTarget, Fetching, SessionAnswer, SessionRequest, Wanted},
};

pub(super) async fn handle(cx: &Context, request: FetchRequest) -> FetchReply<FetchResponse> {
    let limits = Limits {
        bytes_max: usize::try_from(request.max_bytes).unwrap_or(0).min(cx.fetch_bytes_max()),
        isolation: match request.isolation_level {
            READ_COMMITTED => Isolation::ReadCommitted,
            _ => Isolation::ReadUncommitted,
        },
    };
    // Nobody waits for more than would be given.
    let bytes_min = usize::try_from(request.min_bytes).unwrap_or(0).min(limits.bytes_max);
    let mut wait = Wait::new(request.max_wait_ms);
    let fetching = match cx.fetch_sessions().begin(session_request(cx, request), cx.now_ms()) {
        Ok(fetching) => fetching,
        Err(error_code) => {
            let response = FetchResponse { error_code, ..Default::default() };
            return FetchReply { response, slices: Vec::new() };
        }
    };
    let mut outcome = read_all(cx, &fetching.wanted, limits).await;
    while outcome.bytes < bytes_min && !outcome.at_once && wait.for_more(cx, &fetching.wanted).await {
        outcome = read_all(cx, &fetching.wanted, limits).await;
    }
    cx.metrics().fetched(outcome.bytes);
    let throttle_time_ms = cx.charge_fetched(outcome.bytes);
    let reply = respond(cx, fetching, outcome.partitions);
    FetchReply { response: FetchResponse { throttle_time_ms, ..reply.response }, slices: reply.slices }
}

fn session_request(cx: &Context, request: FetchRequest) -> SessionRequest {
    let wanted = |topic: FetchTopic| {
        let FetchTopic { topic, topic_id, partitions, .. } = topic;
        partitions.into_iter().map(move |asked| Wanted {
            target: FetchTarget { topic: topic.clone(), topic_id, partition: asked.partition },
            from: FetchFrom {
                offset: asked.fetch_offset,
                bytes_max: asked.partition_max_bytes,
                current_leader_epoch: asked.current_leader_epoch,
                last_fetched_epoch: asked.last_fetched_epoch,
            },
        })
    };
    let forgotten = |topic: ForgottenTopic| {
        let ForgottenTopic { topic, topic_id, partitions, .. } = topic;
        partitions.into_iter().map(move |partition| FetchTarget { topic: topic.clone(), topic_id, partition })
    };
    SessionRequest {
        id: request.session_id,
        epoch: request.session_epoch,
        by_topic_id: cx.api_version() >= TOPIC_IDS_SINCE,
        wanted: request.topics.into_iter().flat_map(wanted).collect(),
        forgotten: request.forgotten_topics_data.into_iter().flat_map(forgotten).collect(),
    }
}

/// A partition's answer and its records, which the answer's own field only measures.
struct Read {
    answered: Answered,
    slices: Vec<LogSlice>,
}

fn respond(cx: &Context, fetching: Fetching, partitions: Vec<Read>) -> FetchReply<FetchResponse> {
    // The records' token says where their slices are, whatever the session leaves out.
    let mut slices = Vec::with_capacity(partitions.len());
    let answered = partitions.into_iter().map(|read| {
        let mut answered = read.answered;
        if let Some(Records::External { token, .. }) = &mut answered.data.records {
            *token = slices.len() as u64;
            slices.push(read.slices);
        }
        answered
    });
    let answered = answered.collect();
    let SessionAnswer { error_code, session_id, answered } =
        cx.fetch_sessions().finish(fetching, answered, cx.now_ms());
    let node_endpoints = leader_hint(cx, &answered).into_iter().collect();
    let response = FetchResponse {
        error_code,
        session_id,
        responses: by_topic(answered),
        node_endpoints,
        ..Default::default()
    };
    FetchReply { response, slices }
}

/// Partitions of one topic that follow each other share an entry; their order stays.
fn by_topic(answered: Vec<Answered>) -> Vec<FetchableTopicResponse> {
    let mut topics: Vec<FetchableTopicResponse> = Vec::new();
    for Answered { target, data } in answered {
        match topics.last_mut() {
            Some(last) if last.topic == target.topic && last.topic_id == target.topic_id => {
                last.partitions.push(data)
            }
            _ => topics.push(FetchableTopicResponse {
                topic: target.topic,
                topic_id: target.topic_id,
                partitions: vec![data],
                ..Default::default()
            }),
        }
    }
    topics
}

/// Where the leader is that some partition's answer names (KIP-951).
fn leader_hint(cx: &Context, answered: &[Answered]) -> Option<NodeEndpoint> {
    let hinted = answered.iter().any(|answered| answered.data.current_leader != LeaderIdAndEpoch::default());
    (hinted && cx.api_version() >= NODE_ENDPOINTS_SINCE).then(|| NodeEndpoint {
        node_id: cx.cluster().node_id(),
        host: cx.endpoint().host.clone(),
        port: cx.endpoint().port.into(),
        rack: cx.cluster().rack().cloned(),
        ..Default::default()
    })
}

/// A partition without records, as a failure is told.
fn failed(target: &FetchTarget, error_code: ErrorCode) -> Answered {
    let data = PartitionData {
        partition_index: target.partition,
        error_code,
        high_watermark: NO_OFFSET,
        last_stable_offset: NO_OFFSET,
        log_start_offset: NO_OFFSET,
        records: Some(Records::default()),
        ..Default::default()
    };
    Answered { target: target.clone(), data }
}

/// The isolation level that sees committed records only.
const READ_COMMITTED: i8 = 1;
/// The first version that names topics by id.
const TOPIC_IDS_SINCE: i16 = 13;
/// The first version that can tell where leaders are.
const NODE_ENDPOINTS_SINCE: i16 = 16;
/// "No offset" on the wire.
const NO_OFFSET: i64 = -1;

//! Polls messages and makes a batch of them.

use headwater_records::ValidatedBatch;
use headwater_storage::{LogSlice, ReadOutcome, ReadRequest, StorageError};
use iggy::prelude::{Consumer, Identifier, IggyMessage, MessageClient, PolledMessages, PollingStrategy};
use std::sync::{Arc, LazyLock};

use super::{
    Shared, convert,
    directory::ServedTopic,
    partition::{Partition, offset},
    sender::spread,
};
use crate::{BatchRebuild, Message, from_iggy_lenient};

/// Reads records from `request.from` on, as one batch.
pub(super) async fn read(
    shared: &Shared,
    topic: &ServedTopic,
    partition: &Partition,
    request: ReadRequest,
) -> Result<ReadOutcome, StorageError> {
    topic.touch();
    let mut now = partition.now();
    if request.from > now.log_end {
        // Somebody else has written meanwhile, or the offset is wrong.
        let looked = super::follow::look_at(shared, topic).await;
        looked.map_err(|error| convert::read_error(partition.id, error))?;
        now = partition.now();
    }
    if request.from < now.log_start || request.from > now.log_end {
        return Err(StorageError::OffsetOutOfRange {
            log: partition.log.clone(),
            requested: request.from,
            log_start: now.log_start,
            log_end: now.log_end,
        });
    }
    let wants_bytes = request.bytes_max > 0 || request.at_least_one_batch;
    let batch = if request.from < now.log_end && wants_bytes {
        gather(shared, topic, partition, request).await?
    } else {
        None
    };
    let slices = batch.map(|batch| LogSlice::Bytes(batch.to_bytes())).into_iter().collect();
    Ok(ReadOutcome { slices, watermarks: partition.now(), aborted: Vec::new() })
}

async fn gather(
    shared: &Shared,
    topic: &ServedTopic,
    partition: &Partition,
    request: ReadRequest,
) -> Result<Option<ValidatedBatch>, StorageError> {
    let unreadable = |source| StorageError::Unreadable {
        log: partition.log.clone(),
        offset: request.from,
        source: Arc::new(source),
    };
    let mut rebuild = BatchRebuild::new();
    let mut from = request.from.get().cast_unsigned();
    'polls: for _ in 0..POLLS_MAX {
        let room = request.bytes_max.saturating_sub(rebuild.records_len());
        let strategy = PollingStrategy::offset(from);
        let polled = poll(shared, topic, partition, strategy, partition.messages_in(room)).await?;
        let bytes = polled.messages.iter().map(size).sum::<usize>();
        partition.learn(polled.messages.len(), bytes);
        let Some(last) = polled.messages.last().map(|message| message.header.offset) else { break };
        for message in &polled.messages {
            if message.header.offset < from {
                continue;
            }
            let is_first = rebuild.record_count() == 0;
            let fits = rebuild.records_len() + size(message) + BATCH_OVERHEAD <= request.bytes_max;
            let must_fit = !(is_first && request.at_least_one_batch);
            if must_fit && !fits {
                break 'polls;
            }
            let (record, fault) = from_iggy_lenient(&view(message));
            if let Some(fault) = fault {
                let offset = message.header.offset;
                tracing::debug!(log = %partition.log, offset, %fault, "a message is given as a native one");
            }
            rebuild.push(message.header.offset, record).map_err(unreadable)?;
            if is_first && !fits {
                break 'polls;
            }
        }
        partition.advance(headwater_codec::Offset::ZERO, offset(last.saturating_add(1)));
        from = last.saturating_add(1);
        if offset(from) >= partition.now().log_end || rebuild.records_len() >= request.bytes_max {
            break;
        }
    }
    rebuild.finish().map_err(unreadable)
}

/// Asks for messages of one partition. Nothing is committed.
pub(super) async fn poll(
    shared: &Shared,
    topic: &ServedTopic,
    partition: &Partition,
    strategy: PollingStrategy,
    count: u32,
) -> Result<PolledMessages, StorageError> {
    let (stream, name) = (&topic.stream, &topic.topic);
    let polled = shared
        .links
        .polls(spread(partition))
        .ask(|client| async move {
            client
                .poll_messages(stream, name, Some(partition.number), &CONSUMER, &strategy, count, false)
                .await
        })
        .await;
    polled.map_err(|error| convert::read_error(partition.id, error))
}

/// A polled message as the mapping sees it.
pub(super) fn view(message: &IggyMessage) -> Message<'_> {
    Message {
        offset: message.header.offset,
        timestamp: message.header.timestamp,
        origin_timestamp: message.header.origin_timestamp,
        user_headers: message.user_headers.as_deref().unwrap_or_default(),
        payload: &message.payload,
    }
}

/// About what a message takes in a batch: never less than it does, but for headers that are shorter there.
fn size(message: &IggyMessage) -> usize {
    RECORD_OVERHEAD + message.payload.len() + message.user_headers.as_ref().map_or(0, |headers| headers.len())
}

/// Who polls. It stores no offsets.
static CONSUMER: LazyLock<Consumer> =
    LazyLock::new(|| Consumer::new(Identifier::numeric(1).unwrap_or_default()));
/// Polls for one read at most.
const POLLS_MAX: usize = 64;
/// A record's own length, times, and lengths of its parts, at most.
const RECORD_OVERHEAD: usize = 32;
const BATCH_OVERHEAD: usize = 61;

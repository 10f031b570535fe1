//! Sends what is appended to one partition, in order.
//!
//! While a send is under way more appends gather, and the next send takes them all as long as they fit: so the way to
//! the server and back is paid once for many, and producers do not wait for each other.

use std::{collections::VecDeque, sync::Arc};

use headwater_codec::Offset;
use headwater_records::ValidatedBatch;
use headwater_storage::{Appended, StorageError};
use iggy::prelude::{IggyError, IggyMessage, IggyMessageHeader, MessageClient, Partitioning};
use tokio::sync::{mpsc, oneshot};

use super::{
    Shared, convert,
    directory::ServedTopic,
    partition::{Job, Partition, offset},
};
use crate::{MapError, OutgoingMessage, SEND_BYTES_MAX, SEND_SPAN_US_MAX, batch_to_messages};

/// Who is answered for how many messages of a send.
type Answer = (usize, oneshot::Sender<Result<Appended, StorageError>>);

/// What goes to the server at once.
#[derive(Default)]
struct Send {
    messages: Vec<IggyMessage>,
    answers: Vec<Answer>,
    bytes: usize,
    /// The first and the last origin timestamp.
    span: Option<(u64, u64)>,
}

impl Send {
    /// Whether these messages may go along.
    fn has_room(&self, messages: &[OutgoingMessage]) -> bool {
        let bytes = messages.iter().map(size).sum::<usize>();
        let span = joined(self.span, messages);
        self.bytes + bytes <= SEND_BYTES_MAX && span.is_none_or(|(from, to)| to - from <= SEND_SPAN_US_MAX)
    }

    fn add(
        &mut self,
        messages: Vec<OutgoingMessage>,
        answer: oneshot::Sender<Result<Appended, StorageError>>,
    ) {
        self.bytes += messages.iter().map(size).sum::<usize>();
        self.span = joined(self.span, &messages);
        self.answers.push((messages.len(), answer));
        self.messages.extend(messages.into_iter().map(iggy_message));
    }
}

/// Sends until the queue is closed and empty.
pub(super) async fn run(
    shared: Arc<Shared>,
    topic: Arc<ServedTopic>,
    partition: Arc<Partition>,
    mut queue: mpsc::UnboundedReceiver<Job>,
) {
    let mut waiting = VecDeque::new();
    while let Some(first) = next(&mut waiting, &mut queue).await {
        let mut send = Send::default();
        let mut job = Some(first);
        while let Some(Job { batch, answer }) = job.take() {
            match unfold(&shared, batch.clone()).await {
                Ok(messages) if send.answers.is_empty() || send.has_room(&messages) => {
                    send.add(messages, answer)
                }
                Ok(_) => {
                    // The next send's; to unfold it twice is cheaper than to hold it.
                    waiting.push_front(Job { batch, answer });
                    break;
                }
                Err(error) => drop(answer.send(Err(convert::refused(&partition.log, error)))),
            }
            job = waiting.pop_front().or_else(|| queue.try_recv().ok());
        }
        if !send.messages.is_empty() {
            deliver(&shared, &topic, &partition, send).await;
        }
    }
}

async fn next(waiting: &mut VecDeque<Job>, queue: &mut mpsc::UnboundedReceiver<Job>) -> Option<Job> {
    match waiting.pop_front() {
        Some(job) => Some(job),
        None => queue.recv().await,
    }
}

/// Makes messages of a batch; a large one not on the runtime's own threads.
async fn unfold(shared: &Shared, batch: ValidatedBatch) -> Result<Vec<OutgoingMessage>, MapError> {
    let limits = shared.options.limits;
    if batch.unpacked_len() < INLINE_MAX {
        return batch_to_messages(batch, limits);
    }
    let unfolded = tokio::task::spawn_blocking(move || batch_to_messages(batch, limits)).await;
    // It only ends otherwise when the runtime does.
    unfolded.unwrap_or(Err(MapError::BatchTooLarge { limits }))
}

async fn deliver(shared: &Shared, topic: &ServedTopic, partition: &Partition, send: Send) {
    let Send { mut messages, answers, .. } = send;
    let partitioning = Partitioning::partition_id(partition.number);
    let (stream, name) = (&topic.stream, &topic.topic);
    let count = messages.len() as u64;
    let link = shared.links.sends(spread(partition));
    let sent = link
        .ask(|client| async move { client.send_messages(stream, name, &partitioning, &mut messages).await })
        .await;
    let base = match sent {
        Ok(response) => match response.confirmations.first() {
            Some(confirmation) => Ok(confirmation.base_offset),
            None => found_end(shared, topic, partition).await.map(|end| end.saturating_sub(count)),
        },
        Err(error) => Err(error),
    };
    match base {
        Ok(base) => {
            partition.advance(Offset::ZERO, offset(base.saturating_add(count)));
            let log_start_offset = partition.now().log_start;
            let mut next = base;
            for (count, answer) in answers {
                let base_offset = offset(next);
                next = next.saturating_add(count as u64);
                let appended =
                    Appended { base_offset, log_append_time_ms: None, log_start_offset, duplicate: false };
                drop(answer.send(Ok(appended)));
            }
        }
        Err(error) => {
            tracing::warn!(log = %partition.log, %error, "a send to Iggy failed");
            let error = convert::send_error(&partition.log, partition.id, error);
            for (_, answer) in answers {
                drop(answer.send(Err(error.clone())));
            }
        }
    }
}

/// Where the partition ends, for a server that takes a send without telling where it went. Another producer may have
/// written meanwhile: then the offsets told are later ones.
async fn found_end(shared: &Shared, topic: &ServedTopic, partition: &Partition) -> Result<u64, IggyError> {
    super::follow::look_at(shared, topic).await?;
    Ok(partition.now().log_end.get().cast_unsigned())
}

/// Which of the connections a partition uses.
pub(super) fn spread(partition: &Partition) -> usize {
    let (id, index) = (partition.id.topic_id.as_u128(), partition.id.partition.get());
    (id as usize).wrapping_add(index.unsigned_abs() as usize)
}

fn iggy_message(message: OutgoingMessage) -> IggyMessage {
    // Neither can be longer than a send.
    let header = IggyMessageHeader {
        origin_timestamp: message.origin_timestamp,
        user_headers_length: message.user_headers.len() as u32,
        payload_length: message.payload.len() as u32,
        ..IggyMessageHeader::default()
    };
    IggyMessage { header, payload: message.payload, user_headers: Some(message.user_headers) }
}

fn size(message: &OutgoingMessage) -> usize {
    64 + message.payload.len() + message.user_headers.len()
}

fn joined(span: Option<(u64, u64)>, messages: &[OutgoingMessage]) -> Option<(u64, u64)> {
    let origins = messages.iter().map(|message| message.origin_timestamp);
    origins.fold(span, |span, at| Some(span.map_or((at, at), |(from, to)| (from.min(at), to.max(at)))))
}

/// Bytes of records that are unfolded where they are.
const INLINE_MAX: usize = 256 << 10;

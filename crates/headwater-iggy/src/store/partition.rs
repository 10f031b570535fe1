//! One partition: what is known of its offsets, and the appends that wait to be sent.

use std::sync::atomic::{AtomicUsize, Ordering};

use headwater_codec::{LeaderEpoch, Offset, PartitionIndex, TopicIdPartition};
use headwater_records::ValidatedBatch;
use headwater_storage::{Appended, LogName, StorageError, Watermarks};
use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot, watch};

use super::directory::ServedTopic;

/// An append that waits for its turn.
pub(super) struct Job {
    pub(super) batch: ValidatedBatch,
    pub(super) answer: oneshot::Sender<Result<Appended, StorageError>>,
}

/// One partition.
pub(super) struct Partition {
    pub(super) id: TopicIdPartition,
    pub(super) log: LogName,
    /// Iggy's number for it.
    pub(super) number: u32,
    watermarks: watch::Sender<Watermarks>,
    /// Where appends wait; there once something was appended.
    queue: Mutex<Option<mpsc::UnboundedSender<Job>>>,
    /// Bytes of a record on average, as polled; 0 before the first.
    record_bytes: AtomicUsize,
}

impl Partition {
    pub(super) fn new(topic: &ServedTopic, number: u32) -> Self {
        let index = PartitionIndex::new(i32::try_from(number).unwrap_or(i32::MAX));
        let watermarks = Watermarks { leader_epoch: LeaderEpoch::new(0), ..Watermarks::default() };
        Self {
            id: TopicIdPartition::new(topic.id, index),
            log: LogName::new(&format!("{}-{number}", topic.name)),
            number,
            watermarks: watch::Sender::new(watermarks),
            queue: Mutex::new(None),
            record_bytes: AtomicUsize::new(0),
        }
    }

    pub(super) fn now(&self) -> Watermarks {
        *self.watermarks.borrow()
    }

    pub(super) fn subscribe(&self) -> watch::Receiver<Watermarks> {
        self.watermarks.subscribe()
    }

    /// Takes in what Iggy says of its offsets. Offsets have no gaps in Iggy, so the count tells where they begin.
    pub(super) fn observe(&self, found: &iggy::prelude::Partition) {
        let is_untouched = found.current_offset == 0 && found.messages_count == 0;
        let end = if is_untouched { 0 } else { found.current_offset.saturating_add(1) };
        self.advance(offset(end.saturating_sub(found.messages_count)), offset(end));
    }

    /// Raises the offsets; neither ever goes back.
    pub(super) fn advance(&self, start: Offset, end: Offset) {
        self.watermarks.send_if_modified(|now| {
            let next = Watermarks {
                log_start: now.log_start.max(start),
                last_stable: now.last_stable.max(end),
                high_watermark: now.high_watermark.max(end),
                log_end: now.log_end.max(end),
                leader_epoch: now.leader_epoch,
            };
            let is_new = next != *now;
            *now = next;
            is_new
        });
    }

    /// Puts an append in the queue; `begin` starts who sends what is in it.
    pub(super) fn enqueue(&self, mut job: Job, begin: impl FnOnce(mpsc::UnboundedReceiver<Job>)) {
        let mut queue = self.queue.lock();
        if let Some(sender) = &*queue {
            match sender.send(job) {
                Ok(()) => return,
                Err(rejected) => job = rejected.0,
            }
        }
        let (sender, receiver) = mpsc::unbounded_channel();
        // Nobody has closed it yet.
        let _ = sender.send(job);
        *queue = Some(sender);
        begin(receiver);
    }

    /// Sends nothing more; what waits is sent still.
    pub(super) fn close(&self) {
        *self.queue.lock() = None;
    }

    /// How many messages to ask for to get about so many bytes.
    pub(super) fn messages_in(&self, bytes: usize) -> u32 {
        match self.record_bytes.load(Ordering::Relaxed) {
            0 => FIRST_POLL,
            each => u32::try_from(bytes / each).unwrap_or(u32::MAX).clamp(1, POLL_MAX),
        }
    }

    /// Learns how large records are.
    pub(super) fn learn(&self, count: usize, bytes: usize) {
        if let Some(each) = bytes.checked_div(count) {
            self.record_bytes.store(each.max(1), Ordering::Relaxed);
        }
    }
}

/// An offset of Iggy's; it never has one over 63 bits.
pub(super) fn offset(raw: u64) -> Offset {
    Offset::new(i64::try_from(raw).unwrap_or(i64::MAX)).unwrap_or(Offset::ZERO)
}

/// Messages of the first poll, before it is known how large they are.
const FIRST_POLL: u32 = 16;
/// Messages of one poll at most.
const POLL_MAX: u32 = 1000;

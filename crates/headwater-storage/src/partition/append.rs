//! Appends: the queue and whoever drains it.

use tokio::sync::oneshot;

use headwater_records::ValidatedBatch;

use super::{Job, Partition, State};
use crate::{
    AppendDurability, AppendJob, AppendOutcome, Appended, Fence, LogFormat, Pending, StorageError, log::Log,
};

impl<F: LogFormat> Partition<F> {
    /// Appends a batch. It has its place in the order when this returns.
    pub(crate) fn append(
        &self,
        batch: ValidatedBatch,
        durability: AppendDurability,
        fence: Fence,
    ) -> Pending<Result<Appended, StorageError>> {
        if let Err(error) = self.check_fence(fence) {
            return Pending::ready(Err(error));
        }
        let entry = match F::entry(&self.name, batch, &self.config.load()) {
            Ok(entry) => entry,
            Err(error) => return Pending::ready(Err(error)),
        };
        let (reply, mut answer) = oneshot::channel();
        {
            let mut queue = self.queue.lock();
            if let Some(closed) = queue.closed {
                return Pending::ready(Err(self.closed_error(closed)));
            }
            queue.jobs.push(Job { entry, durability, reply });
            if !queue.busy {
                queue.busy = true;
                drop(queue);
                self.drain();
            }
        }
        match answer.try_recv() {
            Ok(answer) => Pending::ready(answer),
            Err(_) => Pending::waiting(async move { answer.await.unwrap_or(Err(StorageError::Closed)) }),
        }
    }

    /// Appends what is queued until nothing is.
    fn drain(&self) {
        let mut taken = Vec::new();
        for round in 0.. {
            // Whoever drains has something else to do, too: under a steady load a thread that waits anyway takes over.
            if round >= ROUNDS_MAX
                && let Some(partition) = self.shared()
            {
                self.store.io.submit(move || partition.drain());
                return;
            }
            {
                let mut queue = self.queue.lock();
                if queue.jobs.is_empty() {
                    queue.busy = false;
                    // The room is kept for the next round, unless a burst made it large.
                    if taken.capacity() <= QUEUE_ROOM_KEPT && queue.jobs.capacity() == 0 {
                        queue.jobs = taken;
                    }
                    return;
                }
                std::mem::swap(&mut queue.jobs, &mut taken);
            }
            self.append_all(&mut taken);
        }
    }

    fn append_all(&self, taken: &mut Vec<Job<F::Entry>>) {
        let mut state = self.state.lock();
        let log = match self.open_log(&mut state) {
            Ok(log) => log,
            Err(error) => {
                drop(state);
                for job in taken.drain(..) {
                    // A receiver that is gone does not want the answer.
                    let _ = job.reply.send(Err(error.clone()));
                }
                return;
            }
        };
        let mut replies = Vec::with_capacity(taken.len());
        let mut jobs = Vec::with_capacity(taken.len());
        for job in taken.drain(..) {
            replies.push((job.durability, job.reply));
            jobs.push(AppendJob::new(job.entry));
        }
        log.append(&mut jobs, self.leader_epoch(), self.now_ms());
        self.touched.store(true, std::sync::atomic::Ordering::Relaxed);
        self.answer(log, jobs, replies);
        let failed = log.is_broken();
        drop(state);
        debug_assert!(!failed, "appending does not break a log");
    }

    /// Publishes what was appended, and answers whom it is the time for.
    fn answer(
        &self,
        log: &mut Log<F>,
        jobs: Vec<AppendJob<F::Entry>>,
        replies: Vec<(AppendDurability, super::Reply)>,
    ) {
        let log_start_offset = log.log_start();
        let appended = |outcome: AppendOutcome| Appended {
            base_offset: outcome.base_offset,
            log_append_time_ms: outcome.log_append_time_ms,
            log_start_offset,
            duplicate: outcome.duplicate,
        };
        let mut now = Vec::with_capacity(replies.len());
        {
            let mut commit = self.commit.lock();
            let high = (!self.group_commit()).then(|| log.view().end());
            self.publish(log, high);
            let committed = self.snapshot.load().as_ref().map_or(0, |snapshot| snapshot.high.offset);
            for (job, (durability, reply)) in jobs.into_iter().zip(replies) {
                match job.into_outcome() {
                    Ok(outcome)
                        if durability == AppendDurability::Committed
                            && outcome.next_offset.get() > committed =>
                    {
                        commit.wait(outcome.next_offset.get(), outcome.duplicate, appended(outcome), reply);
                    }
                    outcome => now.push((outcome.map(appended), reply)),
                }
            }
            self.sync_if_needed(log, &mut commit);
        }
        for (answer, reply) in now {
            let _ = reply.send(answer);
        }
    }

    /// Waits until nobody drains, so that everything that was queued is in the log.
    pub(super) fn settle(&self) {
        while self.queue.lock().busy {
            // Whoever drains holds the state while it writes.
            drop(self.state.lock());
            std::thread::yield_now();
        }
    }

    /// Takes nothing more and answers what waits.
    pub(crate) fn close_queue(&self, closed: super::Closed) {
        let jobs = {
            let mut queue = self.queue.lock();
            queue.closed.get_or_insert(closed);
            if queue.busy { Vec::new() } else { std::mem::take(&mut queue.jobs) }
        };
        for job in jobs {
            let _ = job.reply.send(Err(self.closed_error(closed)));
        }
        self.settle();
    }

    pub(super) fn is_closed(&self, closed: super::Closed) -> bool {
        self.queue.lock().closed == Some(closed)
    }

    pub(super) fn is_open(state: &State<F>) -> bool {
        matches!(state, State::Open(_))
    }
}

/// How often a caller drains the queue for others.
const ROUNDS_MAX: u32 = 64;

/// Jobs whose room in the queue is kept.
const QUEUE_ROOM_KEPT: usize = 1024;

//! Who waits for a sync, and the syncs.

use std::{
    collections::VecDeque,
    sync::{Arc, atomic::Ordering},
};

use super::{Partition, Repair, Reply, State};
use crate::{
    Appended, LogFormat, LogPlace, StorageError,
    log::{Log, Unsynced},
};

/// Appends that are written and not yet committed, in the order of their offsets.
#[derive(Debug, Default)]
pub(super) struct Commit {
    waiters: VecDeque<Waiter>,
    /// Those of duplicates, in no order; there are few.
    duplicates: Vec<Waiter>,
    /// A sync is queued or under way.
    syncing: bool,
    /// What is synced and still to be sealed, because that failed.
    unsealed: Option<Unsynced>,
    /// How many are being sealed.
    sealing: u32,
    /// Under `os`, a sync failed: what it was to cover is never known to be on disk.
    frozen: bool,
}

#[derive(Debug)]
struct Waiter {
    next_offset: i64,
    appended: Appended,
    reply: Reply,
}

impl Commit {
    pub(super) fn wait(&mut self, next_offset: i64, duplicate: bool, appended: Appended, reply: Reply) {
        let waiter = Waiter { next_offset, appended, reply };
        if duplicate { self.duplicates.push(waiter) } else { self.waiters.push_back(waiter) }
    }

    /// Takes those out whose records lie below `committed`.
    fn take_upto(&mut self, committed: i64) -> Vec<Waiter> {
        let count = self.waiters.iter().take_while(|waiter| waiter.next_offset <= committed).count();
        let mut done: Vec<Waiter> = self.waiters.drain(..count).collect();
        done.extend(self.duplicates.extract_if(.., |waiter| waiter.next_offset <= committed));
        done
    }

    fn take_all(&mut self) -> Vec<Waiter> {
        self.waiters.drain(..).chain(self.duplicates.drain(..)).collect()
    }
}

impl<F: LogFormat> Partition<F> {
    /// Starts a sync when something is unsynced and none is under way.
    pub(super) fn sync_if_needed(&self, log: &Log<F>, commit: &mut Commit) {
        let needed = if self.group_commit() { log.has_unsynced() } else { log.has_closed() };
        if needed && !commit.syncing {
            commit.syncing = true;
            self.submit_sync();
        }
    }

    fn submit_sync(&self) {
        if let Some(partition) = self.shared() {
            self.store.syncs.submit(move || partition.sync_once());
        }
    }

    /// One sync: of everything that is written when it starts.
    fn sync_once(&self) {
        let unsynced = match &mut *self.state.lock() {
            State::Open(log) => log.take_unsynced(),
            _ => {
                self.commit.lock().syncing = false;
                return;
            }
        };
        let started = std::time::Instant::now();
        let synced = unsynced.sync();
        self.store.note_sync(started.elapsed());
        match synced {
            Ok(()) => self.synced(unsynced),
            Err(error) => self.sync_failed(error),
        }
    }

    fn synced(&self, unsynced: Unsynced) {
        let place = unsynced.upto();
        let done = {
            let mut state = self.state.lock();
            let mut commit = self.commit.lock();
            let State::Open(log) = &mut *state else {
                commit.syncing = false;
                return;
            };
            log.mark_synced(place);
            if self.group_commit() {
                self.publish(log, Some(place));
            }
            let again = if self.group_commit() { log.has_unsynced() } else { log.has_closed() };
            // The next one starts at once; it may overtake the sealing below, which then is the next one's.
            commit.syncing = again;
            if again {
                self.submit_sync();
            }
            commit.take_upto(place.offset)
        };
        for waiter in done {
            let _ = waiter.reply.send(Ok(waiter.appended));
        }
        self.seal(unsynced);
    }

    /// Writes what recovery needs less of the log for, and moves the recovery point.
    fn seal(&self, mut unsynced: Unsynced) {
        {
            let mut commit = self.commit.lock();
            if let Some(older) = commit.unsealed.take() {
                unsynced.absorb_unsealed(older);
            }
            commit.sealing += 1;
        }
        let sealed = if unsynced.is_sealed() { Ok(()) } else { unsynced.seal() };
        let mut commit = self.commit.lock();
        commit.sealing -= 1;
        match sealed {
            // The point may not pass what another thread is still at, or has failed at.
            Ok(()) if commit.sealing == 0 && commit.unsealed.is_none() && !commit.frozen => {
                self.recovery_point.fetch_max(unsynced.upto().offset, Ordering::AcqRel);
            }
            Ok(()) => {}
            Err(error) => {
                tracing::warn!(log = %self.name, %error, "indexes are not written; the next sync tries again");
                if let Some(other) = commit.unsealed.take() {
                    unsynced.absorb_unsealed(other);
                }
                commit.unsealed = Some(unsynced);
            }
        }
    }

    /// After a failed sync everything unsynced is given up, and the log goes on in a new segment, if it can.
    fn sync_failed(&self, error: StorageError) {
        if !self.group_commit() {
            tracing::error!(log = %self.name, %error, "a sync failed; the recovery point stays where it is");
            let mut commit = self.commit.lock();
            commit.frozen = true;
            commit.syncing = false;
            return;
        }
        tracing::error!(log = %self.name, %error, "a sync failed; what it was to cover is taken back");
        let given_up = {
            let mut state = self.state.lock();
            let mut commit = self.commit.lock();
            commit.syncing = false;
            let given_up = commit.take_all();
            if let State::Open(log) = &mut *state {
                match log.restart_at_synced(self.now_ms()) {
                    Ok(()) => self.publish(log, self.group_commit().then(|| log.synced())),
                    Err(again) => {
                        self.publish(log, self.group_commit().then(|| log.synced()));
                        self.take_offline(&mut state, again);
                    }
                }
            }
            given_up
        };
        for waiter in given_up {
            let _ = waiter.reply.send(Err(error.clone()));
        }
    }

    /// Out of service; tried again in a while.
    fn take_offline(&self, state: &mut State<F>, error: StorageError) {
        tracing::error!(log = %self.name, %error, "the partition is offline");
        let retry_ms = self.now_ms().saturating_add(super::opening::RETRY_MS);
        if let State::Open(log) = std::mem::replace(state, State::Closed(super::Closed::Store)) {
            *state = State::Offline { error: Arc::new(error), retry_ms, how: Repair::Restart(log) };
        }
    }

    /// Answers everybody who still waits.
    pub(super) fn abandon(&self, error: &StorageError) {
        let waiters = self.commit.lock().take_all();
        for waiter in waiters {
            let _ = waiter.reply.send(Err(error.clone()));
        }
    }

    /// Answers everybody whose records are below `place`, which is durable.
    pub(super) fn committed(&self, log: &Log<F>, place: LogPlace) {
        let done = {
            let mut commit = self.commit.lock();
            self.publish(log, Some(place));
            commit.take_upto(place.offset)
        };
        for waiter in done {
            let _ = waiter.reply.send(Ok(waiter.appended));
        }
        self.recovery_point.fetch_max(place.offset, Ordering::AcqRel);
    }
}

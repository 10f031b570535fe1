//! The store's own clockwork: checkpoints, retention, and another try for what is offline.

use std::{
    sync::Arc,
    thread::JoinHandle,
    time::{Duration, Instant},
};

use parking_lot::{Condvar, Mutex};

use super::{Shared, cleaners::Cleaners};
use crate::{LogFormat, StorageError};

/// One thread that wakes once in a while, and those that compact. Dropping it stops and joins them.
#[derive(Debug)]
pub(super) struct Background {
    stop: Arc<Stop>,
    thread: Option<JoinHandle<()>>,
    _cleaners: Cleaners,
}

/// How a thread is told to stop.
#[derive(Debug, Default)]
pub(super) struct Stop {
    asked: Mutex<bool>,
    wake: Condvar,
}

impl Stop {
    /// Tells whoever looks or waits.
    pub(super) fn ask(&self) {
        *self.asked.lock() = true;
        self.wake.notify_all();
    }

    /// Waits for a time, or until it is told to stop. Whether it is.
    pub(super) fn waited(&self, time: Duration) -> bool {
        let mut asked = self.asked.lock();
        if !*asked && !time.is_zero() {
            self.wake.wait_for(&mut asked, time);
        }
        *asked
    }
}

impl Background {
    pub(super) fn start<F: LogFormat>(shared: &Arc<Shared<F>>) -> Result<Self, StorageError> {
        let cleaners = Cleaners::start(shared)?;
        let stop = Arc::new(Stop::default());
        let (shared, stopping) = (Arc::clone(shared), Arc::clone(&stop));
        let thread =
            std::thread::Builder::new().name("headwater-store".into()).spawn(move || run(&shared, &stopping));
        let thread = thread.map_err(|error| StorageError::io("start a thread", ".", error))?;
        Ok(Self { stop, thread: Some(thread), _cleaners: cleaners })
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.stop.ask();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the store's background thread had panicked");
        }
    }
}

fn run<F: LogFormat>(shared: &Arc<Shared<F>>, stop: &Stop) {
    shared.remove_leftovers();
    let tick = Duration::from_millis(shared.options.checkpoint_interval_ms.max(1));
    let retention = Duration::from_millis(shared.options.retention_check_interval_ms.max(1));
    let expiry = Duration::from_millis(shared.options.producer_id_check_interval_ms.max(1));
    let (mut checked, mut expired) = (Instant::now(), Instant::now());
    loop {
        if stop.waited(tick.min(retention).min(expiry)) {
            return;
        }
        for partition in shared.partitions() {
            partition.retry();
            if let Err(error) = partition.write_indexes() {
                tracing::warn!(log = %partition.name, %error, "indexes are not written");
            }
        }
        if let Err(error) = shared.write_checkpoints() {
            tracing::warn!(%error, "checkpoints are not written");
        }
        if checked.elapsed() >= retention {
            checked = Instant::now();
            shared.housekeep();
        }
        if expired.elapsed() >= expiry {
            expired = Instant::now();
            shared.expire_producers();
        }
    }
}

impl<F: LogFormat> Shared<F> {
    /// Removes what is left of topics that were being deleted when the last run ended.
    pub(super) fn remove_leftovers(&self) {
        for dir in &self.dirs {
            let Ok(entries) = self.disk.list(&dir.path) else { continue };
            for entry in entries.into_iter().filter(|entry| entry.is_dir && entry.name.ends_with("-delete")) {
                let path = dir.path.join(&entry.name);
                // A topic may be called so; the name of a deleted one has a dot and 32 hex digits before it.
                let is_side = entry.name.strip_suffix("-delete").and_then(|name| name.rsplit_once('.'));
                if is_side
                    .is_some_and(|(_, hex)| hex.len() == 32 && hex.bytes().all(|b| b.is_ascii_hexdigit()))
                    && let Err(error) = self.disk.remove_dir(&path)
                {
                    tracing::warn!(dir = %path.display(), %error, "a deleted topic's directory is not removed");
                }
            }
        }
    }
}

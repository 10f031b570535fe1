//! The threads that compact logs: each takes the one with the largest part that was not compacted yet, again and again.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

use parking_lot::Mutex;

use super::{Shared, background::Stop};
use crate::{LogFormat, StorageError, partition::Partition};

/// What compaction did so far, for metrics.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct CleanerStats {
    /// Cleanings that ended well.
    pub runs: u64,
    /// Cleanings that failed.
    pub failures: u64,
    /// Bytes that were read.
    pub bytes_read: u64,
    /// Bytes that were written.
    pub bytes_written: u64,
    /// How long the last one took.
    pub last_time: Duration,
}

/// The counters behind [`CleanerStats`].
#[derive(Debug, Default)]
pub(super) struct CleanerCounters {
    runs: AtomicU64,
    failures: AtomicU64,
    bytes_read: AtomicU64,
    bytes_written: AtomicU64,
    last_micros: AtomicU64,
}

impl CleanerCounters {
    pub(super) fn stats(&self) -> CleanerStats {
        CleanerStats {
            runs: self.runs.load(Ordering::Relaxed),
            failures: self.failures.load(Ordering::Relaxed),
            bytes_read: self.bytes_read.load(Ordering::Relaxed),
            bytes_written: self.bytes_written.load(Ordering::Relaxed),
            last_time: Duration::from_micros(self.last_micros.load(Ordering::Relaxed)),
        }
    }
}

/// The threads. Dropping them stops and joins them; what is under way is given up.
#[derive(Debug)]
pub(super) struct Cleaners {
    stop: Arc<Stop>,
    threads: Vec<JoinHandle<()>>,
}

impl Cleaners {
    pub(super) fn start<F: LogFormat>(shared: &Arc<Shared<F>>) -> Result<Self, StorageError> {
        let options = &shared.options.cleaner;
        let threads = if options.enable { options.threads } else { 0 };
        let mut cleaners = Self { stop: Arc::new(Stop::default()), threads: Vec::new() };
        let throttle = Arc::new(Throttle::new(options.io_max_bytes_per_second));
        for index in 0..threads {
            let (shared, stop, throttle) =
                (Arc::clone(shared), Arc::clone(&cleaners.stop), Arc::clone(&throttle));
            let thread = std::thread::Builder::new()
                .name(format!("headwater-cleaner-{index}"))
                .spawn(move || run(&shared, &stop, &throttle));
            cleaners.threads.push(thread.map_err(|error| StorageError::io("start a thread", ".", error))?);
        }
        Ok(cleaners)
    }
}

impl Drop for Cleaners {
    fn drop(&mut self) {
        self.stop.ask();
        for thread in self.threads.drain(..) {
            if thread.join().is_err() {
                tracing::error!("a cleaner thread had panicked");
            }
        }
    }
}

fn run<F: LogFormat>(shared: &Shared<F>, stop: &Stop, throttle: &Throttle) {
    let backoff = Duration::from_millis(shared.options.cleaner.backoff_ms.max(1));
    let mut pace = |bytes| {
        let wait = throttle.take(bytes, Instant::now());
        if stop.waited(wait) { Err(StorageError::Closed) } else { Ok(()) }
    };
    while !stop.waited(backoff) {
        while shared.clean_one(&mut pace) {}
    }
}

impl<F: LogFormat> Shared<F> {
    /// Compacts the log of which the largest part was not compacted yet, of those where it is due. Whether there was one.
    pub(super) fn clean_one(&self, pace: &mut dyn FnMut(u64) -> Result<(), StorageError>) -> bool {
        let mut dirtiest: Option<(f64, Arc<Partition<F>>)> = None;
        for partition in self.partitions() {
            match partition.dirty_ratio() {
                Ok(Some(ratio)) if dirtiest.as_ref().is_none_or(|(most, _)| ratio > *most) => {
                    dirtiest = Some((ratio, partition));
                }
                Ok(_) => {}
                Err(error) => {
                    tracing::debug!(log = %partition.name, %error, "cannot tell whether to compact")
                }
            }
        }
        let Some((_, partition)) = dirtiest else { return false };
        let counters = &self.cleaner_counters;
        match partition.clean(pace) {
            Ok(Some(cleaned)) => {
                counters.runs.fetch_add(1, Ordering::Relaxed);
                counters.bytes_read.fetch_add(cleaned.stats.bytes_read, Ordering::Relaxed);
                counters.bytes_written.fetch_add(cleaned.stats.bytes_written, Ordering::Relaxed);
                let micros = u64::try_from(cleaned.took.as_micros()).unwrap_or(u64::MAX);
                counters.last_micros.store(micros, Ordering::Relaxed);
                true
            }
            // Something holds it back, or another thread has it.
            Ok(None) => true,
            // It was given up, for a stop or because the topic is gone.
            Err(StorageError::Closed) => false,
            Err(StorageError::UnknownPartition { .. }) => true,
            Err(error) => {
                counters.failures.fetch_add(1, Ordering::Relaxed);
                tracing::error!(log = %partition.name, %error, "the log is not compacted; it is tried again in a while");
                true
            }
        }
    }
}

/// Holds all cleaners together to a rate.
#[derive(Debug)]
struct Throttle {
    bytes_per_second: f64,
    /// When what was taken so far has had its time.
    paid_until: Mutex<Option<Instant>>,
}

impl Throttle {
    const fn new(bytes_per_second: f64) -> Self {
        Self { bytes_per_second, paid_until: Mutex::new(None) }
    }

    /// Takes `bytes` and tells how long to wait before the next.
    fn take(&self, bytes: u64, now: Instant) -> Duration {
        let seconds = bytes as f64 / self.bytes_per_second.max(1.0);
        if seconds < NOTICEABLE_SECONDS && self.bytes_per_second > UNLIMITED {
            return Duration::ZERO;
        }
        let mut paid_until = self.paid_until.lock();
        let from = paid_until.map_or(now, |until| until.max(now));
        let until = from + Duration::from_secs_f64(seconds.min(LONGEST_SECONDS));
        *paid_until = Some(until);
        let wait = until - now;
        if wait < Duration::from_millis(10) { Duration::ZERO } else { wait }
    }
}

/// What no disk reaches, in bytes a second.
const UNLIMITED: f64 = 1e12;
const NOTICEABLE_SECONDS: f64 = 1e-3;
const LONGEST_SECONDS: f64 = 60.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_kept_over_many_small_pieces() {
        let throttle = Throttle::new(1000.0);
        let mut now = Instant::now();
        let start = now;
        for _ in 0..500 {
            now += throttle.take(10, now);
        }
        let took = (now - start).as_secs_f64();
        assert!((4.9..=5.0).contains(&took), "5000 bytes took {took} s");
        assert_eq!(Throttle::new(f64::MAX).take(1 << 30, now), Duration::ZERO);
    }
}

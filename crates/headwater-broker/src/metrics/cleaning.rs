//! What compaction did.

use headwater_storage::CleanerStats;
use parking_lot::Mutex;
use prometheus::{Gauge, IntCounter, Registry};

use super::register;

/// Counters of the log cleaner.
pub(super) struct Cleaning {
    runs: IntCounter,
    failures: IntCounter,
    bytes_read: IntCounter,
    bytes_written: IntCounter,
    last_seconds: Gauge,
    told: Mutex<CleanerStats>,
}

impl Cleaning {
    pub(super) fn new(registry: &Registry) -> Self {
        let counter = |name, help| register(registry, IntCounter::new(name, help));
        Self {
            runs: counter("headwater_cleaner_runs_total", "Compactions of a log."),
            failures: counter("headwater_cleaner_failures_total", "Compactions of a log that failed."),
            bytes_read: counter("headwater_cleaner_bytes_read_total", "Bytes that compaction read."),
            bytes_written: counter("headwater_cleaner_bytes_written_total", "Bytes that compaction wrote."),
            last_seconds: register(
                registry,
                Gauge::new("headwater_cleaner_last_run_seconds", "Seconds that the last compaction took."),
            ),
            told: Mutex::default(),
        }
    }

    /// Brings the counters up to what the store counted.
    pub(super) fn set(&self, now: CleanerStats) {
        let mut told = self.told.lock();
        self.runs.inc_by(now.runs - told.runs);
        self.failures.inc_by(now.failures - told.failures);
        self.bytes_read.inc_by(now.bytes_read - told.bytes_read);
        self.bytes_written.inc_by(now.bytes_written - told.bytes_written);
        self.last_seconds.set(now.last_time.as_secs_f64());
        *told = now;
    }
}

//! One client's balance.

use std::time::{Duration, Instant};

/// How much a client may still move. The balance grows by the quota and is spent by what moves; it may be far below
/// zero, because what has moved cannot be undone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bucket {
    /// Bytes.
    balance: f64,
    updated: Instant,
}

impl Bucket {
    /// A client that has not moved anything yet.
    pub(super) fn full(capacity: f64, now: Instant) -> Self {
        Self { balance: capacity, updated: now }
    }

    /// Spends `bytes` and gives how long it takes at `rate` until the debt is paid.
    pub(super) fn spend(&mut self, bytes: f64, rate: f64, capacity: f64, now: Instant) -> Duration {
        self.refill(rate, capacity, now);
        self.balance -= bytes;
        if self.balance >= 0.0 {
            return Duration::ZERO;
        }
        Duration::try_from_secs_f64(-self.balance / rate).unwrap_or(DELAY_MAX).min(DELAY_MAX)
    }

    /// Whether the client is like one that was never seen.
    pub(super) fn is_full(&self, rate: f64, capacity: f64, now: Instant) -> bool {
        let mut later = *self;
        later.refill(rate, capacity, now);
        later.balance >= capacity
    }

    fn refill(&mut self, rate: f64, capacity: f64, now: Instant) {
        let elapsed = now.saturating_duration_since(self.updated);
        self.balance = (self.balance + rate * elapsed.as_secs_f64()).min(capacity);
        self.updated = self.updated.max(now);
    }
}

/// Nobody waits longer than this for one request.
const DELAY_MAX: Duration = Duration::from_secs(24 * 60 * 60);

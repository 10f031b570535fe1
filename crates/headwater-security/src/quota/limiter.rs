//! What was moved, and how long to wait.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use super::{
    bucket::Bucket,
    table::{Holder, QuotaTable},
};

/// Over how long a rate is measured: so much time's worth may move at once after a pause.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct QuotaWindow(Duration);

/// Keeps the balances of one kind of quota.
#[derive(Debug)]
pub struct Limiter {
    window: QuotaWindow,
    buckets: HashMap<Holder, Bucket>,
    /// How many buckets there may be before those that are full are forgotten.
    swept_at_len: usize,
    swept_at: Option<Instant>,
}

impl QuotaWindow {
    /// Kafka's samples (`quota.window.num`) of so long each (`quota.window.size.seconds`). The newest sample is under way,
    /// so there is one less; but there is always one.
    pub fn of_samples(count: u32, length: Duration) -> Self {
        Self(length.saturating_mul(count.saturating_sub(1).max(1)))
    }

    /// How many bytes may move at once at that rate.
    pub fn bytes(self, bytes_per_second: f64) -> f64 {
        bytes_per_second * self.0.as_secs_f64()
    }
}

impl Limiter {
    /// A keeper that has not seen anybody.
    pub fn new(window: QuotaWindow) -> Self {
        Self { window, buckets: HashMap::new(), swept_at_len: SWEPT_AT_LEN_MIN, swept_at: None }
    }

    /// Charges a client for what it has moved, and gives how long it is not to be listened to.
    pub fn charge(
        &mut self,
        table: &QuotaTable,
        user: &str,
        client_id: &str,
        bytes: usize,
        now: Instant,
    ) -> Duration {
        let Some((rate, holder)) = table.find(user, client_id) else { return Duration::ZERO };
        self.sweep(table, now);
        let capacity = self.window.bytes(rate);
        let bucket = self.buckets.entry(holder).or_insert_with(|| Bucket::full(capacity, now));
        bucket.spend(bytes as f64, rate, capacity, now)
    }

    /// How many balances are kept.
    pub fn holders(&self) -> usize {
        self.buckets.len()
    }

    /// Forgets those whose balance is full again, and those without a quota. Now and then, and when there are many.
    fn sweep(&mut self, table: &QuotaTable, now: Instant) {
        let since = *self.swept_at.get_or_insert(now);
        if self.buckets.len() < self.swept_at_len && now.saturating_duration_since(since) < SWEPT_EVERY {
            return;
        }
        let window = self.window;
        self.buckets.retain(|holder, bucket| {
            table.rate_of(holder).is_some_and(|rate| !bucket.is_full(rate, window.bytes(rate), now))
        });
        self.swept_at = Some(now);
        // Those that are left cost a look each time: the next time is when there are twice as many.
        self.swept_at_len = (self.buckets.len() * 2).max(SWEPT_AT_LEN_MIN);
    }
}

/// How often idle clients are forgotten.
const SWEPT_EVERY: Duration = Duration::from_secs(60);
/// How many clients are remembered without a look at whether they are idle.
const SWEPT_AT_LEN_MIN: usize = 1024;

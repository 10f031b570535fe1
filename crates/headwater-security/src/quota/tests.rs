use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::{
    QuotaScope::{Any, Default as ByDefault},
    *,
};

fn named(name: &str) -> QuotaScope {
    QuotaScope::Named(name.to_owned())
}

fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

/// Ten seconds' worth at once, as Kafka's defaults have it.
fn limiter() -> Limiter {
    Limiter::new(QuotaWindow::of_samples(11, Duration::from_secs(1)))
}

#[test]
fn most_specific_quota_holds() {
    let mut table = QuotaTable::default();
    let rate = |table: &QuotaTable| table.rate("alice", "c1");
    assert_eq!((rate(&table), table.is_empty()), (None, true));
    // From the least specific to the most.
    for (value, (user, client)) in (1_u8..).zip([
        (Any, ByDefault),
        (Any, named("c1")),
        (ByDefault, Any),
        (ByDefault, ByDefault),
        (ByDefault, named("c1")),
        (named("alice"), Any),
        (named("alice"), ByDefault),
        (named("alice"), named("c1")),
    ]) {
        table.set(user, client, f64::from(value));
        assert_eq!(rate(&table), Some(f64::from(value)));
    }
    assert_eq!(table.rate("alice", "c2"), Some(7.0));
    assert_eq!(table.rate("bob", "c1"), Some(5.0));
    assert_eq!(table.rate("bob", "c2"), Some(4.0));
}

#[test]
fn quotas_of_nobody_or_of_nothing_are_left_out() {
    let mut table = QuotaTable::default();
    table.set(Any, Any, 5.0);
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        table.set(named("alice"), Any, value);
    }
    assert_eq!(table.rate("alice", "c1"), None);
}

#[test]
fn balance_is_shared_by_those_whom_the_quota_names() {
    let now = Instant::now();
    let mut table = QuotaTable::default();
    table.set(named("alice"), Any, 100.0);
    table.set(ByDefault, ByDefault, 100.0);
    table.set(Any, named("c1"), 100.0);
    let mut limiter = limiter();
    let mut charge = |user, client, bytes| limiter.charge(&table, user, client, bytes, now);
    assert_eq!(charge("alice", "c1", 1000), Duration::ZERO);
    assert_eq!(charge("alice", "c2", 100), seconds(1.0), "one balance for all clients of alice");
    assert_eq!(charge("bob", "c1", 1000), Duration::ZERO);
    assert_eq!(charge("bob", "c2", 1000), Duration::ZERO, "one for each client of others");
    assert_eq!(charge("carol", "c1", 1000), Duration::ZERO);
    assert_eq!(charge("bob", "c1", 50), seconds(0.5));
}

#[test]
fn window_is_moved_at_once_and_debt_is_paid_in_time() {
    let start = Instant::now();
    let mut table = QuotaTable::default();
    table.set(Any, named("c"), 1000.0);
    let mut limiter = limiter();
    let mut charge = |bytes, at: f64| limiter.charge(&table, "u", "c", bytes, start + seconds(at));
    assert_eq!(charge(10_000, 0.0), Duration::ZERO);
    assert_eq!(charge(2_000, 0.0), seconds(2.0));
    // Whoever does not wait owes more.
    assert_eq!(charge(1_000, 1.0), seconds(2.0));
    assert_eq!(charge(500, 3.0), seconds(0.5), "the debt was paid just then");
    // After a long silence there is the window again, and no more.
    assert_eq!(charge(10_500, 3600.0), seconds(0.5));
}

#[test]
fn changed_quota_holds_from_then_on() {
    let start = Instant::now();
    let mut table = QuotaTable::default();
    table.set(Any, named("c"), 1000.0);
    let mut limiter = limiter();
    assert_eq!(limiter.charge(&table, "u", "c", 0, start), Duration::ZERO);
    let mut lower = QuotaTable::default();
    lower.set(Any, named("c"), 100.0);
    assert_eq!(limiter.charge(&lower, "u", "c", 1100, start), seconds(1.0), "the larger window is gone");
    assert_eq!(limiter.charge(&QuotaTable::default(), "u", "c", 1 << 40, start), Duration::ZERO);
}

#[test]
fn delay_is_bounded_and_time_may_stand_still() {
    let now = Instant::now();
    let mut table = QuotaTable::default();
    table.set(Any, ByDefault, 1e-300);
    let mut limiter = limiter();
    assert_eq!(limiter.charge(&table, "u", "c", usize::MAX, now), Duration::from_secs(86_400));
    assert_eq!(limiter.charge(&table, "u", "c", 1, now - seconds(0.5)), Duration::from_secs(86_400));
}

#[test]
fn idle_clients_are_forgotten() {
    let start = Instant::now();
    let mut table = QuotaTable::default();
    table.set(Any, ByDefault, 1000.0);
    let mut limiter = limiter();
    for client in 0..5000 {
        limiter.charge(&table, "u", &client.to_string(), 100, start + Duration::from_millis(client));
    }
    // A tenth of a second after its charge each is full again: at most twice as many are kept as are not.
    assert!(limiter.holders() <= 1024, "{}", limiter.holders());
    limiter.charge(&table, "u", "debtor", 1_000_000, start + seconds(10.0));
    limiter.charge(&table, "u", "last", 1, start + seconds(80.0));
    assert_eq!(limiter.holders(), 2, "who owes is not forgotten");
}

#[test]
fn window_has_one_sample_at_least() {
    for (count, bytes) in [(0, 2.0), (1, 2.0), (2, 2.0), (11, 20.0)] {
        assert!((QuotaWindow::of_samples(count, seconds(2.0)).bytes(1.0) - bytes).abs() < 1e-9, "{count}");
    }
}

proptest! {
    /// Heeded or not: over time no more moves than the quota, the window and one request allow.
    #[test]
    fn long_run_rate_is_the_quota(sizes in prop::collection::vec(1_usize..5_000, 50..200), heeds: bool) {
        let (rate, start) = (1000.0, Instant::now());
        let mut table = QuotaTable::default();
        table.set(Any, ByDefault, rate);
        let mut limiter = limiter();
        let (mut now, mut moved, mut last) = (start, 0, 0);
        for size in sizes {
            let delay = limiter.charge(&table, "u", "c", size, now);
            moved += size;
            last = size;
            // Whoever does not heed the delay is not listened to: its next request is taken when the delay is over.
            now += if heeds { delay + Duration::from_micros(10) } else { delay };
        }
        let allowed = rate * (now - start).as_secs_f64() + 10_000.0;
        prop_assert!(moved as f64 <= allowed + 1.0, "{moved} moved, {allowed} allowed");
        if now > start {
            prop_assert!(moved as f64 >= allowed - last as f64 - 10_000.0);
        }
    }
}

//! How long a connection is not listened to (KIP-219).

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use tokio::time::Instant;

/// One connection's pause: its requests are answered at once, and no further one is read until the pause is over.
#[derive(Debug)]
pub(crate) struct Throttle {
    since: Instant,
    /// Milliseconds after `since`; 0 when there was no pause yet.
    until_ms: AtomicU64,
}

impl Throttle {
    /// A connection that is listened to.
    pub(crate) fn new() -> Self {
        Self { since: Instant::now(), until_ms: AtomicU64::new(0) }
    }

    /// Begins a pause, or makes the one that holds longer; gives what the client is told, in milliseconds.
    pub(crate) fn pause(&self, delay: Duration, now: Instant) -> i32 {
        let delay_ms = u64::try_from(delay.as_micros().div_ceil(1000)).unwrap_or(u64::MAX);
        if delay_ms > 0 {
            let until = now - self.since + Duration::from_millis(delay_ms);
            let until_ms = u64::try_from(until.as_millis()).unwrap_or(u64::MAX);
            self.until_ms.fetch_max(until_ms, Ordering::Relaxed);
        }
        i32::try_from(delay_ms).unwrap_or(i32::MAX)
    }

    /// When the pause is over, if there is one. The clock is not read for a connection that never paused.
    pub(crate) fn until(&self, now: impl FnOnce() -> Instant) -> Option<Instant> {
        match self.until_ms.load(Ordering::Relaxed) {
            0 => None,
            until_ms => Some(self.since + Duration::from_millis(until_ms)).filter(|at| *at > now()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longest_pause_holds_until_it_is_over() {
        let (throttle, ms) = (Throttle::new(), Duration::from_millis);
        let start = throttle.since;
        assert_eq!((throttle.pause(Duration::ZERO, start), throttle.until(|| start)), (0, None));
        assert_eq!(throttle.pause(ms(500), start), 500);
        assert_eq!(throttle.pause(Duration::from_micros(99_001), start + ms(1)), 100, "told rounded up");
        assert_eq!(throttle.until(|| start + ms(499)), Some(start + ms(500)));
        assert_eq!(throttle.until(|| start + ms(500)), None);
        assert_eq!(throttle.pause(ms(10), start + ms(600)), 10);
        assert_eq!(throttle.until(|| start + ms(600)), Some(start + ms(610)));
        assert_eq!(throttle.pause(Duration::from_secs(1 << 40), start), i32::MAX);
    }
}

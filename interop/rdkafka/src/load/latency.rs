//! Latencies, kept whole: a run has at most a few million.

use std::sync::Mutex;

/// Nanoseconds, in the order in which they came.
#[derive(Debug, Default)]
pub struct Latencies(Mutex<Vec<usize>>);

impl Latencies {
    /// Takes one, in nanoseconds.
    pub fn add(&self, nanoseconds: usize) {
        if let Ok(mut all) = self.0.lock() {
            all.push(nanoseconds);
        }
    }

    /// Forgets all.
    pub fn clear(&self) {
        if let Ok(mut all) = self.0.lock() {
            all.clear();
        }
    }

    /// The latency below which `percent` of all are, in microseconds.
    pub fn percentile_us(&self, percent: f64) -> usize {
        let mut all = self.0.lock().map(|all| all.clone()).unwrap_or_default();
        all.sort_unstable();
        let rank = (all.len() as f64 * percent / 100.0).ceil() as usize;
        all.get(rank.saturating_sub(1)).map_or(0, |ns| ns / 1000)
    }

    /// The line's part with the percentiles.
    pub fn line(&self) -> String {
        let [half, most, nearly_all] = [50.0, 99.0, 99.9].map(|percent| self.percentile_us(percent));
        format!("p50_us={half} p99_us={most} p999_us={nearly_all}")
    }
}

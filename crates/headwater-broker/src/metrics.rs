//! Counters and gauges, in Prometheus' text format.
//!
//! Everything that a hot path touches is one atomic addition: counters with a label are looked up once, when the broker
//! starts. What others know anyway (bytes of logs, groups) is asked for when somebody looks: [`Metrics::on_scrape`].

mod cleaning;
mod native;
mod per_api;

use std::{fmt, pin::Pin, sync::Arc, time::Duration};

use parking_lot::Mutex;
use prometheus::{
    Counter, CounterVec, Encoder, IntCounter, IntCounterVec, IntGauge, Opts, Registry, TextEncoder,
};

use cleaning::Cleaning;
use headwater_storage::CleanerStats;
pub(crate) use native::NativeMetrics;
use per_api::PerApi;

/// The broker's counters. Cheap to clone; every clone counts into the same ones.
#[derive(Clone)]
pub(crate) struct Metrics {
    shared: Arc<Shared>,
}

struct Shared {
    registry: Registry,
    questions: Mutex<Vec<Question>>,
    requests: PerApi,
    request_errors: PerApi,
    connections: IntGauge,
    connections_accepted: IntCounter,
    connections_refused: IntCounter,
    authentications: IntCounterVec,
    authentication_failures: IntCounterVec,
    throttles: IntCounterVec,
    throttle_seconds: CounterVec,
    bytes_in: IntCounter,
    bytes_out: IntCounter,
    batches_appended: IntCounter,
    records_appended: IntCounter,
    bytes_appended: IntCounter,
    bytes_fetched: IntCounter,
    groups: IntGauge,
    topics: IntGauge,
    partitions: IntGauge,
    log_bytes: IntGauge,
    syncs: IntCounter,
    sync_seconds: Counter,
    cleaning: Cleaning,
    buffer_pool_bytes: IntGauge,
    native: NativeMetrics,
}

/// Something that brings gauges up to date before they are shown.
type Question = Box<dyn Fn(Metrics) -> Answering + Send + Sync>;

/// A question being answered.
type Answering = Pin<Box<dyn Future<Output = ()> + Send>>;

impl Metrics {
    /// Counters that all stand at zero.
    pub(crate) fn new() -> Self {
        let registry = Registry::new();
        let counter = |name, help| register(&registry, IntCounter::new(name, help));
        let gauge = |name, help| register(&registry, IntGauge::new(name, help));
        let by_mechanism =
            |name, help| register(&registry, IntCounterVec::new(opts(name, help), &["mechanism"]));
        let shared = Shared {
            questions: Mutex::new(Vec::new()),
            requests: PerApi::new(&registry, "headwater_requests_total", "Requests answered, by API."),
            request_errors: PerApi::new(
                &registry,
                "headwater_request_errors_total",
                "Requests that were malformed, unsupported or failed inside, by API.",
            ),
            connections: gauge("headwater_connections", "Client connections that are open."),
            connections_accepted: counter(
                "headwater_connections_accepted_total",
                "Client connections accepted.",
            ),
            connections_refused: counter(
                "headwater_connections_refused_total",
                "Client connections closed at once because there were too many.",
            ),
            authentications: by_mechanism(
                "headwater_authentications_total",
                "Logins that succeeded, by mechanism.",
            ),
            authentication_failures: by_mechanism(
                "headwater_authentication_failures_total",
                "Logins that failed, by mechanism.",
            ),
            throttles: register(
                &registry,
                IntCounterVec::new(
                    opts("headwater_quota_throttles_total", "How often clients were told to wait, by quota."),
                    &["quota"],
                ),
            ),
            throttle_seconds: register(
                &registry,
                CounterVec::new(
                    opts(
                        "headwater_quota_throttle_seconds_total",
                        "Seconds that clients were told to wait, by quota.",
                    ),
                    &["quota"],
                ),
            ),
            bytes_in: counter("headwater_bytes_in_total", "Bytes read from clients."),
            bytes_out: counter("headwater_bytes_out_total", "Bytes written to clients."),
            batches_appended: counter(
                "headwater_batches_appended_total",
                "Record batches appended by producers.",
            ),
            records_appended: counter("headwater_records_appended_total", "Records appended by producers."),
            bytes_appended: counter(
                "headwater_bytes_appended_total",
                "Bytes of record batches appended by producers.",
            ),
            bytes_fetched: counter(
                "headwater_bytes_fetched_total",
                "Bytes of record batches given to consumers.",
            ),
            groups: gauge("headwater_groups", "Consumer groups that are known."),
            topics: gauge("headwater_topics", "Topics."),
            partitions: gauge("headwater_partitions", "Partitions."),
            log_bytes: gauge("headwater_log_bytes", "Bytes of all partitions."),
            syncs: counter("headwater_syncs_total", "Log files synced to disk."),
            cleaning: Cleaning::new(&registry),
            sync_seconds: register(
                &registry,
                Counter::new("headwater_sync_seconds_total", "Seconds spent syncing log files to disk."),
            ),
            buffer_pool_bytes: gauge(
                "headwater_buffer_pool_bytes",
                "Bytes that the pool of frame buffers holds.",
            ),
            native: NativeMetrics::new(&registry),
            registry,
        };
        Self { shared: Arc::new(shared) }
    }

    /// Counters of the native door.
    pub(crate) fn native(&self) -> &NativeMetrics {
        &self.shared.native
    }

    /// A client connected.
    pub(crate) fn connection_opened(&self) {
        self.shared.connections.inc();
        self.shared.connections_accepted.inc();
    }

    /// A client is gone.
    pub(crate) fn connection_closed(&self) {
        self.shared.connections.dec();
    }

    /// A client was turned away.
    pub(crate) fn connection_refused(&self) {
        self.shared.connections_refused.inc();
    }

    /// A client logged in by that mechanism.
    pub(crate) fn authentication_succeeded(&self, mechanism: &str) {
        self.shared.authentications.with_label_values(&[mechanism]).inc();
    }

    /// A client could not log in by that mechanism.
    pub(crate) fn authentication_failed(&self, mechanism: &str) {
        self.shared.authentication_failures.with_label_values(&[mechanism]).inc();
    }

    /// A client exceeded that quota, and waits for so long.
    pub(crate) fn throttled(&self, quota: &str, delay: Duration) {
        self.shared.throttles.with_label_values(&[quota]).inc();
        self.shared.throttle_seconds.with_label_values(&[quota]).inc_by(delay.as_secs_f64());
    }

    /// A request with this API key was answered, or needed no answer.
    pub(crate) fn request(&self, api_key: i16) {
        self.shared.requests.increment(api_key);
    }

    /// A request with this API key was malformed, unsupported or failed inside.
    pub(crate) fn request_error(&self, api_key: i16) {
        self.shared.request_errors.increment(api_key);
    }

    /// Bytes were read from a client.
    pub(crate) fn bytes_in(&self, bytes: usize) {
        self.shared.bytes_in.inc_by(bytes as u64);
    }

    /// Bytes were written to a client.
    pub(crate) fn bytes_out(&self, bytes: usize) {
        self.shared.bytes_out.inc_by(bytes as u64);
    }

    /// A batch was appended.
    pub(crate) fn appended(&self, records: i32, bytes: usize) {
        self.shared.batches_appended.inc();
        self.shared.records_appended.inc_by(u64::try_from(records).unwrap_or(0));
        self.shared.bytes_appended.inc_by(bytes as u64);
    }

    /// Batches were given to a consumer.
    pub(crate) fn fetched(&self, bytes: usize) {
        self.shared.bytes_fetched.inc_by(bytes as u64);
    }

    /// Log files were synced, which took so long in all.
    pub(crate) fn synced(&self, count: u64, elapsed: Duration) {
        self.shared.syncs.inc_by(count);
        self.shared.sync_seconds.inc_by(elapsed.as_secs_f64());
    }

    /// What compaction did so far.
    pub(crate) fn set_cleaned(&self, stats: CleanerStats) {
        self.shared.cleaning.set(stats);
    }

    /// How many groups there are now.
    pub(crate) fn set_groups(&self, count: usize) {
        self.shared.groups.set(as_gauge(count as u64));
    }

    /// How many topics and partitions there are now.
    pub(crate) fn set_topics(&self, topics: usize, partitions: usize) {
        self.shared.topics.set(as_gauge(topics as u64));
        self.shared.partitions.set(as_gauge(partitions as u64));
    }

    /// How many bytes all partitions have now.
    pub(crate) fn set_log_bytes(&self, bytes: u64) {
        self.shared.log_bytes.set(as_gauge(bytes));
    }

    /// How many bytes the pool of frame buffers holds now.
    pub(crate) fn set_buffer_pool_bytes(&self, bytes: usize) {
        self.shared.buffer_pool_bytes.set(as_gauge(bytes as u64));
    }

    /// Calls `question` whenever somebody looks, before the gauges are shown.
    pub(crate) fn on_scrape<F>(&self, question: impl Fn(Metrics) -> F + Send + Sync + 'static)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.shared.questions.lock().push(Box::new(move |metrics| Box::pin(question(metrics))));
    }

    /// Everything in Prometheus' text format.
    pub(crate) async fn render(&self) -> String {
        let asked: Vec<Answering> =
            self.shared.questions.lock().iter().map(|question| question(self.clone())).collect();
        for answering in asked {
            answering.await;
        }
        let mut text = Vec::new();
        // Writing to memory fails for metrics that are registered wrongly alone, and the tests show all of them.
        let _ = TextEncoder::new().encode(&self.shared.registry.gather(), &mut text);
        String::from_utf8_lossy(&text).into_owned()
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}

/// Registers a collector whose name is written here, once, in the source.
fn register<C: prometheus::core::Collector + Clone + 'static>(
    registry: &Registry,
    collector: prometheus::Result<C>,
) -> C {
    let collector = collector.unwrap_or_else(|error| unreachable!("metric names are valid: {error}"));
    if let Err(error) = registry.register(Box::new(collector.clone())) {
        unreachable!("metric names are given once: {error}");
    }
    collector
}

/// Options of a collector with labels.
fn opts(name: &str, help: &str) -> Opts {
    Opts::new(name, help)
}

fn as_gauge(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn shows_what_was_counted() {
        let metrics = Metrics::new();
        metrics.connection_opened();
        metrics.connection_opened();
        metrics.connection_closed();
        metrics.request(0);
        metrics.request(0);
        metrics.request_error(18);
        metrics.request(-7);
        metrics.appended(3, 100);
        metrics.synced(2, Duration::from_millis(1500));
        let last_time = Duration::from_millis(250);
        let cleaned = CleanerStats {
            runs: 3,
            bytes_read: 100,
            bytes_written: 40,
            last_time,
            ..CleanerStats::default()
        };
        metrics.set_cleaned(cleaned);
        metrics.set_cleaned(CleanerStats { runs: 4, ..cleaned });
        let text = metrics.clone().render().await;
        for line in [
            "headwater_connections 1",
            "headwater_connections_accepted_total 2",
            "headwater_requests_total{api=\"Produce\"} 2",
            "headwater_requests_total{api=\"unknown\"} 1",
            "headwater_request_errors_total{api=\"ApiVersions\"} 1",
            "headwater_records_appended_total 3",
            "headwater_batches_appended_total 1",
            "headwater_sync_seconds_total 1.5",
            "headwater_cleaner_runs_total 4",
            "headwater_cleaner_bytes_written_total 40",
            "headwater_cleaner_last_run_seconds 0.25",
        ] {
            assert!(text.lines().any(|shown| shown == line), "{line} is missing in\n{text}");
        }
    }

    #[tokio::test]
    async fn asks_before_it_shows() {
        let metrics = Metrics::new();
        metrics.on_scrape(|metrics| async move { metrics.set_log_bytes(4711) });
        assert!(metrics.render().await.contains("\nheadwater_log_bytes 4711\n"));
    }
}

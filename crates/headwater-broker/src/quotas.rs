//! Client quotas: what clients may move, by user and client id, for every front door.
//!
//! Those of the configuration hold unless the metadata has one for the same entity; `AlterClientQuotas` sets the latter.

mod configured;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use arc_swap::ArcSwap;
use headwater_security::{Limiter, QuotaKind, QuotaScope, QuotaTable, QuotaWindow};
use headwater_storage::{Fence, MetadataError, MetadataImage, MetadataStore, QuotaChange, QuotaEntity};
use parking_lot::Mutex;
use tokio::time::Instant;

use crate::{config::Config, metrics::Metrics, security::Principal, stopping::Stopping};

pub(crate) use configured::parse as parse_configured;

/// What clients may move. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Quotas {
    inner: Arc<Inner>,
}

struct Inner {
    metadata: Arc<dyn MetadataStore>,
    metrics: Metrics,
    configured: Vec<(QuotaEntity, QuotaKind, f64)>,
    window: QuotaWindow,
    produce: Direction,
    fetch: Direction,
}

/// One kind of quota: what is set, and what was moved.
struct Direction {
    kind: QuotaKind,
    table: ArcSwap<QuotaTable>,
    limiter: Mutex<Limiter>,
}

impl Quotas {
    /// The quotas of the configuration and of that store.
    pub(crate) fn new(config: &Config, metadata: Arc<dyn MetadataStore>, metrics: Metrics) -> Self {
        let window = QuotaWindow::of_samples(
            config.quota_window_num,
            Duration::from_secs(config.quota_window_size_seconds),
        );
        let direction =
            |kind| Direction { kind, table: ArcSwap::default(), limiter: Mutex::new(Limiter::new(window)) };
        let inner = Inner {
            metadata,
            metrics,
            configured: config.client_quotas.clone(),
            window,
            produce: direction(QuotaKind::ProducerByteRate),
            fetch: direction(QuotaKind::ConsumerByteRate),
        };
        let quotas = Self { inner: Arc::new(inner) };
        quotas.refresh();
        quotas
    }

    /// A client has produced `bytes`, record headers among them: how long it is not to be listened to.
    pub(crate) fn produced(&self, principal: &Principal, client_id: &str, bytes: usize) -> Duration {
        self.charge(&self.inner.produce, principal, client_id, bytes)
    }

    /// A client was given `bytes`, record headers among them: how long it is not to be listened to.
    pub(crate) fn fetched(&self, principal: &Principal, client_id: &str, bytes: usize) -> Duration {
        self.charge(&self.inner.fetch, principal, client_id, bytes)
    }

    /// How much one fetch may be given at most, so that no client waits much longer than the window for the next;
    /// `None` for no bound.
    pub(crate) fn fetch_bytes_max(&self, principal: &Principal, client_id: &str) -> Option<usize> {
        let table = self.inner.fetch.table.load();
        if table.is_empty() {
            return None;
        }
        let rate = table.rate(principal.name(), client_id)?;
        // A float beyond the largest integer becomes that.
        Some(self.inner.window.bytes(rate) as usize)
    }

    /// All metadata, to read quotas from.
    pub(crate) fn image(&self) -> Arc<MetadataImage> {
        self.inner.metadata.image()
    }

    /// Sets and removes quotas, all or none. They hold when this returns.
    ///
    /// # Errors
    /// Whatever keeps the store from writing.
    pub(crate) async fn alter(&self, changes: Vec<QuotaChange>) -> Result<(), MetadataError> {
        self.inner.metadata.alter_client_quotas(changes, Fence::default()).await?;
        self.refresh();
        Ok(())
    }

    /// Follows what others change, until the broker stops.
    pub(crate) async fn follow(self, stopping: Stopping) {
        let mut images = self.inner.metadata.watch();
        loop {
            tokio::select! {
                changed = images.changed() => match changed {
                    Ok(()) => self.refresh(),
                    Err(_) => return,
                },
                () = stopping.begun() => return,
            }
        }
    }

    fn charge(&self, of: &Direction, principal: &Principal, client_id: &str, bytes: usize) -> Duration {
        let table = of.table.load();
        if table.is_empty() {
            return Duration::ZERO;
        }
        let now = Instant::now().into_std();
        let delay = of.limiter.lock().charge(&table, principal.name(), client_id, bytes, now);
        if !delay.is_zero() {
            self.inner.metrics.throttled(of.kind.name(), delay);
        }
        delay
    }

    /// Reads the tables anew.
    fn refresh(&self) {
        let image = self.image();
        for direction in [&self.inner.produce, &self.inner.fetch] {
            let mut set: BTreeMap<&QuotaEntity, f64> = BTreeMap::new();
            let configured = self.inner.configured.iter().filter(|(_, kind, _)| *kind == direction.kind);
            set.extend(configured.map(|(entity, _, value)| (entity, *value)));
            let kept = image.client_quotas().filter(|(_, quota, _)| *quota == direction.kind.name());
            set.extend(kept.map(|(entity, _, value)| (entity, value)));
            let mut table = QuotaTable::default();
            for (entity, value) in set {
                table.set(scope(entity, USER), scope(entity, CLIENT_ID), value);
            }
            if table != **direction.table.load() {
                direction.table.store(Arc::new(table));
            }
        }
    }
}

fn scope(entity: &QuotaEntity, entity_type: &str) -> QuotaScope {
    match entity.name(entity_type) {
        None => QuotaScope::Any,
        Some(None) => QuotaScope::Default,
        Some(Some(name)) => QuotaScope::Named(name.to_owned()),
    }
}

/// Kafka's type of entities that are users.
pub(crate) const USER: &str = "user";
/// Kafka's type of entities that are client ids.
pub(crate) const CLIENT_ID: &str = "client-id";
/// Kafka's type of entities that are addresses; their quotas are for connections, which are not served.
pub(crate) const IP: &str = "ip";

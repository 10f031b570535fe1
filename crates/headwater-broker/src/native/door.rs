//! What all connections of the native door share.

use std::{sync::Arc, time::Duration};

use tokio::{
    net::TcpStream,
    time::{MissedTickBehavior, interval},
};

use super::{
    authenticate::wants_logins, connection, dead_letters::DeadLetters, groups::NativeGroups,
    producers::Producers, state_log::StateLog,
};
use crate::{
    context::{Peer, Services},
    metrics::{Metrics, NativeMetrics},
    net::Door,
    stopping::Stopping,
};

/// The native door: what all its connections share. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Native {
    shared: Arc<Shared>,
}

struct Shared {
    services: Arc<Services>,
    groups: NativeGroups,
    producers: Producers,
    dead_letters: DeadLetters,
}

impl Native {
    /// Takes over what the state log tells. Without a listener nothing is ever written there.
    ///
    /// # Errors
    /// What keeps the state log from being read. Serving without it would forget who wrote what.
    pub(crate) async fn start(services: Arc<Services>) -> Result<Self, headwater_storage::StorageError> {
        let config = &services.config;
        if !config.native_listeners.is_empty() && wants_logins(config) && services.users.is_empty() {
            tracing::warn!(
                "nobody can log in at native.listeners: a listener asks for logins, and no user has SCRAM credentials; add one with `headwater users add`, or set native.listeners to nothing"
            );
        }
        let topics = services.topics.clone();
        let log = StateLog::new(topics.clone());
        let groups = NativeGroups::new(services.config.clone(), services.groups.clone(), topics.clone());
        let producers = Producers::new(topics.metadata().clone(), log.clone());
        let dead_letters = DeadLetters::new(log.clone(), services.config.headwater_dlq_tracked_max);
        for record in log.load().await? {
            producers.replay(&record);
            dead_letters.replay(&record);
        }
        Ok(Self { shared: Arc::new(Shared { services, groups, producers, dead_letters }) })
    }

    /// Keeps house until the broker stops: memberships that end, producers and counters that nobody needs any more.
    pub(crate) async fn keep(self, stopping: Stopping) {
        let groups = self.shared.groups.clone().keep(stopping.clone());
        let sweep = async {
            let mut ticks = interval(SWEEP_EVERY);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            // The first tick comes at once.
            ticks.tick().await;
            loop {
                tokio::select! {
                    _ = ticks.tick() => self.sweep().await,
                    () = stopping.begun() => return,
                }
            }
        };
        tokio::join!(groups, sweep);
    }

    async fn sweep(&self) {
        let Shared { services, producers, dead_letters, .. } = &*self.shared;
        let idle_max = Duration::from_millis(services.config.producer_id_expiration_ms);
        let topics = services.topics.clone();
        let swept = producers.forget_idle(idle_max, |topic| topics.by_name(topic.as_str()).is_some()).await;
        let forgotten = dead_letters.forget_topics(|id| topics.by_id(id).is_some()).await;
        for failure in [swept, forgotten].into_iter().filter_map(Result::err) {
            tracing::warn!(reason = %failure.message, "what is over could not be forgotten yet");
        }
    }

    pub(super) fn services(&self) -> &Arc<Services> {
        &self.shared.services
    }

    pub(super) fn groups(&self) -> &NativeGroups {
        &self.shared.groups
    }

    pub(super) fn producers(&self) -> &Producers {
        &self.shared.producers
    }

    pub(super) fn dead_letters(&self) -> &DeadLetters {
        &self.shared.dead_letters
    }

    pub(super) fn metrics(&self) -> &NativeMetrics {
        self.shared.services.metrics.native()
    }
}

impl Door for Native {
    fn metrics(&self) -> &Metrics {
        &self.shared.services.metrics
    }

    async fn serve(self, peer: Arc<Peer>, stream: TcpStream) {
        let native = self.metrics().clone();
        let (address, listener) = (peer.address, peer.listener.clone());
        let ended = connection::serve(self, peer, stream).await;
        native.closed(ended.reason());
        if ended.is_ordinary() {
            tracing::debug!(%address, %listener, reason = %ended, "native connection closed");
        } else {
            tracing::warn!(%address, %listener, reason = %ended, "native connection closed");
        }
    }
}

/// How often what nobody needs any more is forgotten.
const SWEEP_EVERY: Duration = Duration::from_secs(300);

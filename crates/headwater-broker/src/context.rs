//! What a handler sees of the broker: who asks, in which version, and a few narrow facades.
//!
//! A handler never sees the broker, a lock, a file or a task. Whatever it needs beyond its request is a method here.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use headwater_codec::{CorrelationId, ErrorCode, PartitionIndex, Str, TopicName};
use headwater_storage::{Capabilities, Clock, UnpackLimits};
use tokio::time::Instant;

use crate::{
    api::ServedApis,
    authentication::Authentication,
    cluster::{Cluster, Endpoint},
    config::Config,
    fetch_sessions::FetchSessions,
    groups::Groups,
    metrics::Metrics,
    producer_ids::ProducerIds,
    quotas::Quotas,
    security::{Operation, Principal, Resource},
    stopping::Stopping,
    throttle::Throttle,
    topics::{Partition, Topics},
    users::Users,
};

/// Everything that lives as long as the broker and that handlers use through [`Context`].
pub(crate) struct Services {
    pub(crate) cluster: Cluster,
    pub(crate) apis: ServedApis,
    pub(crate) capabilities: Capabilities,
    pub(crate) config: Arc<Config>,
    pub(crate) topics: Topics,
    pub(crate) groups: Groups,
    pub(crate) producer_ids: ProducerIds,
    pub(crate) users: Users,
    pub(crate) quotas: Quotas,
    pub(crate) fetch_sessions: FetchSessions,
    pub(crate) metrics: Metrics,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) stopping: Stopping,
}

/// What is known of a connection from the moment it is accepted.
#[derive(Debug)]
pub(crate) struct Peer {
    /// The client's address.
    pub(crate) address: SocketAddr,
    /// The listener that accepted it, by its configured name.
    pub(crate) listener: Arc<str>,
    /// Where clients of that listener reach this node: the only address they are ever told.
    pub(crate) endpoint: Endpoint,
    /// Who it is, and how that comes to be known.
    pub(crate) authentication: Authentication,
    /// How long it is not listened to.
    pub(crate) throttle: Throttle,
}

/// One request's surroundings. Handlers get it by reference.
pub(crate) struct Context {
    services: Arc<Services>,
    peer: Arc<Peer>,
    api_version: i16,
    correlation_id: CorrelationId,
    client_id: Option<Str>,
}

impl Context {
    pub(crate) fn new(
        services: Arc<Services>,
        peer: Arc<Peer>,
        api_version: i16,
        correlation_id: CorrelationId,
        client_id: Option<Str>,
    ) -> Self {
        Self { services, peer, api_version, correlation_id, client_id }
    }

    /// The version in which the client asks, and in which it is answered.
    pub(crate) fn api_version(&self) -> i16 {
        self.api_version
    }

    /// What the answer is matched by. Dispatch writes it; handlers do not need it.
    pub(crate) fn correlation_id(&self) -> CorrelationId {
        self.correlation_id
    }

    /// The name that the client gives itself; empty when it gives none.
    pub(crate) fn client_id(&self) -> &str {
        self.client_id.as_deref().unwrap_or_default()
    }

    /// The client's address.
    pub(crate) fn peer_address(&self) -> SocketAddr {
        self.peer.address
    }

    /// Who asks.
    pub(crate) fn principal(&self) -> &Principal {
        self.peer.authentication.principal()
    }

    /// The connection's login.
    pub(crate) fn authentication(&self) -> &Authentication {
        &self.peer.authentication
    }

    /// Users with SCRAM credentials.
    pub(crate) fn users(&self) -> &Users {
        &self.services.users
    }

    /// What clients may move.
    pub(crate) fn quotas(&self) -> &Quotas {
        &self.services.quotas
    }

    /// Charges the client for what it has produced. No further request is read before the time has passed that this gives,
    /// in milliseconds, for the answer to tell (KIP-219).
    pub(crate) fn charge_produced(&self, bytes: usize) -> i32 {
        let delay = self.quotas().produced(self.principal(), self.client_id(), bytes);
        self.peer.throttle.pause(delay, Instant::now())
    }

    /// The same for what it is given by a fetch.
    pub(crate) fn charge_fetched(&self, bytes: usize) -> i32 {
        let delay = self.quotas().fetched(self.principal(), self.client_id(), bytes);
        self.peer.throttle.pause(delay, Instant::now())
    }

    /// How much one fetch may be given at most.
    pub(crate) fn fetch_bytes_max(&self) -> usize {
        let of_quota = self.quotas().fetch_bytes_max(self.principal(), self.client_id());
        of_quota.unwrap_or(usize::MAX).min(self.config().fetch_max_bytes)
    }

    /// How long a client waits that could not log in.
    pub(crate) fn failed_login_delay(&self) -> Duration {
        Duration::from_millis(self.config().connection_failed_authentication_delay_ms)
    }

    /// The listener that the client came through.
    pub(crate) fn listener(&self) -> &str {
        &self.peer.listener
    }

    /// Whether the principal may do `operation` on `resource`; otherwise the code to answer with.
    pub(crate) fn authorize(&self, operation: Operation, resource: Resource<'_>) -> Result<(), ErrorCode> {
        self.principal().authorize(operation, resource)
    }

    /// The broker's time, milliseconds since the epoch.
    pub(crate) fn now_ms(&self) -> i64 {
        self.services.clock.now_ms()
    }

    /// This cluster and node.
    pub(crate) fn cluster(&self) -> &Cluster {
        &self.services.cluster
    }

    /// Where clients of this listener reach this node. The only address to put in an answer.
    pub(crate) fn endpoint(&self) -> &Endpoint {
        &self.peer.endpoint
    }

    /// Topics: to find, create, delete, grow and configure.
    pub(crate) fn topics(&self) -> &Topics {
        &self.services.topics
    }

    /// The partition, or `UNKNOWN_TOPIC_OR_PARTITION`.
    pub(crate) fn partition(&self, topic: &TopicName, index: PartitionIndex) -> Result<Partition, ErrorCode> {
        let topic = self.topics().by_name(topic.as_str()).ok_or(ErrorCode::UnknownTopicOrPartition)?;
        topic.partition(index).ok_or(ErrorCode::UnknownTopicOrPartition)
    }

    /// Consumer groups.
    pub(crate) fn groups(&self) -> &Groups {
        &self.services.groups
    }

    /// The APIs that are served, as the stores can do them.
    pub(crate) fn served_apis(&self) -> &ServedApis {
        &self.services.apis
    }

    /// What produced batches may unpack to, where the store must unpack them.
    pub(crate) fn unpack_limits(&self) -> Option<UnpackLimits> {
        self.services.capabilities.unpack
    }

    /// The broker's configuration.
    pub(crate) fn config(&self) -> &Arc<Config> {
        &self.services.config
    }

    /// Counters.
    pub(crate) fn metrics(&self) -> &Metrics {
        &self.services.metrics
    }

    /// Ids for idempotent producers.
    pub(crate) fn producer_ids(&self) -> &ProducerIds {
        &self.services.producer_ids
    }

    /// Incremental fetch sessions (KIP-227).
    pub(crate) fn fetch_sessions(&self) -> &FetchSessions {
        &self.services.fetch_sessions
    }

    /// Tells when the broker begins to stop, so that whoever waits can answer with what there is.
    pub(crate) fn stopping(&self) -> &Stopping {
        &self.services.stopping
    }
}

//! A broker that runs: put together here, and taken apart again.

mod stores;

use std::{io, net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use headwater_codec::BrokerId;
use headwater_storage::{Clock, MetadataError, StorageError, SyncStats, SystemClock};
use parking_lot::Mutex;
use tokio::{
    sync::Semaphore,
    task::{JoinError, JoinSet, spawn_blocking},
    time::{MissedTickBehavior, interval},
};

pub(crate) use self::stores::MetadataAlone;
pub use self::stores::ServedStores;
use self::stores::Stores;
use crate::{
    admin::Admin,
    api::ServedApis,
    cluster::Cluster,
    config::Config,
    context::Services,
    fetch_sessions::FetchSessions,
    groups::Groups,
    metrics::Metrics,
    native::{self, Native},
    net::{Acceptor, BindError, Bound, BufferPool, Connections, Shared, accept},
    producer_ids::ProducerIds,
    quotas::Quotas,
    stopping::{Stopper, Stopping, stopping},
    topics::Topics,
    users::Users,
};

/// A broker that serves.
///
/// Dropping it without [`Broker::shutdown`] stops it as a crash would: nothing acknowledged is lost, and the next start
/// looks for what was not synced.
pub struct Broker {
    addresses: Vec<SocketAddr>,
    native_addresses: Vec<SocketAddr>,
    admin: Option<Admin>,
    services: Arc<Services>,
    stores: Stores,
    stopper: Stopper,
    tasks: JoinSet<()>,
}

/// Why a broker cannot start. Each variant names what to change.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A listener cannot listen.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The configured admin listener cannot listen.
    #[error("admin.listener cannot listen: {0}")]
    Admin(#[source] io::Error),
    /// A log directory cannot be used.
    #[error("{}", Chain(.0))]
    Storage(#[from] StorageError),
    /// The metadata cannot be used.
    #[error("{}", Chain(.0))]
    Metadata(#[from] MetadataError),
    /// A directory cannot be made.
    #[error("directory {} cannot be made: {source}", path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The runtime is shutting down.
    #[error("the start was cut short: {0}")]
    CutShort(#[from] JoinError),
}

impl Broker {
    /// Opens the stores, binds the listeners and begins to serve. Needs a tokio runtime with I/O and time.
    ///
    /// # Errors
    /// [`StartError`]; nothing is left running then.
    pub async fn start(config: Config) -> Result<Self, StartError> {
        Self::start_with(config, |local| local).await
    }

    /// As [`Broker::start`], over other stores: `layer` gets those in `log.dirs` and gives the ones to serve from, which
    /// may use them and close them when they are closed.
    ///
    /// # Errors
    /// [`StartError`]; nothing is left running then.
    pub async fn start_with(
        config: Config,
        layer: impl FnOnce(ServedStores) -> ServedStores,
    ) -> Result<Self, StartError> {
        config.log_notices();
        let config = Arc::new(config);
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let metrics = Metrics::new();
        // Bound first: the metadata log says where we are reached. Nobody is accepted before everything is ready.
        let bound = config
            .listeners
            .iter()
            .map(|listener| Bound::bind(listener, config.socket_listen_backlog_size))
            .collect::<Result<Vec<_>, _>>()?;
        let native_bound = native::bind(&config)?;
        let stores = {
            let (config, clock) = (config.clone(), clock.clone());
            let endpoints = bound.iter().map(Bound::registered).collect();
            spawn_blocking(move || Stores::open(&config, endpoints, clock)).await??.layered(layer)
        };
        let (stopper, stopping) = stopping();
        let topics = Topics::new(config.clone(), stores.served.metadata.clone(), stores.served.logs.clone());
        topics.keep_in_step().await;
        stores.set_strays_aside().await?;
        let image = stores.served.metadata.image();
        let node_id = image.node_id();
        let capabilities = stores.served.logs.capabilities();
        let services = Arc::new(Services {
            apis: ServedApis::new(&capabilities),
            capabilities,
            cluster: Cluster::new(image.cluster_id(), node_id, config.broker_rack.as_deref()),
            groups: Groups::start(config.clone(), topics.clone(), stopping.clone()).await,
            producer_ids: ProducerIds::new(stores.served.metadata.clone()),
            users: Users::new(stores.served.metadata.clone()),
            quotas: Quotas::new(&config, stores.served.metadata.clone(), metrics.clone()),
            fetch_sessions: FetchSessions::new(config.max_incremental_fetch_session_cache_slots),
            metrics: metrics.clone(),
            stopping: stopping.clone(),
            clock,
            topics,
            config: config.clone(),
        });
        let native = Native::start(services.clone()).await?;
        let admin = Admin::start(&config, metrics, stores.served.ready.clone(), stopping.clone())
            .await
            .map_err(StartError::Admin)?;
        let addresses = bound.iter().map(Bound::address).collect();
        let native_addresses = native_bound.iter().map(Bound::address).collect();
        let mut tasks = JoinSet::new();
        tasks.spawn(services.topics.clone().follow(stopping.clone()));
        tasks.spawn(services.quotas.clone().follow(stopping.clone()));
        let pool = BufferPool::new(POOLED_BYTES_MAX, config.queued_max_request_bytes);
        report(&services, &stores, pool.clone());
        serve(&services, pool, bound, (native, native_bound), &stopping, &mut tasks);
        Ok(Self { addresses, native_addresses, admin, services, stores, stopper, tasks })
    }

    /// Where clients connect, one address for each listener, in the order of `listeners`.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// Where clients of the native protocol connect, in the order of `native.listeners`; none when it is off.
    pub fn native_addresses(&self) -> &[SocketAddr] {
        &self.native_addresses
    }

    /// Where the admin listener listens, if it does.
    pub fn admin_address(&self) -> Option<SocketAddr> {
        self.admin.as_ref().map(Admin::address)
    }

    /// The cluster's id.
    pub fn cluster_id(&self) -> &str {
        self.services.cluster.cluster_id()
    }

    /// This node's id.
    pub fn node_id(&self) -> BrokerId {
        self.services.cluster.node_id()
    }

    /// Stops accepting, finishes what is under way, makes everything durable and closes the stores.
    ///
    /// # Errors
    /// What keeps the stores from closing in good order. The next start recovers then, as after a crash.
    pub async fn shutdown(mut self) -> Result<(), StartError> {
        self.stopper.stop();
        while self.tasks.join_next().await.is_some() {}
        self.services.groups.close().await;
        if let Some(admin) = self.admin.take() {
            admin.join().await;
        }
        self.stores.close().await?;
        Ok(())
    }
}

/// Accepts on every listener, and keeps house.
fn serve(
    services: &Arc<Services>,
    pool: BufferPool,
    bound: Vec<Bound>,
    (native, native_bound): (Native, Vec<Bound>),
    stopping: &Stopping,
    tasks: &mut JoinSet<()>,
) {
    let config = &services.config;
    let connections = Arc::new(Connections::new(config.max_connections, config.max_connections_per_ip));
    let shared = Shared {
        services: services.clone(),
        pool: pool.clone(),
        readers: Arc::new(Semaphore::new(COLD_READERS)),
        request_bytes_max: config.socket_request_max_bytes,
        idle_max: config.connections_max_idle_ms.map(Duration::from_millis),
    };
    let (send_buffer, receive_buffer) = (config.socket_send_buffer_bytes, config.socket_receive_buffer_bytes);
    let acceptor = Acceptor::new(shared, connections.clone(), send_buffer, receive_buffer);
    for bound in bound {
        tasks.spawn(accept(bound, acceptor.clone(), stopping.clone()));
    }
    if !native_bound.is_empty() {
        let acceptor = Acceptor::new(native.clone(), connections, send_buffer, receive_buffer);
        for bound in native_bound {
            tasks.spawn(accept(bound, acceptor.clone(), stopping.clone()));
        }
        tasks.spawn(native.keep(stopping.clone()));
    }
    tasks.spawn(trim(pool, stopping.clone()));
}

/// Brings the gauges up to date when somebody looks at them.
fn report(services: &Services, stores: &Stores, pool: BufferPool) {
    let (topics, groups) = (services.topics.clone(), services.groups.clone());
    let (local, logs) = (stores.local_logs(), stores.served.logs.clone());
    let told = Mutex::new(SyncStats::default());
    services.metrics.on_scrape(move |metrics| {
        let image = topics.image();
        metrics.set_topics(image.topic_count(), image.partition_count());
        metrics.set_groups(groups.count());
        metrics.set_buffer_pool_bytes(pool.free_bytes());
        {
            let (now, mut told) = (local.sync_stats(), told.lock());
            metrics.synced(now.count - told.count, now.time - told.time);
            *told = now;
        }
        metrics.set_cleaned(local.cleaner_stats());
        let usage = logs.log_dirs();
        async move {
            let bytes = usage.await.iter().flat_map(|dir| &dir.partitions).map(|(_, bytes)| bytes).sum();
            metrics.set_log_bytes(bytes);
        }
    });
}

/// Gives buffers back to the system that nobody needs any more.
async fn trim(pool: BufferPool, stopping: Stopping) {
    let mut ticks = interval(TRIM_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = ticks.tick() => pool.trim(),
            () = stopping.begun() => return,
        }
    }
}

/// An error with all its causes, in one line.
struct Chain<'a>(&'a dyn std::error::Error);

impl std::fmt::Display for Chain<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)?;
        let mut cause = self.0.source();
        while let Some(error) = cause {
            write!(f, ": {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}

/// Bytes of request buffers that are kept for use under load.
const POOLED_BYTES_MAX: usize = 64 << 20;
/// How often unused buffers are given back.
const TRIM_EVERY: Duration = Duration::from_secs(5);
/// How many connections may wait for cold parts of files at a time.
const COLD_READERS: usize = 8;

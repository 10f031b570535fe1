//! `admin.listener`: whether the broker lives and serves, and its metrics, over HTTP.
//!
//! `/live` is 200 as long as the process answers; `/ready` is 200 while clients are served and the store behind answers,
//! else 503; `/metrics` is Prometheus' text format.

use std::{io, net::SocketAddr};

use axum::{
    Router,
    extract::State,
    http::{StatusCode, header::CONTENT_TYPE},
    response::IntoResponse,
    routing::get,
};
use tokio::{net::TcpListener, sync::watch, task::JoinHandle};

use crate::{config::Config, metrics::Metrics, stopping::Stopping};

/// The admin listener, serving.
pub(crate) struct Admin {
    address: SocketAddr,
    task: JoinHandle<()>,
}

#[derive(Clone)]
struct Shared {
    metrics: Metrics,
    ready: Option<watch::Receiver<bool>>,
    stopping: Stopping,
}

impl Admin {
    /// Listens where `admin.listener` says, until `stopping`. `None` when it is off, or when the default address is
    /// taken, which is worth a warning.
    ///
    /// # Errors
    /// When a configured address cannot be listened on.
    pub(crate) async fn start(
        config: &Config,
        metrics: Metrics,
        stores_ready: Option<watch::Receiver<bool>>,
        stopping: Stopping,
    ) -> Result<Option<Self>, io::Error> {
        let Some(wanted) = &config.admin_listener else { return Ok(None) };
        let listener = match TcpListener::bind(wanted.as_str()).await {
            Ok(listener) => listener,
            Err(error) if !config.is_set("admin.listener") => {
                tracing::warn!(address = %wanted, %error, "no admin listener: its default address cannot be listened on");
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let address = listener.local_addr()?;
        let routes = Router::new()
            .route("/live", get(live))
            .route("/ready", get(ready))
            .route("/metrics", get(show_metrics))
            .with_state(Shared { metrics, ready: stores_ready, stopping: stopping.clone() });
        let task = tokio::spawn(async move {
            let stopped = async move { stopping.begun().await };
            if let Err(error) = axum::serve(listener, routes).with_graceful_shutdown(stopped).await {
                tracing::error!(%error, "the admin listener failed");
            }
        });
        Ok(Some(Self { address, task }))
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits for the end, which comes soon after the broker begins to stop. Who keeps a connection open is cut off.
    pub(crate) async fn join(self) {
        let abort = self.task.abort_handle();
        if tokio::time::timeout(GRACE, self.task).await.is_err() {
            abort.abort();
        }
    }
}

async fn live() -> &'static str {
    "live\n"
}

async fn ready(State(shared): State<Shared>) -> (StatusCode, &'static str) {
    if shared.stopping.has_begun() {
        (StatusCode::SERVICE_UNAVAILABLE, "stopping\n")
    } else if shared.ready.is_some_and(|ready| !*ready.borrow()) {
        (StatusCode::SERVICE_UNAVAILABLE, "the store does not answer\n")
    } else {
        (StatusCode::OK, "ready\n")
    }
}

async fn show_metrics(State(shared): State<Shared>) -> impl IntoResponse {
    ([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], shared.metrics.render().await)
}

/// How long a request under way may take once the broker stops.
const GRACE: std::time::Duration = std::time::Duration::from_millis(500);

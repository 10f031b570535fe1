//! Connections to the server. The SDK has one request under way on a connection, so there are several.

use std::{future::Future, sync::Arc, time::Duration};

use iggy::prelude::{
    AutoLogin, Client, Credentials, IggyDuration, IggyError, TcpClient, TcpClientConfig,
    TcpClientReconnectionConfig,
};
use parking_lot::Mutex;
use tokio::time::{Instant, timeout};

use super::IggyOptions;

/// Where Iggy is, and who we are there.
#[derive(Clone)]
pub struct IggyServer {
    /// `host:port` of its TCP transport.
    pub address: String,
    /// The user.
    pub username: String,
    /// The user's password.
    pub password: String,
}

impl std::fmt::Debug for IggyServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "IggyServer({}@{})", self.username, self.address)
    }
}

/// Every connection: one for metadata, some for sends, as many for polls.
pub(super) struct Links {
    metadata: Link,
    sends: Vec<Link>,
    polls: Vec<Link>,
}

impl Links {
    pub(super) fn new(options: &IggyOptions) -> Self {
        let link = |_| Link::new(&options.server);
        let some = || (0..options.connections.max(1)).map(link).collect();
        Self { metadata: link(0), sends: some(), polls: some() }
    }

    /// For topics and what there is of them.
    pub(super) fn metadata(&self) -> &Link {
        &self.metadata
    }

    /// For sends to a partition: always the same, so that they stay in order.
    pub(super) fn sends(&self, spread: usize) -> &Link {
        &self.sends[spread % self.sends.len()]
    }

    /// For polls.
    pub(super) fn polls(&self, spread: usize) -> &Link {
        &self.polls[spread % self.polls.len()]
    }
}

/// One connection, made when it is needed and made again when it is lost.
pub(super) struct Link {
    /// `None` when the server's address makes no configuration.
    client: Option<Arc<TcpClient>>,
    pause: Mutex<Pause>,
    connecting: tokio::sync::Mutex<()>,
}

/// How long to leave a server alone that did not answer.
#[derive(Default)]
struct Pause {
    length: Duration,
    until: Option<Instant>,
}

impl Link {
    fn new(server: &IggyServer) -> Self {
        let credentials =
            Credentials::UsernamePassword(server.username.clone(), server.password.clone().into());
        let config = TcpClientConfig {
            server_address: server.address.clone(),
            auto_login: AutoLogin::Enabled(credentials),
            // Whether and when to try again is decided here, so that nobody waits for it.
            reconnection: TcpClientReconnectionConfig {
                enabled: false,
                reestablish_after: IggyDuration::new(Duration::ZERO),
                ..TcpClientReconnectionConfig::default()
            },
            nodelay: true,
            ..TcpClientConfig::default()
        };
        let client = TcpClient::create(Arc::new(config)).ok().map(Arc::new);
        Self { client, pause: Mutex::default(), connecting: tokio::sync::Mutex::new(()) }
    }

    /// Does something on the connection; connects first when need be, or fails at once while a server that did not answer
    /// is left alone.
    pub(super) async fn ask<T, F>(&self, request: impl FnOnce(Arc<TcpClient>) -> F) -> Result<T, IggyError>
    where
        F: Future<Output = Result<T, IggyError>>,
    {
        let client = self.connected().await?;
        let answer =
            timeout(REQUEST_MAX, request(client.clone())).await.unwrap_or(Err(IggyError::Disconnected));
        if answer.as_ref().is_err_and(is_lost) {
            // The next request connects anew; this one's answer may still be on its way.
            let _ = client.disconnect().await;
        }
        answer
    }

    async fn connected(&self) -> Result<Arc<TcpClient>, IggyError> {
        let client = self.client.clone().ok_or(IggyError::InvalidConfiguration)?;
        let _connecting = self.connecting.lock().await;
        if self.pause.lock().until.is_some_and(|until| Instant::now() < until) {
            return Err(IggyError::NotConnected);
        }
        let connected =
            timeout(CONNECT_MAX, client.connect()).await.unwrap_or(Err(IggyError::CannotEstablishConnection));
        let mut pause = self.pause.lock();
        match connected {
            Ok(()) => {
                *pause = Pause::default();
                Ok(client)
            }
            Err(error) => {
                pause.length = (pause.length * 2).clamp(PAUSE_MIN, PAUSE_MAX);
                pause.until = Some(Instant::now() + pause.length);
                tracing::debug!(%error, pause = ?pause.length, "Iggy cannot be reached");
                Err(match error {
                    IggyError::Disconnected | IggyError::TcpError => IggyError::CannotEstablishConnection,
                    error => error,
                })
            }
        }
    }
}

/// Whether the connection is of no more use after this.
fn is_lost(error: &IggyError) -> bool {
    matches!(
        error,
        IggyError::Disconnected
            | IggyError::NotConnected
            | IggyError::TcpError
            | IggyError::EmptyResponse
            | IggyError::StaleClient
            | IggyError::Unauthenticated
            | IggyError::CannotEstablishConnection
            | IggyError::InvalidCommand
    )
}

const CONNECT_MAX: Duration = Duration::from_secs(5);
/// A request's time; the SDK gives up after it too.
const REQUEST_MAX: Duration = Duration::from_secs(30);
const PAUSE_MIN: Duration = Duration::from_millis(100);
const PAUSE_MAX: Duration = Duration::from_secs(5);

//! A listening socket and what clients are told about it.

use std::{
    io,
    net::{Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs},
    sync::Arc,
};

use headwater_codec::Str;
use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::TcpListener;

use crate::{
    authentication::Authentication,
    cluster::Endpoint,
    config::{HostPort, Listener, SaslListener},
};

/// A listener that listens.
pub(crate) struct Bound {
    name: Arc<str>,
    address: SocketAddr,
    advertised: Option<Endpoint>,
    sasl: Option<Arc<SaslListener>>,
    listener: TcpListener,
}

/// Why a listener cannot listen.
#[derive(Debug, thiserror::Error)]
#[error("listener {name} cannot listen on {address}: {source}")]
pub struct BindError {
    /// The listener's name.
    pub name: String,
    /// Where it was to listen.
    pub address: HostPort,
    /// What the system says.
    pub source: io::Error,
}

impl Bound {
    /// Binds and listens. Connections queue up until somebody accepts them.
    pub(crate) fn bind(listener: &Listener, backlog: i32) -> Result<Self, BindError> {
        Self::try_bind(listener, backlog).map_err(|source| BindError {
            name: listener.name.clone(),
            address: listener.bind.clone(),
            source,
        })
    }

    fn try_bind(listener: &Listener, backlog: i32) -> io::Result<Self> {
        let socket = listen(&listener.bind, backlog)?;
        socket.set_nonblocking(true)?;
        let tokio_listener = TcpListener::from_std(socket.into())?;
        let address = tokio_listener.local_addr()?;
        let advertised = match &listener.advertised {
            Some(HostPort { host, port: 0 }) => Some((host, address.port())),
            Some(HostPort { host, port }) => Some((host, *port)),
            None if listener.bind.is_any_host() => None,
            None => Some((&listener.bind.host, address.port())),
        };
        let advertised = advertised.map(|(host, port)| Endpoint { host: Str::from(host.as_str()), port });
        Ok(Self {
            name: Arc::from(listener.name.as_str()),
            address,
            advertised,
            sasl: listener.sasl.clone(),
            listener: tokio_listener,
        })
    }

    /// The listener's name.
    pub(crate) fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// What a client is told that reached us at `local`.
    pub(crate) fn endpoint(&self, local: SocketAddr) -> Endpoint {
        self.advertised.clone().unwrap_or_else(|| {
            // A client that came by IPv4 to a socket for both protocols is told an IPv4 address.
            let host = local.ip().to_canonical();
            Endpoint { host: Str::from(host.to_string()), port: self.address.port() }
        })
    }

    /// What is written into the metadata log, for those who have not connected.
    pub(crate) fn registered(&self) -> headwater_storage::Endpoint {
        let loopback = match self.address.ip() {
            ip if ip.is_unspecified() => SocketAddr::new(Ipv4Addr::LOCALHOST.into(), self.address.port()),
            _ => self.address,
        };
        let Endpoint { host, port } = self.endpoint(loopback);
        let endpoint = headwater_storage::Endpoint::plaintext(&self.name, &host, port);
        if self.sasl.is_some() { endpoint.secured(SASL_PLAINTEXT) } else { endpoint }
    }

    /// How a client logs in that was just accepted.
    pub(crate) fn authentication(&self) -> Authentication {
        Authentication::new(self.sasl.as_ref())
    }

    pub(super) fn listener(&self) -> &TcpListener {
        &self.listener
    }
}

fn listen(bind: &HostPort, backlog: i32) -> io::Result<Socket> {
    if bind.host.is_empty() {
        // Both protocols on one socket, where the system has both.
        let every = SocketAddr::new(Ipv6Addr::UNSPECIFIED.into(), bind.port);
        return listen_on(every, backlog)
            .or_else(|_| listen_on(SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), bind.port), backlog));
    }
    let mut failure = io::Error::from(io::ErrorKind::AddrNotAvailable);
    let mut addresses: Vec<_> = (bind.host.as_str(), bind.port).to_socket_addrs()?.collect();
    // `localhost` is 127.0.0.1 to most clients, whatever the resolver puts first.
    addresses.sort_by_key(SocketAddr::is_ipv6);
    for address in addresses {
        match listen_on(address, backlog) {
            Ok(socket) => return Ok(socket),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

fn listen_on(address: SocketAddr, backlog: i32) -> io::Result<Socket> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    if address.is_ipv6() {
        socket.set_only_v6(false)?;
    }
    #[cfg(unix)]
    socket.set_reuse_address(true)?;
    socket.bind(&address.into())?;
    socket.listen(backlog)?;
    Ok(socket)
}

/// Kafka's number of the security protocol SASL_PLAINTEXT.
const SASL_PLAINTEXT: i16 = 2;

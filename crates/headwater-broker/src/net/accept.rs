//! Accepting connections.

use std::{
    collections::HashMap,
    io,
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use parking_lot::Mutex;
use socket2::SockRef;
use tokio::{net::TcpStream, task::JoinSet, time::sleep};

use super::bound::Bound;
use crate::{context::Peer, metrics::Metrics, stopping::Stopping, throttle::Throttle};

/// What serves the connections of a listener: the protocol behind it. Cheap to clone.
pub(crate) trait Door: Clone + Send + Sync + 'static {
    /// Where connections are counted.
    fn metrics(&self) -> &Metrics;

    /// Serves a connection until it is over, and logs why it is.
    fn serve(self, peer: Arc<Peer>, stream: TcpStream) -> impl Future<Output = ()> + Send;
}

/// What accepting needs besides the socket. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Acceptor<D> {
    door: D,
    connections: Arc<Connections>,
    send_buffer_bytes: Option<usize>,
    receive_buffer_bytes: Option<usize>,
}

impl<D: Door> Acceptor<D> {
    pub(crate) fn new(
        door: D,
        connections: Arc<Connections>,
        send_buffer_bytes: Option<usize>,
        receive_buffer_bytes: Option<usize>,
    ) -> Self {
        Self { door, connections, send_buffer_bytes, receive_buffer_bytes }
    }

    fn prepare(&self, stream: &TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let socket = SockRef::from(stream);
        socket.set_keepalive(true)?;
        if let Some(bytes) = self.send_buffer_bytes {
            socket.set_send_buffer_size(bytes)?;
        }
        if let Some(bytes) = self.receive_buffer_bytes {
            socket.set_recv_buffer_size(bytes)?;
        }
        Ok(())
    }
}

/// How many connections there are, and how many there may be.
pub(crate) struct Connections {
    max: usize,
    max_per_ip: usize,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    count: usize,
    by_ip: HashMap<IpAddr, usize>,
}

/// One connection's place; given back when it is dropped.
struct Place {
    connections: Arc<Connections>,
    ip: IpAddr,
}

impl Connections {
    pub(crate) fn new(max: usize, max_per_ip: usize) -> Self {
        Self { max, max_per_ip, open: Mutex::default() }
    }

    fn enter(self: &Arc<Self>, ip: IpAddr) -> Option<Place> {
        let mut open = self.open.lock();
        let of_ip = open.by_ip.get(&ip).copied().unwrap_or(0);
        if open.count >= self.max || of_ip >= self.max_per_ip {
            return None;
        }
        open.count += 1;
        open.by_ip.insert(ip, of_ip + 1);
        Some(Place { connections: self.clone(), ip })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = self.connections.open.lock();
        open.count -= 1;
        if let Some(of_ip) = open.by_ip.get_mut(&self.ip) {
            *of_ip -= 1;
            if *of_ip == 0 {
                open.by_ip.remove(&self.ip);
            }
        }
    }
}

/// Accepts connections until the broker stops, then waits for those that are open.
pub(crate) async fn accept<D: Door>(bound: Bound, acceptor: Acceptor<D>, stopping: Stopping) {
    let mut tasks = JoinSet::new();
    loop {
        tokio::select! {
            accepted = bound.listener().accept() => match accepted {
                Ok((stream, address)) => admit(&bound, &acceptor, stream, address, &mut tasks),
                Err(error) => {
                    // Out of descriptors, most likely: others need a moment to give some back.
                    tracing::warn!(listener = %bound.name(), %error, "a connection could not be accepted");
                    sleep(RETRY_AFTER).await;
                }
            },
            Some(_) = tasks.join_next(), if !tasks.is_empty() => {}
            () = stopping.begun() => break,
        }
    }
    drop(bound);
    while tasks.join_next().await.is_some() {}
}

fn admit<D: Door>(
    bound: &Bound,
    acceptor: &Acceptor<D>,
    stream: TcpStream,
    address: SocketAddr,
    tasks: &mut JoinSet<()>,
) {
    let Some(place) = acceptor.connections.enter(address.ip().to_canonical()) else {
        tracing::warn!(%address, "a connection was refused: there are too many");
        acceptor.door.metrics().connection_refused();
        return;
    };
    if let Err(error) = acceptor.prepare(&stream) {
        tracing::debug!(%address, %error, "a connection was lost before it began");
        return;
    }
    let Ok(local) = stream.local_addr() else { return };
    let peer = Arc::new(Peer {
        address,
        listener: bound.name().clone(),
        endpoint: bound.endpoint(local),
        authentication: bound.authentication(),
        throttle: Throttle::new(),
    });
    let door = acceptor.door.clone();
    let metrics = door.metrics().clone();
    metrics.connection_opened();
    tasks.spawn(async move {
        let _place = place;
        door.serve(peer, stream).await;
        metrics.connection_closed();
    });
}

/// How long to wait when the system has no room for another connection.
const RETRY_AFTER: Duration = Duration::from_millis(100);

//! A double of an Iggy server, for tests where no real one can be had.
//!
//! It speaks Iggy's binary protocol over TCP, with the types of `iggy_binary_protocol`, for the commands that Headwater's
//! gateway uses: sign in, streams, topics, partitions, sends and polls. It judges sends as the server does (checksums,
//! lengths, user headers) and keeps everything in memory. It is not a substitute for the real server: what it does not
//! know is answered with an error, and nothing is claimed of the server's own behaviour beyond the protocol.

mod commands;
mod connection;
mod errors;
mod partition;
mod state;

use std::{io, net::SocketAddr, sync::Arc};

use parking_lot::Mutex;
use tokio::{
    net::TcpListener,
    task::{JoinHandle, JoinSet},
};

use state::State;

/// The user and the password that the double knows.
pub const CREDENTIALS: (&str, &str) = ("iggy", "iggy");

/// What the double keeps, whether it listens or not.
#[derive(Clone, Default)]
pub struct Kept {
    state: Arc<Mutex<State>>,
}

/// A double that listens. Dropped, it hangs up on everybody; what was kept is there still.
pub struct Double {
    address: SocketAddr,
    kept: Kept,
    task: JoinHandle<()>,
}

impl Double {
    /// Listens on `address`; port 0 is a free one.
    ///
    /// # Errors
    /// When it cannot listen there.
    pub async fn start(address: &str, kept: Kept) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let state = kept.state.clone();
        let task = tokio::spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                connections.spawn(connection::serve(stream, address, state.clone()));
                while connections.try_join_next().is_some() {}
            }
        });
        Ok(Self { address, kept, task })
    }

    /// Where it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Removes the messages of a partition below `offset`, as retention does.
    pub fn expire(&self, stream: &str, topic: &str, partition: u32, offset: u64) {
        self.kept.state.lock().expire(stream, topic, partition, offset);
    }
}

impl Drop for Double {
    fn drop(&mut self) {
        self.task.abort();
    }
}

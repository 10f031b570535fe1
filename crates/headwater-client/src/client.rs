//! A connected client. Its calls stand in files of their own, by what they are about.

mod connect;
mod consume;
mod groups;
mod idempotent;
mod produce;
mod topics;
mod transactions;

use headwater_native::{Capabilities, Payload};
use tokio::sync::Mutex;

pub use consume::FetchOptions;
pub use groups::Membership;
use idempotent::Producer;
pub use produce::{BatchOutcome, Produced};

use crate::{ClientError, ConnectOptions, connection::Connection};

/// A connection to a server, logged in.
///
/// All calls take `&self`: tasks may share a client, and any number of calls may be under way. A call that is dropped
/// may still have been carried out.
///
/// Heartbeats of the server are answered in the background, also while no call is under way.
#[derive(Debug)]
pub struct Client {
    connection: Connection,
    options: ConnectOptions,
    server: ServerIdentity,
    /// Held while records are produced once, for they must arrive in the order of their sequence numbers.
    producer: Option<Mutex<Producer>>,
}

/// Who the server says it is.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ServerIdentity {
    /// Its name.
    pub name: String,
    /// Its version, as it tells it.
    pub version: String,
    /// What it can do.
    pub capabilities: Capabilities,
}

impl Client {
    /// Who the server says it is.
    pub const fn server(&self) -> &ServerIdentity {
        &self.server
    }

    /// Says goodbye and closes the connection. Calls that are under way end.
    ///
    /// A client that is dropped closes as well, without saying so.
    pub async fn close(&self) {
        self.connection.close().await;
    }

    /// Sends a request whose answer is OK.
    async fn done(&self, request: &impl Payload) -> Result<(), ClientError> {
        expected!(self.connection.call(request).await?, Done).map(|_| ())
    }
}

/// The one reply that is expected.
macro_rules! expected {
    ($reply:expr, $variant:ident) => {
        match $reply {
            headwater_native::Reply::$variant(reply) => Ok(reply),
            other => Err($crate::ClientError::Unexpected(other.opcode())),
        }
    };
}

use expected;

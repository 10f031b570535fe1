//! From a list of hosts to a client that is logged in.

use bytes::Bytes;
use headwater_codec::Str;
use headwater_native::{
    Capabilities, limits,
    messages::{Auth, AuthScram, AuthScramFinal, Hello, IdentifyClient, InitProducerId},
};
use headwater_security::{ClientExchange, Nonce, ScramMechanism};
use tokio::{
    net::TcpStream,
    sync::Mutex,
    task::spawn_blocking,
    time::{self, timeout},
};

use super::{Client, ServerIdentity, expected, idempotent::Producer};
use crate::{ClientError, ConnectOptions, Ended, Login, Mechanism, ProducerKind, connection::Connection};

impl Client {
    /// Connects to the first host that can be reached, and logs in.
    ///
    /// # Errors
    /// [`ClientError::NoHosts`]; the last host's [`ClientError::Connect`] when none can be reached; what the server that
    /// was reached says, without trying another.
    ///
    /// ```no_run
    /// use headwater_client::{Client, ConnectOptions};
    ///
    /// # async fn example() -> Result<(), headwater_client::ClientError> {
    /// let client = Client::connect(ConnectOptions::to("127.0.0.1:9094")).await?;
    /// println!("{} {}", client.server().name, client.server().version);
    /// client.close().await;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn connect(options: ConnectOptions) -> Result<Self, ClientError> {
        let mut unreachable = ClientError::NoHosts;
        for host in &options.hosts {
            match timeout(options.timeout, TcpStream::connect(host)).await.map_err(time_out).flatten() {
                Ok(stream) => return Self::greet(stream, options).await,
                Err(source) => unreachable = ClientError::Connect { host: host.clone(), source },
            }
        }
        Err(unreachable)
    }

    async fn greet(stream: TcpStream, options: ConnectOptions) -> Result<Self, ClientError> {
        // A frame is small and waited for; a socket that cannot be told so works as well.
        let _ = stream.set_nodelay(true);
        let connection = Connection::new(stream, options.timeout);
        let hello = Hello { version: limits::PROTOCOL_VERSION };
        expected!(connection.call(&hello).await?, Welcome)?;
        let anonymous = Login::password(ANONYMOUS, "");
        log_in(&connection, options.login.as_ref().unwrap_or(&anonymous)).await?;
        let identify = IdentifyClient {
            name: Str::from(&options.client_name),
            version: Str::from(&options.client_version),
        };
        let identity = expected!(connection.call(&identify).await?, IdentifyAck)?;
        let server = ServerIdentity {
            name: identity.server.as_str().to_owned(),
            version: identity.version.as_str().to_owned(),
            capabilities: Capabilities::parse(&identity.version),
        };
        let producer = match &options.producer {
            ProducerKind::Plain => None,
            ProducerKind::Idempotent => Some(begin_producing(&connection, None).await?),
            ProducerKind::Named(name) => Some(begin_producing(&connection, Some(name)).await?),
        };
        Ok(Self { connection, options, server, producer: producer.map(Mutex::new) })
    }
}

async fn log_in(connection: &Connection, login: &Login) -> Result<(), ClientError> {
    match login.mechanism {
        Mechanism::Password => {
            let password = Bytes::copy_from_slice(login.password.as_bytes());
            let auth = Auth { user: Str::from(&login.user), password };
            expected!(connection.call(&auth).await?, AuthOk).map(|_| ())
        }
        Mechanism::ScramSha256 => prove_password(connection, login).await,
    }
}

/// SCRAM-SHA-256 (RFC 7677). The server has to prove that it knows the user, too.
async fn prove_password(connection: &Connection, login: &Login) -> Result<(), ClientError> {
    let mechanism = ScramMechanism::Sha256;
    let exchange = ClientExchange::begin(mechanism, &login.user, Nonce::from_random(rand::random()));
    let message = Bytes::copy_from_slice(exchange.first_message().as_bytes());
    let first = AuthScram { mechanism: Str::from(mechanism.name()), message };
    let challenge = expected!(connection.call(&first).await?, AuthChallenge)?;
    // Many rounds of a hash, by which a password is hard to guess: too long for the runtime's threads.
    let password = login.password.clone();
    let proving = spawn_blocking(move || exchange.prove(&password, &challenge.message));
    let proved = proving.await.map_err(|_| Ended::Closed)??;
    let message = Bytes::copy_from_slice(proved.final_message().as_bytes());
    let accepted = expected!(connection.call(&AuthScramFinal { message }).await?, AuthOk)?;
    proved.verify(&accepted.server_final.unwrap_or_default())?;
    Ok(())
}

async fn begin_producing(connection: &Connection, name: Option<&String>) -> Result<Producer, ClientError> {
    let init = InitProducerId { producer_name: name.map(Str::from) };
    let identity = expected!(connection.call(&init).await?, ProducerIdentity)?;
    Ok(Producer::new(identity.producer_id, identity.producer_epoch))
}

fn time_out(_: time::error::Elapsed) -> std::io::Error {
    std::io::ErrorKind::TimedOut.into()
}

/// Who logs in when nobody is named.
const ANONYMOUS: &str = "anonymous";

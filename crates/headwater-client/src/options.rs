//! How to connect, and as whom.

use std::time::Duration;

use headwater_native::messages::Isolation;
use headwater_records::native::ValueCodec;

/// How to connect, as whom, and what holds for the whole connection.
///
/// ```
/// use headwater_client::{ConnectOptions, Login};
///
/// let options = ConnectOptions {
///     login: Some(Login::password("alice", "secret")),
///     ..ConnectOptions::to("127.0.0.1:9094")
/// };
/// assert_eq!(options.hosts, ["127.0.0.1:9094"]);
/// ```
#[derive(Clone, Debug)]
pub struct ConnectOptions {
    /// `host:port` of the servers, tried in this order until one can be reached.
    pub hosts: Vec<String>,
    /// Who the user is. A server without users wants somebody, and takes anybody: `None` is `anonymous`.
    pub login: Option<Login>,
    /// The program's name, for the server's logs; at most 128 bytes.
    pub client_name: String,
    /// Its version; at most 64 bytes.
    pub client_version: String,
    /// Whether records are produced once, however often they have to be sent.
    pub producer: ProducerKind,
    /// How the server is to store values.
    pub codec: ValueCodec,
    /// Whether records of open and aborted transactions are delivered.
    pub isolation: Isolation,
    /// How long to wait for the connection, and for each answer.
    pub timeout: Duration,
}

impl ConnectOptions {
    /// The defaults, for one server at `host:port`.
    pub fn to(host: impl Into<String>) -> Self {
        Self { hosts: vec![host.into()], ..Self::default() }
    }
}

impl Default for ConnectOptions {
    fn default() -> Self {
        Self {
            hosts: vec!["127.0.0.1:9094".to_owned()],
            login: None,
            client_name: env!("CARGO_PKG_NAME").to_owned(),
            client_version: env!("CARGO_PKG_VERSION").to_owned(),
            producer: ProducerKind::Plain,
            codec: ValueCodec::None,
            isolation: Isolation::ReadUncommitted,
            timeout: Duration::from_secs(30),
        }
    }
}

/// Who the user is.
#[derive(Clone)]
pub struct Login {
    /// The user's name.
    pub user: String,
    /// The password.
    pub password: String,
    /// How it is proved.
    pub mechanism: Mechanism,
}

impl Login {
    /// Sends the password as it is.
    pub fn password(user: impl Into<String>, password: impl Into<String>) -> Self {
        Self { user: user.into(), password: password.into(), mechanism: Mechanism::Password }
    }

    /// Proves the password with SCRAM-SHA-256, and lets the server prove that it knows it too.
    pub fn scram(user: impl Into<String>, password: impl Into<String>) -> Self {
        Self { mechanism: Mechanism::ScramSha256, ..Self::password(user, password) }
    }
}

impl std::fmt::Debug for Login {
    /// Without the password.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Login")
            .field("user", &self.user)
            .field("mechanism", &self.mechanism)
            .finish_non_exhaustive()
    }
}

/// How a password is proved.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Mechanism {
    /// It is sent.
    #[default]
    Password,
    /// SCRAM-SHA-256 (RFC 7677): neither side learns more than that the other knows it.
    ScramSha256,
}

/// What kind of producer a connection is.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub enum ProducerKind {
    /// A record that is sent twice is appended twice.
    #[default]
    Plain,
    /// Records are appended once. The producer ends with the connection.
    Idempotent,
    /// Records are appended once, and a newer connection with the same name fences this one.
    Named(String),
}

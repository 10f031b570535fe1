//! What a session asks for, and what it says.

use std::time::{Duration, Instant};

use crate::{Mechanism, PlainError, ScramCredential, ScramError, ScramMechanism};

/// What a listener offers, and for how long.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct SaslRules {
    /// The mechanisms offered, in the order in which clients are told, each with the longest life of a session
    /// (`connections.max.reauth.ms`); `None` for no limit.
    pub mechanisms: Vec<(Mechanism, Option<Duration>)>,
}

impl SaslRules {
    /// Whether the mechanism is offered.
    pub fn offers(&self, mechanism: Mechanism) -> bool {
        self.mechanisms.iter().any(|(offered, _)| *offered == mechanism)
    }

    pub(super) fn lifetime(&self, mechanism: Mechanism) -> Option<Duration> {
        self.mechanisms.iter().find(|(offered, _)| *offered == mechanism).and_then(|(_, lifetime)| *lifetime)
    }
}

/// Where passwords are looked up.
pub trait Credentials {
    /// Whether that is the user's password, for PLAIN.
    fn accept_plain(&self, user: &str, password: &str) -> bool;

    /// What is kept of the user's password for a mechanism; `None` when there is no such user.
    fn scram(&self, mechanism: ScramMechanism, user: &str) -> Option<ScramCredential>;
}

/// Users with passwords, and nobody with SCRAM.
impl Credentials for crate::PlainUsers {
    fn accept_plain(&self, user: &str, password: &str) -> bool {
        self.accept(user, password)
    }

    fn scram(&self, _mechanism: ScramMechanism, _user: &str) -> Option<ScramCredential> {
        None
    }
}

/// How tokens travel.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Framing {
    /// Bare, with nothing but their length before them: after a handshake of version 0.
    Bare,
    /// In SaslAuthenticate requests (KIP-152).
    Requests,
}

/// What may come next on a connection.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Phase {
    /// A handshake, or a question for the versions served.
    Handshake,
    /// A token.
    Token(Framing),
    /// Anything.
    Open,
    /// A handshake: the session's life is over.
    Expired,
    /// Nothing: the connection is to be closed.
    Failed,
}

/// Why a handshake is refused.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum HandshakeRefused {
    /// The mechanism is not offered. The connection is over.
    #[error("the SASL mechanism is not offered")]
    UnsupportedMechanism,
    /// A login is under way. The connection is over.
    #[error("a SASL handshake came in the middle of a login")]
    Unexpected,
    /// The last login was less than a second ago (KIP-368). The session lives on.
    #[error("a session can be renewed once in a second at most")]
    TooSoon,
}

/// What to do after a token.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Step {
    /// Send this token and wait for the next one.
    Continue {
        /// The server's token.
        token: Vec<u8>,
    },
    /// Send this token; the client has logged in.
    Done {
        /// The server's token.
        token: Vec<u8>,
        /// How long the session lives; zero for ever.
        lifetime: Duration,
    },
    /// Say no and close the connection.
    Failed(LoginFailure),
}

/// Why a login failed. The text is for the log; clients are told less.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum LoginFailure {
    /// A token without a handshake.
    #[error("a SASL token came without a handshake")]
    Unexpected,
    /// A PLAIN message that is none.
    #[error(transparent)]
    Plain(PlainError),
    /// No such user, or a wrong password.
    #[error("no such user or a wrong password")]
    Password,
    /// The client wants to act for somebody else.
    #[error("the client asks to act for another user")]
    AuthorizationId,
    /// A SCRAM exchange that failed.
    #[error(transparent)]
    Scram(ScramError),
    /// A session cannot be renewed by another mechanism.
    #[error("a session cannot be renewed by another mechanism")]
    OtherMechanism,
    /// A session cannot be renewed by another user.
    #[error("a session cannot be renewed by another user")]
    OtherUser,
}

/// A login that has succeeded.
#[derive(Clone, Debug)]
pub(super) struct Session {
    pub(super) user: String,
    pub(super) mechanism: Mechanism,
    pub(super) since: Instant,
    pub(super) until: Option<Instant>,
}

impl Session {
    pub(super) fn has_expired(&self, now: Instant) -> bool {
        self.until.is_some_and(|until| now >= until)
    }

    pub(super) fn is_young(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.since) < RENEWALS_APART
    }
}

/// How far apart the logins of one connection are at least, as in Kafka.
const RENEWALS_APART: Duration = Duration::from_secs(1);

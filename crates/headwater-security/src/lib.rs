//! Who a client is and how much it may move, as pure decisions: no socket, no store, no clock, no random source.
//!
//! - [`ClientFirst`] and [`ServerExchange`] are the server's side of SCRAM-SHA-256 and SCRAM-SHA-512 (RFC 5802,
//!   RFC 7677), [`ClientExchange`] is the client's; [`ScramCredential`] is what is kept of a password, and [`Decoy`]
//!   what stands for users that do not exist.
//! - [`PlainLogin`] is the one message of PLAIN (RFC 4616), [`PlainUsers`] the users that it is checked against.
//! - [`SaslSession`] is one connection's way through a SASL handshake, with what Kafka makes of it (KIP-43, KIP-84,
//!   KIP-152, KIP-368).
//! - [`QuotaTable`] says which quota holds for whom, [`Limiter`] how long a client waits that moved too much (KIP-13,
//!   KIP-219).
//!
//! ```
//! use headwater_security::{ClientExchange, ClientFirst, Nonce, ScramCredential, ScramMechanism};
//!
//! let mechanism = ScramMechanism::Sha256;
//! let kept = ScramCredential::from_password(mechanism, "pencil", b"a salt of our own", 4096);
//!
//! let client = ClientExchange::begin(mechanism, "user", Nonce::from_random([1; 18]));
//! let first = ClientFirst::parse(client.first_message().as_bytes())?;
//! assert_eq!(first.user(), "user");
//! let server = first.challenge(&kept, &Nonce::from_random([2; 18]));
//! let proved = client.prove("pencil", server.first_message().as_bytes())?;
//! let accepted = server.finish(proved.final_message().as_bytes())?;
//! proved.verify(accepted.message().as_bytes())?;
//! # Ok::<(), headwater_security::ScramError>(())
//! ```

mod mechanism;
mod plain;
mod quota;
mod scram;
mod session;

pub use mechanism::{Mechanism, ScramMechanism};
pub use plain::{PlainError, PlainLogin, PlainUsers};
pub use quota::{Limiter, QuotaKind, QuotaScope, QuotaTable, QuotaWindow};
pub use scram::{
    Accepted, ClientExchange, ClientFirst, Decoy, ITERATIONS_MAX, ITERATIONS_MIN, Nonce, Proved,
    ScramCredential, ScramError, ServerExchange, salted_password,
};
pub use session::{
    Credentials, Framing, HandshakeRefused, LoginFailure, Phase, SaslRules, SaslSession, Step,
};

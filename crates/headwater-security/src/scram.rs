//! SCRAM (RFC 5802, RFC 7677): both sides of the exchange, and what is kept of a password.
//!
//! Names and passwords are taken as they are, without SASLprep: neither Kafka nor its clients prepare them, and
//! a password that only one side prepares never matches. Channel binding is not offered; a client that insists on it is
//! refused.

mod client;
mod credential;
mod decoy;
mod error;
mod hash;
mod message;
mod nonce;
mod server;
#[cfg(test)]
mod tests;

pub use client::{ClientExchange, Proved};
pub use credential::{ITERATIONS_MAX, ITERATIONS_MIN, ScramCredential};
pub use decoy::Decoy;
pub use error::ScramError;
pub use hash::salted_password;
pub use nonce::Nonce;
pub use server::{Accepted, ClientFirst, ServerExchange};

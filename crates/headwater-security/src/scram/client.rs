//! The client's side.

use subtle::ConstantTimeEq;

use super::{
    credential::{CLIENT_KEY, ITERATIONS_MIN, SERVER_KEY},
    error::ScramError,
    hash::{hash, hmac, salted_password, xor},
    message::{attribute, decode, encode, escape, extensions, nonce, text},
    nonce::Nonce,
};
use crate::ScramMechanism;

/// A login that begins.
#[derive(Clone, Debug)]
pub struct ClientExchange {
    mechanism: ScramMechanism,
    nonce: Nonce,
    first_message: String,
}

/// A login whose proof is made.
#[derive(Clone)]
pub struct Proved {
    final_message: String,
    server_signature: Vec<u8>,
}

impl ClientExchange {
    /// Begins a login. The nonce must be new.
    pub fn begin(mechanism: ScramMechanism, user: &str, nonce: Nonce) -> Self {
        let first_message = format!("{GS2_HEADER}n={},r={nonce}", escape(user));
        Self { mechanism, nonce, first_message }
    }

    /// The first message, to be sent.
    pub fn first_message(&self) -> &str {
        &self.first_message
    }

    /// Answers the server's challenge. As slow as the server's iterations say.
    ///
    /// # Errors
    /// [`ScramError::Malformed`] and [`ScramError::MandatoryExtension`]; [`ScramError::Nonce`] when the challenge is not
    /// for this login; [`ScramError::Iterations`] when the server asks for fewer than [`ITERATIONS_MIN`] or for more
    /// than a million.
    pub fn prove(&self, password: &str, server_first: &[u8]) -> Result<Proved, ScramError> {
        let server_first = text(server_first)?;
        let mut rest = server_first;
        let combined = nonce(&mut rest)?;
        let salt = decode(attribute(&mut rest, 's')?)?;
        let iterations = attribute(&mut rest, 'i')?.parse::<u32>().map_err(|_| ScramError::Malformed)?;
        extensions(rest)?;
        if combined.len() <= self.nonce.as_str().len() || !combined.starts_with(self.nonce.as_str()) {
            return Err(ScramError::Nonce);
        }
        if salt.is_empty() {
            return Err(ScramError::Malformed);
        }
        if !(ITERATIONS_MIN..=ITERATIONS_SENSIBLE_MAX).contains(&iterations) {
            return Err(ScramError::Iterations { iterations });
        }
        let mechanism = self.mechanism;
        let salted = salted_password(mechanism, password, &salt, iterations);
        let without_proof = format!("c={},r={combined}", encode(GS2_HEADER.as_bytes()));
        let bare = self.first_message.get(GS2_HEADER.len()..).unwrap_or_default();
        let signed = format!("{bare},{server_first},{without_proof}");
        let client_key = hmac(mechanism, &salted, CLIENT_KEY);
        let signature = hmac(mechanism, &hash(mechanism, &client_key), signed.as_bytes());
        let server_key = hmac(mechanism, &salted, SERVER_KEY);
        Ok(Proved {
            final_message: format!("{without_proof},p={}", encode(&xor(&client_key, &signature))),
            server_signature: hmac(mechanism, &server_key, signed.as_bytes()),
        })
    }
}

impl Proved {
    /// The final message, to be sent.
    pub fn final_message(&self) -> &str {
        &self.final_message
    }

    /// Judges the server's final message: whether it knows the user too.
    ///
    /// # Errors
    /// [`ScramError::Refused`] when the server says so, [`ScramError::ServerSignature`] when it does not know the user,
    /// [`ScramError::Malformed`].
    pub fn verify(&self, server_final: &[u8]) -> Result<(), ScramError> {
        let mut rest = text(server_final)?;
        if rest.starts_with("e=") {
            return Err(ScramError::Refused);
        }
        let signature = decode(attribute(&mut rest, 'v')?)?;
        extensions(rest)?;
        if bool::from(signature.ct_eq(&self.server_signature)) {
            Ok(())
        } else {
            Err(ScramError::ServerSignature)
        }
    }
}

impl std::fmt::Debug for Proved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Proved").finish_non_exhaustive()
    }
}

/// No channel binding, and nobody else to act for.
const GS2_HEADER: &str = "n,,";
/// More iterations than this would keep a client busy for the server's pleasure.
const ITERATIONS_SENSIBLE_MAX: u32 = 1_000_000;

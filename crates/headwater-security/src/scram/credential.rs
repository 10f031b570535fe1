//! What is kept of a password.

use std::fmt;

use subtle::ConstantTimeEq;

use super::hash::{hash, hmac, salted_password};
use crate::ScramMechanism;

/// The least iterations that RFC 7677 allows, and Kafka.
pub const ITERATIONS_MIN: u32 = 4096;
/// The most iterations that Kafka allows for credentials set through its API (KIP-554).
pub const ITERATIONS_MAX: u32 = 16_384;

/// What is kept of a user's password for one mechanism: enough to check a login, not enough to log in elsewhere.
#[derive(Clone, Eq, PartialEq)]
pub struct ScramCredential {
    pub(super) mechanism: ScramMechanism,
    pub(super) iterations: u32,
    pub(super) salt: Vec<u8>,
    pub(super) stored_key: Vec<u8>,
    pub(super) server_key: Vec<u8>,
    /// Whether it stands for a user that does not exist.
    pub(super) is_decoy: bool,
}

impl ScramCredential {
    /// Makes it from a password. As slow as `iterations` say.
    pub fn from_password(mechanism: ScramMechanism, password: &str, salt: &[u8], iterations: u32) -> Self {
        let salted = salted_password(mechanism, password, salt, iterations);
        Self::from_salted_password(mechanism, &salted, salt, iterations)
    }

    /// Makes it from a password that was salted and iterated already (AlterUserScramCredentials).
    pub fn from_salted_password(
        mechanism: ScramMechanism,
        salted_password: &[u8],
        salt: &[u8],
        iterations: u32,
    ) -> Self {
        let client_key = hmac(mechanism, salted_password, CLIENT_KEY);
        Self {
            mechanism,
            iterations,
            salt: salt.to_vec(),
            stored_key: hash(mechanism, &client_key),
            server_key: hmac(mechanism, salted_password, SERVER_KEY),
            is_decoy: false,
        }
    }

    /// Takes one that was kept. `None` when its keys are not as long as the mechanism's, or nothing was iterated.
    pub fn from_kept(
        mechanism: ScramMechanism,
        salt: &[u8],
        stored_key: &[u8],
        server_key: &[u8],
        iterations: u32,
    ) -> Option<Self> {
        let fits = |key: &[u8]| key.len() == mechanism.key_len();
        if !fits(stored_key) || !fits(server_key) || iterations == 0 {
            return None;
        }
        Some(Self {
            mechanism,
            iterations,
            salt: salt.to_vec(),
            stored_key: stored_key.to_vec(),
            server_key: server_key.to_vec(),
            is_decoy: false,
        })
    }

    /// Whether this is the user's password, for logins that send it in the clear. As slow as the iterations say.
    pub fn accepts_password(&self, password: &str) -> bool {
        let made = Self::from_password(self.mechanism, password, &self.salt, self.iterations);
        bool::from(made.stored_key.ct_eq(&self.stored_key)) & !self.is_decoy
    }

    /// The mechanism that it is for.
    pub fn mechanism(&self) -> ScramMechanism {
        self.mechanism
    }

    /// How often the password was hashed.
    pub fn iterations(&self) -> u32 {
        self.iterations
    }

    /// The salt.
    pub fn salt(&self) -> &[u8] {
        &self.salt
    }

    /// `StoredKey` of RFC 5802: the hash of the client's key.
    pub fn stored_key(&self) -> &[u8] {
        &self.stored_key
    }

    /// `ServerKey` of RFC 5802: with it the server proves that it knows the user.
    pub fn server_key(&self) -> &[u8] {
        &self.server_key
    }
}

impl fmt::Debug for ScramCredential {
    /// Without salt and keys.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScramCredential")
            .field("mechanism", &self.mechanism)
            .field("iterations", &self.iterations)
            .finish_non_exhaustive()
    }
}

/// What the salted password is signed over for the client's key.
pub(super) const CLIENT_KEY: &[u8] = b"Client Key";
/// And for the server's.
pub(super) const SERVER_KEY: &[u8] = b"Server Key";

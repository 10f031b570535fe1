//! Credentials of users that do not exist.

use std::fmt;

use super::{
    credential::{ITERATIONS_MIN, ScramCredential},
    hash::hmac,
};
use crate::ScramMechanism;

/// Makes credentials for users that do not exist, so that an exchange with one looks like an exchange with any other:
/// the same salt each time, and failure only at its end.
#[derive(Clone)]
pub struct Decoy {
    secret: [u8; 32],
}

impl Decoy {
    /// A maker with a secret, which must come from a good random source and live as long as the server.
    pub fn new(secret: [u8; 32]) -> Self {
        Self { secret }
    }

    /// What stands for that user. No login with it succeeds.
    pub fn credential(&self, mechanism: ScramMechanism, user: &str) -> ScramCredential {
        let derive = |what: &[u8]| {
            let name = [what, mechanism.name().as_bytes(), b"\0", user.as_bytes()].concat();
            hmac(mechanism, &self.secret, &name)
        };
        let mut salt = derive(b"salt");
        salt.truncate(SALT_LEN);
        ScramCredential {
            mechanism,
            iterations: ITERATIONS_MIN,
            salt,
            stored_key: derive(b"stored"),
            server_key: derive(b"server"),
            is_decoy: true,
        }
    }
}

impl fmt::Debug for Decoy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decoy").finish_non_exhaustive()
    }
}

/// How long the salts are that are made for new credentials, here and in most clients: a decoy's is no different.
const SALT_LEN: usize = 26;

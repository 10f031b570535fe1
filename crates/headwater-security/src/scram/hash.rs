//! The hashes under both mechanisms.

use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256, Sha512};

use crate::ScramMechanism;

/// `H(data)`.
pub(super) fn hash(mechanism: ScramMechanism, data: &[u8]) -> Vec<u8> {
    match mechanism {
        ScramMechanism::Sha256 => Sha256::digest(data).to_vec(),
        ScramMechanism::Sha512 => Sha512::digest(data).to_vec(),
    }
}

/// `HMAC(key, data)`.
pub(super) fn hmac(mechanism: ScramMechanism, key: &[u8], data: &[u8]) -> Vec<u8> {
    match mechanism {
        ScramMechanism::Sha256 => sign::<Hmac<Sha256>>(key, data),
        ScramMechanism::Sha512 => sign::<Hmac<Sha512>>(key, data),
    }
}

/// `SaltedPassword` of RFC 5802, by PBKDF2: what AlterUserScramCredentials carries instead of a password (KIP-554). As
/// slow as `iterations` say.
pub fn salted_password(mechanism: ScramMechanism, password: &str, salt: &[u8], iterations: u32) -> Vec<u8> {
    let password = password.as_bytes();
    match mechanism {
        ScramMechanism::Sha256 => {
            pbkdf2::pbkdf2_hmac_array::<Sha256, 32>(password, salt, iterations).to_vec()
        }
        ScramMechanism::Sha512 => {
            pbkdf2::pbkdf2_hmac_array::<Sha512, 64>(password, salt, iterations).to_vec()
        }
    }
}

/// `one XOR other`, as long as the shorter.
pub(super) fn xor(one: &[u8], other: &[u8]) -> Vec<u8> {
    one.iter().zip(other).map(|(one, other)| one ^ other).collect()
}

fn sign<M: Mac + hmac::digest::KeyInit>(key: &[u8], data: &[u8]) -> Vec<u8> {
    // A key of any length is right for HMAC; the error is that of other MACs.
    let Ok(mut mac) = <M as Mac>::new_from_slice(key) else {
        unreachable!("HMAC takes keys of every length")
    };
    mac.update(data);
    mac.finalize().into_bytes().to_vec()
}

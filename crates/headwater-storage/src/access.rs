//! Who comes in and how much they may move: SCRAM credentials and client quotas, as the metadata keeps them.

use std::fmt;

use bytes::Bytes;

/// What a SCRAM login is checked against (RFC 5802); nothing of it gives the password away at once.
#[derive(Clone, Eq, PartialEq)]
pub struct StoredScramCredential {
    /// The user's name.
    pub user: String,
    /// Kafka's number of the mechanism: 1 SCRAM-SHA-256, 2 SCRAM-SHA-512.
    pub mechanism: i8,
    /// The salt.
    pub salt: Bytes,
    /// The hash of the client's key.
    pub stored_key: Bytes,
    /// The key with which the server proves itself.
    pub server_key: Bytes,
    /// How often the password was hashed.
    pub iterations: i32,
}

impl fmt::Debug for StoredScramCredential {
    /// Without the keys: they are as good as a password to whoever pretends to be the server.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredScramCredential")
            .field("user", &self.user)
            .field("mechanism", &self.mechanism)
            .field("iterations", &self.iterations)
            .finish_non_exhaustive()
    }
}

/// One change of a user's credentials (KIP-554).
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum ScramChange {
    /// Sets the credential of a user and mechanism.
    Put(StoredScramCredential),
    /// Removes it; nothing happens when there is none.
    Remove {
        /// The user's name.
        user: String,
        /// Kafka's number of the mechanism.
        mechanism: i8,
    },
}

/// Whom a quota holds for: types (`user`, `client-id`, `ip`) with a name each, `None` for the type's default, in the
/// order of the types (KIP-546).
#[derive(Clone, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct QuotaEntity(Vec<(String, Option<String>)>);

impl QuotaEntity {
    /// An entity of these parts, in whatever order.
    pub fn new(parts: impl IntoIterator<Item = (String, Option<String>)>) -> Self {
        let mut parts: Vec<_> = parts.into_iter().collect();
        parts.sort();
        Self(parts)
    }

    /// Its parts, in the order of their types.
    pub fn parts(&self) -> &[(String, Option<String>)] {
        &self.0
    }

    /// The name given for a type: `None` when the entity is not of that type, `Some(None)` for the type's default.
    pub fn name(&self, entity_type: &str) -> Option<Option<&str>> {
        let (_, name) = self.0.iter().find(|(of, _)| of == entity_type)?;
        Some(name.as_deref())
    }
}

/// One change of a quota (KIP-546).
#[derive(Clone, Debug, PartialEq)]
pub struct QuotaChange {
    /// Whom it holds for.
    pub entity: QuotaEntity,
    /// Which quota, by Kafka's name (`producer_byte_rate`).
    pub quota: String,
    /// How much, in the quota's own unit; `None` removes it.
    pub value: Option<f64>,
}

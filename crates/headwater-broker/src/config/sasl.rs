//! What a SASL listener offers: mechanisms, users of PLAIN, how long a login lasts.

use std::{sync::Arc, time::Duration};

use headwater_security::{Mechanism, PlainUsers, SaslRules};

use super::{ConfigError, jaas, key::split_list, settings::COMPOSED, values::Values};

/// What a listener with security protocol SASL_PLAINTEXT offers.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct SaslListener {
    /// Its mechanisms, and how long a login by each lasts.
    pub rules: Arc<SaslRules>,
    /// The users that PLAIN knows.
    pub plain_users: PlainUsers,
}

/// Reads what the listener of that name offers. A key with the prefix `listener.name.<name>.` wins over one without.
pub(super) fn sasl_listener(values: &Values, listener: &str) -> Result<SaslListener, ConfigError> {
    let prefix = format!("{PREFIX}{}.", listener.to_lowercase());
    let (key, text) = own_or_shared(values, &prefix, MECHANISMS);
    let invalid = |key: &str, value: &str, expected: &str| ConfigError::InvalidValue {
        key: key.to_owned(),
        value: value.to_owned(),
        expected: expected.to_owned(),
    };
    let mut mechanisms = Vec::new();
    for name in split_list(text) {
        let mechanism = Mechanism::parse(&name)
            .ok_or_else(|| invalid(&key, text, "a list of PLAIN, SCRAM-SHA-256 and SCRAM-SHA-512"))?;
        let own = format!("{prefix}{}.{REAUTH}", name.to_lowercase());
        let (key, lifetime) = match values.get(&own) {
            Some(text) => (own, text),
            None => own_or_shared(values, &prefix, REAUTH),
        };
        let lifetime_ms: u64 = lifetime
            .trim()
            .parse()
            .map_err(|_| invalid(&key, lifetime, "milliseconds, or 0 for no limit"))?;
        let lifetime = Some(Duration::from_millis(lifetime_ms)).filter(|lifetime| !lifetime.is_zero());
        mechanisms.push((mechanism, lifetime));
    }
    if mechanisms.is_empty() {
        return Err(invalid(&key, text, "at least one mechanism"));
    }
    let jaas_key = format!("{prefix}{PLAIN_JAAS}");
    let plain_users = match values.get(&jaas_key) {
        Some(text) => jaas::plain_users(text).map_err(|expected| invalid(&jaas_key, "(hidden)", expected))?,
        None => PlainUsers::default(),
    };
    if plain_users.is_empty() && mechanisms.iter().any(|(mechanism, _)| *mechanism == Mechanism::Plain) {
        let expected = "a PlainLoginModule with options user_NAME=\"password\", because PLAIN is offered";
        return Err(invalid(&jaas_key, "(hidden)", expected));
    }
    Ok(SaslListener { rules: Arc::new(SaslRules { mechanisms }), plain_users })
}

/// Whether a key that begins with `listener.name.` is one that is read.
pub(super) fn is_listener_key(name: &str) -> bool {
    let Some(rest) = name.strip_prefix(PREFIX).and_then(|rest| rest.split_once('.')) else { return false };
    let (_, key) = rest;
    let mechanisms = || Mechanism::ALL.into_iter().map(|mechanism| mechanism.name().to_lowercase());
    [MECHANISMS, REAUTH, PLAIN_JAAS].contains(&key)
        || mechanisms().any(|mechanism| key == format!("{mechanism}.{REAUTH}"))
        // Kafka wants a login module without users here. There is nothing in it to read.
        || mechanisms().any(|mechanism| key == format!("{mechanism}.{JAAS}"))
}

fn own_or_shared<'a>(values: &'a Values, prefix: &str, name: &'static str) -> (String, &'a str) {
    let own = format!("{prefix}{name}");
    match values.get(&own) {
        Some(text) => (own, text),
        None => {
            let default = COMPOSED.iter().find(|key| key.name == name).and_then(|key| key.default);
            (name.to_owned(), values.get(name).or(default).unwrap_or_default())
        }
    }
}

const PREFIX: &str = "listener.name.";
const MECHANISMS: &str = "sasl.enabled.mechanisms";
const REAUTH: &str = "connections.max.reauth.ms";
const JAAS: &str = "sasl.jaas.config";
const PLAIN_JAAS: &str = "plain.sasl.jaas.config";

//! Every key that the broker knows, in one place to look up.

use std::{collections::BTreeMap, sync::OnceLock};

use super::{
    ignored::{FAMILIES, IGNORED},
    key::{ConfigKey, Reason},
    sasl,
    settings::{COMPOSED, SETTINGS},
};
use crate::topic_config::broker_defaults;

/// All keys by name.
pub(crate) fn keys() -> &'static BTreeMap<&'static str, ConfigKey> {
    static KEYS: OnceLock<BTreeMap<&'static str, ConfigKey>> = OnceLock::new();
    KEYS.get_or_init(|| {
        let topic_defaults = broker_defaults();
        let ignored = IGNORED.iter().copied().flatten();
        // A key that works comes last, so that it wins over one of the same name that does not.
        ignored.chain(SETTINGS).chain(COMPOSED).chain(&topic_defaults).map(|key| (key.name, *key)).collect()
    })
}

/// The key of that name.
pub(crate) fn key(name: &str) -> Option<&'static ConfigKey> {
    keys().get(name)
}

/// Whether the key is one that stands for one listener and is read.
pub(crate) fn is_listener_key(name: &str) -> bool {
    sasl::is_listener_key(name)
}

/// Why a key of a family (`listener.name.*` and the like) does nothing, when the name is of one.
pub(crate) fn family(name: &str) -> Option<Reason> {
    if is_listener_key(name) {
        return None;
    }
    FAMILIES.iter().find(|(prefix, _)| name.starts_with(prefix)).map(|(_, reason)| *reason)
}

/// The known key that is spelt most like `name`, when one is close.
pub(crate) fn nearest(name: &str) -> Option<&'static str> {
    nearest_of(name, keys().keys().copied())
}

/// The candidate that is spelt most like `name`, when one is close.
pub(crate) fn nearest_of(name: &str, candidates: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    candidates
        .map(|candidate| (strsim::jaro_winkler(name, candidate), candidate))
        .filter(|(likeness, _)| *likeness > 0.85)
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .map(|(_, candidate)| candidate)
}

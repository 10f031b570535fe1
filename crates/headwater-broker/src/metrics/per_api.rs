//! One counter for each API, found by its key without a lookup by name.

use headwater_codec::ApiKey;
use prometheus::{IntCounter, IntCounterVec, Registry};

use super::{opts, register};

/// One counter for each API, and one for keys that are none.
pub(super) struct PerApi {
    by_key: Vec<Option<IntCounter>>,
    unknown: IntCounter,
}

impl PerApi {
    /// Counters for every API that has a name.
    pub(super) fn new(registry: &Registry, name: &str, help: &str) -> Self {
        let family = register(registry, IntCounterVec::new(opts(name, help), &["api"]));
        let named = |key| ApiKey::from_code(key).map(|api| family.with_label_values(&[api.name()]));
        Self { by_key: (0..KEYS_END).map(named).collect(), unknown: family.with_label_values(&["unknown"]) }
    }

    /// Counts one.
    pub(super) fn increment(&self, api_key: i16) {
        let counter =
            usize::try_from(api_key).ok().and_then(|key| self.by_key.get(key)).and_then(Option::as_ref);
        counter.unwrap_or(&self.unknown).inc();
    }
}

/// The first key that no API has.
const KEYS_END: i16 = 128;

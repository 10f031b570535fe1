//! What was set, by whom: the raw texts under a configuration.

use std::collections::BTreeMap;

use super::Origin;

/// Keys that were set, with the text that won.
#[derive(Clone, Debug, Default)]
pub(crate) struct Values {
    set: BTreeMap<String, (String, Origin)>,
}

impl Values {
    /// Sets a key unless a stronger origin has; of equal ones the later wins.
    pub(super) fn put(&mut self, key: String, value: String, origin: Origin) {
        match self.set.get(&key) {
            Some((_, stronger)) if *stronger > origin => {}
            _ => {
                self.set.insert(key, (value, origin));
            }
        }
    }

    /// The text that a key was set to.
    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        self.set.get(key).map(|(value, _)| value.as_str())
    }

    /// Every key that was set, in order, with its text and origin.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str, Origin)> {
        self.set.iter().map(|(key, (value, origin))| (key.as_str(), value.as_str(), *origin))
    }
}

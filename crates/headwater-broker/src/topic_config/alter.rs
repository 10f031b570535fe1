//! Changing configs: set, delete, append, subtract (KIP-339), judged as a whole.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    BrokerLayers,
    alter_error::{AlterError, VALUE_LENGTH_MAX},
    effective,
    table::{TopicKey, topic_key},
};
use crate::config::{
    ConfigType,
    key::{ConfigKey, ConfigValue, Effect, split_list},
    known,
};

/// What is done to one config.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum OpKind {
    /// Gives it a value.
    Set,
    /// Returns it to its default.
    Delete,
    /// Adds words to a list.
    Append,
    /// Takes words out of a list.
    Subtract,
}

impl OpKind {
    /// Reads the number on the wire.
    pub(crate) const fn from_code(code: i8) -> Option<Self> {
        match code {
            0 => Some(Self::Set),
            1 => Some(Self::Delete),
            2 => Some(Self::Append),
            3 => Some(Self::Subtract),
            _ => None,
        }
    }
}

/// One operation on one config.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct ConfigOp {
    /// The config.
    pub(crate) name: String,
    /// What is done.
    pub(crate) kind: OpKind,
    /// The value; only a deletion needs none.
    pub(crate) value: Option<String>,
}

/// What operations on a topic's `own` configs change: each config with its new value, `None` when it returns to its
/// default. All of them are judged; one that fails refuses all.
pub(crate) fn alter(
    layers: &BrokerLayers<'_>,
    own: &BTreeMap<String, String>,
    ops: &[ConfigOp],
) -> Result<Vec<(String, Option<String>)>, AlterError> {
    check_ops(ops)?;
    let mut after = own.clone();
    for op in ops {
        // What was set by whatever version must be removable.
        if op.kind == OpKind::Delete {
            after.remove(&op.name);
            continue;
        }
        let key = known_topic_key(&op.name)?;
        let value = op.value.as_deref().unwrap_or_default();
        let new = match op.kind {
            OpKind::Set | OpKind::Delete => value.to_owned(),
            OpKind::Append | OpKind::Subtract => {
                let base = match effective(layers, own, key.key.name) {
                    Some(ConfigValue::List(words)) => words,
                    _ => Vec::new(),
                };
                edit_list(&key.key, base, op.kind, value)?
            }
        };
        key.parse(&new)?;
        after.insert(op.name.clone(), new);
    }
    check_topic(layers, &after)?;
    Ok(changes(own, &after, ops))
}

/// What operations on a broker's dynamic configs change: `own` is what is set for it, or for all of them.
pub(crate) fn alter_broker(
    layers: &BrokerLayers<'_>,
    own: &BTreeMap<String, String>,
    ops: &[ConfigOp],
) -> Result<Vec<(String, Option<String>)>, AlterError> {
    check_ops(ops)?;
    let mut after = own.clone();
    for op in ops {
        // What was set by whatever version must be removable.
        if op.kind == OpKind::Delete {
            after.remove(&op.name);
            continue;
        }
        let key = dynamic_broker_key(&op.name)?;
        let value = op.value.as_deref().unwrap_or_default();
        let new = match op.kind {
            OpKind::Append | OpKind::Subtract => {
                let inherited = || layers.set(key.name).next().map(|(text, _)| text).or(key.default);
                let base = own.get(&op.name).map(String::as_str).or_else(inherited).unwrap_or_default();
                edit_list(key, split_list(base), op.kind, value)?
            }
            OpKind::Set | OpKind::Delete => value.to_owned(),
        };
        key.parse(&new).map_err(AlterError::BrokerValue)?;
        after.insert(op.name.clone(), new);
    }
    Ok(changes(own, &after, ops))
}

/// Judges operations by themselves.
fn check_ops(ops: &[ConfigOp]) -> Result<(), AlterError> {
    let mut seen = BTreeSet::new();
    for op in ops {
        let name = || op.name.clone();
        if !seen.insert(op.name.as_str()) {
            return Err(AlterError::Duplicate { name: name() });
        }
        match &op.value {
            None if op.kind != OpKind::Delete => return Err(AlterError::NoValue { name: name() }),
            Some(value) if value.len() > VALUE_LENGTH_MAX => {
                return Err(AlterError::TooLong { name: name() });
            }
            _ => {}
        }
    }
    Ok(())
}

/// What is different after the operations.
fn changes(
    own: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
    ops: &[ConfigOp],
) -> Vec<(String, Option<String>)> {
    let changed = ops.iter().filter(|op| own.get(&op.name) != after.get(&op.name));
    changed.map(|op| (op.name.clone(), after.get(&op.name).cloned())).collect()
}

/// Judges the configs of a topic together.
pub(crate) fn check_topic(
    layers: &BrokerLayers<'_>,
    own: &BTreeMap<String, String>,
) -> Result<(), AlterError> {
    let integer = |name| match effective(layers, own, name) {
        Some(ConfigValue::Integer(number)) => number,
        _ => 0,
    };
    let lower = ("min.compaction.lag.ms", integer("min.compaction.lag.ms"));
    let upper = ("max.compaction.lag.ms", integer("max.compaction.lag.ms"));
    if lower.1 > upper.1 {
        return Err(AlterError::Conflict { lower, upper });
    }
    match effective(layers, own, "remote.storage.enable") {
        Some(ConfigValue::Boolean(true)) => Err(AlterError::TieredStorage),
        _ => Ok(()),
    }
}

/// The topic config of that name, or the error that names the nearest one.
fn known_topic_key(name: &str) -> Result<&'static TopicKey, AlterError> {
    topic_key(name).ok_or_else(|| AlterError::Unknown {
        name: name.to_owned(),
        nearest: known::nearest_of(name, super::TOPIC_KEYS.iter().map(|key| key.key.name)),
    })
}

/// The broker key of that name, when it can be changed while the broker runs.
fn dynamic_broker_key(name: &str) -> Result<&'static ConfigKey, AlterError> {
    let Some(key) = known::key(name) else {
        return Err(AlterError::UnknownBrokerKey { name: name.to_owned(), nearest: known::nearest(name) });
    };
    match key.effect {
        Effect::Works { dynamic: true, .. } => Ok(key),
        Effect::Works { .. } => Err(AlterError::ReadOnly { name: key.name }),
        Effect::Ignored(reason) => Err(AlterError::NoEffect { name: key.name, reason: reason.text }),
    }
}

/// Adds words that are not there yet to a list, or takes them out if they are there.
fn edit_list(key: &ConfigKey, base: Vec<String>, kind: OpKind, value: &str) -> Result<String, AlterError> {
    if key.kind != ConfigType::List {
        return Err(AlterError::NotAList { name: key.name.to_owned() });
    }
    let mut words = base;
    let given = split_list(value);
    if kind == OpKind::Subtract {
        words.retain(|word| !given.contains(word));
    } else {
        for word in given {
            if !words.contains(&word) {
                words.push(word);
            }
        }
    }
    Ok(words.join(","))
}

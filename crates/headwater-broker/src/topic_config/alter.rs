//! Changing configs: set, delete, append, subtract (KIP-339), judged as a whole.

use std::collections::{BTreeMap, BTreeSet};

use headwater_codec::ErrorCode;

use super::{
    BrokerLayers, effective,
    table::{TopicKey, topic_key},
};
use crate::config::{
    ConfigError, error::did_you_mean,
    key::{ConfigValue, split_list},
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

/// Why a change of configs is refused.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AlterError {
    /// One config stands twice among the operations.
    #[error("config {name} is there twice")]
    Duplicate {
        /// The config.
        name: String,
    },
    /// A value is missing.
    #[error("config {name}: null is no value")]
    NoValue {
        /// The config.
        name: String,
    },
    /// No topic config has that name.
    #[error("unknown topic config {name}{}", did_you_mean(*nearest))]
    Unknown {
        /// The name.
        name: String,
        /// The config that is spelt most like it.
        nearest: Option<&'static str>,
    },
    /// Words are appended to or taken from what is not a list.
    #[error("config {name} is not a list, so nothing can be appended or subtracted")]
    NotAList {
        /// The config.
        name: String,
    },
    /// A value is not of the config's type or range.
    #[error(transparent)]
    Value(#[from] ConfigError),
    /// A lower bound is above its upper bound.
    #[error("{}={} is more than {}={}", lower.0, lower.1, upper.0, upper.1)]
    Conflict {
        /// The lower bound and its value.
        lower: (&'static str, i64),
        /// The upper bound and its value.
        upper: (&'static str, i64),
    },
    /// Tiered storage is asked for.
    #[error("remote.storage.enable=true: tiered storage is not part of Headwater")]
    TieredStorage,
}

impl AlterError {
    /// The code that tells a client.
    pub(crate) const fn code(&self) -> ErrorCode {
        match self {
            Self::Duplicate { .. } | Self::NoValue { .. } => ErrorCode::InvalidRequest,
            Self::Unknown { .. }
            | Self::NotAList { .. }
            | Self::Value(_)
            | Self::Conflict { .. }
            | Self::TieredStorage => ErrorCode::InvalidConfig,
        }
    }
}

/// What operations on a topic's `own` configs change: each config with its new value, `None` when it returns to its
/// default. All of them are judged; one that fails refuses all.
pub(crate) fn alter(
    layers: &BrokerLayers<'_>,
    own: &BTreeMap<String, String>,
    ops: &[ConfigOp],
) -> Result<Vec<(String, Option<String>)>, AlterError> {
    let mut seen = BTreeSet::new();
    if let Some(op) = ops.iter().find(|op| !seen.insert(op.name.as_str())) {
        return Err(AlterError::Duplicate { name: op.name.clone() });
    }
    if let Some(op) = ops.iter().find(|op| op.kind != OpKind::Delete && op.value.is_none()) {
        return Err(AlterError::NoValue { name: op.name.clone() });
    }
    let mut after = own.clone();
    for op in ops {
        let key = known_topic_key(&op.name)?;
        let value = op.value.as_deref().unwrap_or_default();
        let new = match op.kind {
            OpKind::Set => value.to_owned(),
            OpKind::Append => edit_list(layers, own, key, |words| append(words, value))?,
            OpKind::Subtract => edit_list(layers, own, key, |words| subtract(words, value))?,
            OpKind::Delete => {
                after.remove(&op.name);
                continue;
            }
        };
        parse_topic_value(&op.name, &new)?;
        after.insert(op.name.clone(), new);
    }
    check_topic(layers, &after)?;
    let changed = |op: &&ConfigOp| own.get(&op.name) != after.get(&op.name);
    Ok(ops.iter().filter(changed).map(|op| (op.name.clone(), after.get(&op.name).cloned())).collect())
}

/// Judges one value of a topic config.
pub(crate) fn parse_topic_value(name: &str, value: &str) -> Result<ConfigValue, AlterError> {
    Ok(known_topic_key(name)?.parse(value)?)
}

/// Judges the configs of a topic together.
pub(crate) fn check_topic(layers: &BrokerLayers<'_>, own: &BTreeMap<String, String>) -> Result<(), AlterError> {
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

/// Changes the words of a list, starting from the topic's own value or else the default.
fn edit_list(
    layers: &BrokerLayers<'_>,
    own: &BTreeMap<String, String>,
    key: &'static TopicKey,
    edit: impl FnOnce(&mut Vec<String>),
) -> Result<String, AlterError> {
    if !key.is_list() {
        return Err(AlterError::NotAList { name: key.key.name.to_owned() });
    }
    let mut words = match effective(layers, own, key.key.name) {
        Some(ConfigValue::List(words)) => words,
        _ => Vec::new(),
    };
    edit(&mut words);
    Ok(words.join(","))
}

/// Adds the words that are not there yet.
fn append(words: &mut Vec<String>, value: &str) {
    for word in split_list(value) {
        if !words.contains(&word) {
            words.push(word);
        }
    }
}

/// Takes out the words, if they are there.
fn subtract(words: &mut Vec<String>, value: &str) {
    let gone = split_list(value);
    words.retain(|word| !gone.contains(word));
}

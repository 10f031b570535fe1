//! From a judged value to the type of a field.

use headwater_storage::{FlushPolicy, RecordFormat};

use super::{ConfigError, key::ConfigValue, known, values::Values};

/// A type that a setting can have.
pub(super) trait Setting: Sized {
    /// `None` when the value does not fit.
    fn from_value(value: &ConfigValue) -> Option<Self>;

    /// What the setting is when it has no value at all.
    fn absent() -> Option<Self> {
        None
    }

    /// Whether a key with this default can always be read.
    #[cfg(test)]
    fn from_default(default: Option<&str>) -> bool {
        default.is_some() || Self::absent().is_some()
    }
}

/// Reads the setting `name`, or its default.
pub(super) fn read<S: Setting>(values: &Values, name: &'static str) -> Result<S, ConfigError> {
    let Some(key) = known::key(name) else { unreachable!("{name} stands in the table that asks for it") };
    let Some(text) = values.get(name).or(key.default) else {
        return S::absent().ok_or_else(|| invalid(name, "", "a value"));
    };
    S::from_value(&key.parse(text)?).ok_or_else(|| invalid(name, text, "a smaller number"))
}

/// The error of a value that does not fit.
fn invalid(name: &str, value: &str, expected: &str) -> ConfigError {
    ConfigError::InvalidValue { key: name.to_owned(), value: value.to_owned(), expected: expected.to_owned() }
}

macro_rules! integer_settings {
    ($($type:ty),*) => {
        $(impl Setting for $type {
            fn from_value(value: &ConfigValue) -> Option<Self> {
                match value {
                    ConfigValue::Integer(number) => Self::try_from(*number).ok(),
                    _ => None,
                }
            }
        })*
    };
}

integer_settings!(u16, i32, i64, u32, u64, usize);

impl Setting for bool {
    fn from_value(value: &ConfigValue) -> Option<Self> {
        match value {
            ConfigValue::Boolean(flag) => Some(*flag),
            _ => None,
        }
    }
}

impl Setting for f64 {
    fn from_value(value: &ConfigValue) -> Option<Self> {
        match value {
            ConfigValue::Double(number) => Some(*number),
            _ => None,
        }
    }
}

impl Setting for String {
    fn from_value(value: &ConfigValue) -> Option<Self> {
        match value {
            ConfigValue::Text(text) => Some(text.clone()),
            _ => None,
        }
    }
}

impl Setting for FlushPolicy {
    fn from_value(value: &ConfigValue) -> Option<Self> {
        match value {
            ConfigValue::Text(text) if text == "group-commit" => Some(Self::GroupCommit),
            ConfigValue::Text(text) if text == "os" => Some(Self::Os),
            _ => None,
        }
    }
}

impl Setting for RecordFormat {
    fn from_value(value: &ConfigValue) -> Option<Self> {
        match value {
            ConfigValue::Text(text) if text == "kafka" => Some(Self::Kafka),
            ConfigValue::Text(text) if text == "native" => Some(Self::Native),
            _ => None,
        }
    }
}

/// No value, a negative number and an empty text all mean none.
impl<S: Setting> Setting for Option<S> {
    fn from_value(value: &ConfigValue) -> Option<Self> {
        match value {
            ConfigValue::Integer(number) if *number < 0 => Some(None),
            ConfigValue::Text(text) if text.is_empty() => Some(None),
            other => S::from_value(other).map(Some),
        }
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

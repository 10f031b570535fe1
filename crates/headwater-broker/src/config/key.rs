//! A config key: what its value looks like, what it is when nobody sets it, and what it does here.

use super::ConfigError;

/// The type of a config's value, as `DescribeConfigs` tells it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum ConfigType {
    /// `true` or `false`.
    Boolean,
    /// Text.
    String,
    /// A 32-bit integer.
    Int,
    /// A 16-bit integer.
    Short,
    /// A 64-bit integer.
    Long,
    /// A decimal number.
    Double,
    /// Words separated by commas.
    List,
    /// The name of a Java class, which means nothing here.
    Class,
    /// Text that is never shown.
    Password,
}

impl ConfigType {
    /// The number that stands for this type in `DescribeConfigs` (KIP-569).
    pub(crate) const fn code(self) -> i8 {
        match self {
            Self::Boolean => 1,
            Self::String => 2,
            Self::Int => 3,
            Self::Short => 4,
            Self::Long => 5,
            Self::Double => 6,
            Self::List => 7,
            Self::Class => 8,
            Self::Password => 9,
        }
    }

    /// The type's name in the reference.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Boolean => "boolean",
            Self::String => "string",
            Self::Int => "int",
            Self::Short => "short",
            Self::Long => "long",
            Self::Double => "double",
            Self::List => "list",
            Self::Class => "class",
            Self::Password => "password",
        }
    }
}

/// Which values of the right type are allowed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Check {
    /// All of them.
    Any,
    /// Integers from this one on.
    AtLeast(i64),
    /// Integers from the first to the second, both included.
    Between(i64, i64),
    /// `-1`, or integers from the first to the second.
    MinusOneOrBetween(i64, i64),
    /// Decimals from the first to the second, both included.
    Fraction(f64, f64),
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// A list whose every word is one of these.
    EachOf(&'static [&'static str]),
    /// `*`, nothing, or `partition:broker` pairs.
    ThrottledReplicas,
}

/// What setting a key does here.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Effect {
    /// What this sentence says; a value may be changed while the broker runs when `dynamic`.
    Works {
        /// One sentence of meaning.
        doc: &'static str,
        /// Whether the key can be changed on the cluster default without a restart.
        dynamic: bool,
    },
    /// Nothing, for this reason.
    Ignored(Reason),
}

/// Why a key that Kafka knows does nothing here.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Reason {
    /// One sentence.
    pub(crate) text: &'static str,
    /// How loudly to say so when somebody sets the key.
    pub(crate) level: NoticeLevel,
}

/// How much a [`Notice`](super::Notice) matters.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum NoticeLevel {
    /// Of interest when something puzzles.
    Debug,
    /// Worth one line.
    Info,
    /// Likely not what was meant.
    Warn,
}

/// One config key that the broker knows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConfigKey {
    /// Kafka's name, or our own.
    pub(crate) name: &'static str,
    /// The type of its value.
    pub(crate) kind: ConfigType,
    /// Its value when nobody sets it, `None` when it then has none.
    pub(crate) default: Option<&'static str>,
    /// Which values are allowed.
    pub(crate) check: Check,
    /// What it does.
    pub(crate) effect: Effect,
}

impl ConfigKey {
    /// Judges `text` by the key's type and check.
    pub(crate) fn parse(&self, text: &str) -> Result<ConfigValue, ConfigError> {
        parse_value(self.kind, self.check, text).map_err(|expected| ConfigError::InvalidValue {
            key: self.name.to_owned(),
            value: if self.is_sensitive() { "(hidden)".to_owned() } else { text.to_owned() },
            expected,
        })
    }

    /// Whether the value is a secret.
    pub(crate) const fn is_sensitive(&self) -> bool {
        matches!(self.kind, ConfigType::Password)
    }

    /// Whether the value can be changed while the broker runs.
    pub(crate) const fn is_dynamic(&self) -> bool {
        matches!(self.effect, Effect::Works { dynamic: true, .. })
    }

    /// What `DescribeConfigs` says about the key.
    pub(crate) fn documentation(&self) -> String {
        match self.effect {
            Effect::Works { doc, .. } => doc.trim().to_owned(),
            Effect::Ignored(reason) => format!("Accepted without effect. {}", reason.text),
        }
    }
}

/// A value that has passed its key's type and check.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ConfigValue {
    /// `true` or `false`.
    Boolean(bool),
    /// Any integer.
    Integer(i64),
    /// A decimal.
    Double(f64),
    /// Text.
    Text(String),
    /// The words of a list, without the blanks around them.
    List(Vec<String>),
}

/// Judges `text`; the error says what was expected.
pub(crate) fn parse_value(kind: ConfigType, check: Check, text: &str) -> Result<ConfigValue, String> {
    let trimmed = text.trim();
    let value = match kind {
        ConfigType::Boolean if trimmed.eq_ignore_ascii_case("true") => ConfigValue::Boolean(true),
        ConfigType::Boolean if trimmed.eq_ignore_ascii_case("false") => ConfigValue::Boolean(false),
        ConfigType::Boolean => return Err("true or false".to_owned()),
        ConfigType::Short => ConfigValue::Integer(i64::from(
            trimmed.parse::<i16>().map_err(|_| "an integer from -32768 to 32767".to_owned())?,
        )),
        ConfigType::Int => ConfigValue::Integer(i64::from(
            trimmed.parse::<i32>().map_err(|_| "an integer from -2147483648 to 2147483647".to_owned())?,
        )),
        ConfigType::Long => {
            ConfigValue::Integer(trimmed.parse::<i64>().map_err(|_| "a 64-bit integer".to_owned())?)
        }
        ConfigType::Double => ConfigValue::Double(
            trimmed.parse::<f64>().ok().filter(|number| number.is_finite()).ok_or("a decimal number")?,
        ),
        ConfigType::List => ConfigValue::List(split_list(trimmed)),
        ConfigType::String | ConfigType::Class | ConfigType::Password => {
            ConfigValue::Text(trimmed.to_owned())
        }
    };
    match judge(check, &value) {
        None => Ok(value),
        Some(expected) => Err(expected),
    }
}

/// The words of a comma-separated list; an empty text has none.
pub(crate) fn split_list(text: &str) -> Vec<String> {
    if text.trim().is_empty() {
        return Vec::new();
    }
    text.split(',').map(|word| word.trim().to_owned()).collect()
}

/// What the check would have expected, when the value fails it.
fn judge(check: Check, value: &ConfigValue) -> Option<String> {
    match (check, value) {
        (Check::AtLeast(least), ConfigValue::Integer(number)) if *number < least => {
            Some(format!("an integer of at least {least}"))
        }
        (Check::Between(least, most), ConfigValue::Integer(number)) if !(least..=most).contains(number) => {
            Some(format!("an integer from {least} to {most}"))
        }
        (Check::MinusOneOrBetween(least, most), ConfigValue::Integer(number))
            if *number != -1 && !(least..=most).contains(number) =>
        {
            Some(format!("-1 or an integer from {least} to {most}"))
        }
        (Check::Fraction(least, most), ConfigValue::Double(number)) if !(least..=most).contains(number) => {
            Some(format!("a number from {least} to {most}"))
        }
        (Check::OneOf(words), ConfigValue::Text(text)) if !words.contains(&text.as_str()) => {
            Some(format!("one of {}", words.join(", ")))
        }
        (Check::EachOf(words), ConfigValue::List(list))
            if !list.iter().all(|word| words.contains(&word.as_str())) =>
        {
            Some(format!("a list of {}", words.join(", ")))
        }
        (Check::ThrottledReplicas, ConfigValue::List(list)) if !are_throttled_replicas(list) => {
            Some("*, nothing, or partition:broker pairs".to_owned())
        }
        _ => None,
    }
}

/// Whether the words are what a replication throttle may list.
fn are_throttled_replicas(list: &[String]) -> bool {
    if matches!(list, [word] if word == "*") {
        return true;
    }
    list.iter().all(|pair| {
        pair.split_once(':').is_some_and(|(partition, broker)| {
            [partition, broker]
                .iter()
                .all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
        })
    })
}

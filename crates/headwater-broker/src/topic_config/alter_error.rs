//! Why a change of configs is refused, and the code that says so.

use headwater_codec::ErrorCode;

use crate::config::{ConfigError, error::did_you_mean};

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
    /// No broker key has that name.
    #[error("unknown broker config {name}{}", did_you_mean(*nearest))]
    UnknownBrokerKey {
        /// The name.
        name: String,
        /// The key that is spelt most like it.
        nearest: Option<&'static str>,
    },
    /// The broker key takes effect at start alone.
    #[error("config {name} is read at start and cannot be changed while the broker runs")]
    ReadOnly {
        /// The key.
        name: &'static str,
    },
    /// The broker key takes no effect at all.
    #[error("config {name} has no effect: {reason}")]
    NoEffect {
        /// The key.
        name: &'static str,
        /// Why.
        reason: &'static str,
    },
    /// The value of a broker key is not of its type or range.
    #[error("{0}")]
    BrokerValue(ConfigError),
    /// A value is longer than Kafka's metadata records allow.
    #[error("config {name}: the value is longer than {VALUE_LENGTH_MAX} bytes")]
    TooLong {
        /// The config.
        name: String,
    },
    /// The config is fixed when the topic is created.
    #[error("config {name} is {value} since the topic was created and cannot be changed")]
    Fixed {
        /// The config.
        name: &'static str,
        /// Its value.
        value: &'static str,
    },
    /// Tiered storage is asked for.
    #[error("remote.storage.enable=true: tiered storage is not part of Headwater")]
    TieredStorage,
}

impl AlterError {
    /// The code that tells a client.
    pub(crate) const fn code(&self) -> ErrorCode {
        match self {
            Self::Duplicate { .. }
            | Self::NoValue { .. }
            | Self::UnknownBrokerKey { .. }
            | Self::ReadOnly { .. }
            | Self::NoEffect { .. }
            | Self::BrokerValue(_) => ErrorCode::InvalidRequest,
            Self::Unknown { .. }
            | Self::TooLong { .. }
            | Self::NotAList { .. }
            | Self::Value(_)
            | Self::Conflict { .. }
            | Self::Fixed { .. }
            | Self::TieredStorage => ErrorCode::InvalidConfig,
        }
    }
}

/// The most bytes that a value may have.
pub(super) const VALUE_LENGTH_MAX: usize = 32_767;

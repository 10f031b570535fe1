//! Why a configuration is refused.

use std::{fmt, io, path::PathBuf};

/// Where a setting came from.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Origin {
    /// A properties file or text.
    File,
    /// An environment variable.
    Environment,
    /// A `--set` argument, or a call of [`ConfigBuilder::set`](super::ConfigBuilder::set).
    Set,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::File => "configuration file",
            Self::Environment => "environment",
            Self::Set => "--set",
        })
    }
}

/// Why a configuration is refused. Each variant names the key, file or line to change.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file is missing or unreadable.
    #[error("configuration file {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A line of a properties text cannot be read.
    #[error("configuration line {line}: \\u must be followed by four hexadecimal digits")]
    UnicodeEscape {
        /// The line, counted from 1.
        line: usize,
    },
    /// A `--set` argument without an equals sign.
    #[error("--set {argument}: expected KEY=VALUE")]
    NotAPair {
        /// The argument.
        argument: String,
    },
    /// Nobody knows the key.
    #[error("{origin}: unknown key {key}{}", did_you_mean(*nearest))]
    UnknownKey {
        /// Where it was set.
        origin: Origin,
        /// The key, or the variable's name.
        key: String,
        /// The known key that is spelt most like it.
        nearest: Option<&'static str>,
    },
    /// The value is not of the key's type or range.
    #[error("{key}={value}: expected {expected}")]
    InvalidValue {
        /// The key.
        key: String,
        /// The value as it was set.
        value: String,
        /// What would have been right.
        expected: String,
    },
    /// Two keys contradict each other.
    #[error("{first}={first_value} contradicts {second}={second_value}")]
    Contradiction {
        /// One key.
        first: &'static str,
        /// Its value.
        first_value: String,
        /// The other key.
        second: &'static str,
        /// Its value.
        second_value: String,
    },
    /// A listener is not of the form `NAME://host:port`.
    #[error("{key}: {listener} is not of the form NAME://host:port")]
    ListenerForm {
        /// The key.
        key: &'static str,
        /// The listener.
        listener: String,
    },
    /// Two listeners have one name, or one address.
    #[error("{key}: {listener} is there twice")]
    ListenerTwice {
        /// The key.
        key: &'static str,
        /// The name or address.
        listener: String,
    },
    /// A listener that no security protocol is mapped to.
    #[error("listener.security.protocol.map has no protocol for listener {listener}")]
    ListenerProtocol {
        /// The listener's name.
        listener: String,
    },
    /// A listener asks for encryption that is not there; serving it in plain text instead would be worse than not at all.
    #[error(
        "listener {listener}: security protocol {protocol} is not served; only PLAINTEXT and SASL_PLAINTEXT are"
    )]
    ListenerProtection {
        /// The listener's name.
        listener: String,
        /// The protocol that it asks for.
        protocol: String,
    },
    /// No listener for clients is left once those of controllers are set aside.
    #[error("listeners: no listener for clients")]
    NoListener,
    /// An advertised listener that nobody listens on.
    #[error("advertised.listeners: {listener} is not among listeners")]
    AdvertisedUnknown {
        /// The listener's name.
        listener: String,
    },
    /// An address that clients cannot connect to.
    #[error("advertised.listeners: {listener} has an address that clients cannot reach")]
    AdvertisedUnreachable {
        /// The listener.
        listener: String,
    },
}

/// The hint at the end of an unknown key's message.
pub(crate) fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map(|key| format!("; did you mean {key}?")).unwrap_or_default()
}

//! SASL mechanisms by name and number.

use std::fmt;

/// A SASL mechanism that is served.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Mechanism {
    /// A name and a password, in the clear (RFC 4616).
    Plain,
    /// A salted challenge and response (RFC 5802).
    Scram(ScramMechanism),
}

/// The hash under SCRAM.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum ScramMechanism {
    /// SCRAM-SHA-256 (RFC 7677).
    Sha256,
    /// SCRAM-SHA-512.
    Sha512,
}

impl Mechanism {
    /// Every mechanism that is served.
    pub const ALL: [Self; 3] =
        [Self::Plain, Self::Scram(ScramMechanism::Sha256), Self::Scram(ScramMechanism::Sha512)];

    /// The mechanism's registered name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "PLAIN",
            Self::Scram(scram) => scram.name(),
        }
    }

    /// The mechanism of that name; capitals matter, as they do to Kafka.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mechanism| mechanism.name() == name)
    }
}

impl ScramMechanism {
    /// Both, in the order of their codes.
    pub const ALL: [Self; 2] = [Self::Sha256, Self::Sha512];

    /// The mechanism's registered name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sha256 => "SCRAM-SHA-256",
            Self::Sha512 => "SCRAM-SHA-512",
        }
    }

    /// Kafka's number of the mechanism (KIP-554).
    pub const fn code(self) -> i8 {
        match self {
            Self::Sha256 => 1,
            Self::Sha512 => 2,
        }
    }

    /// The mechanism with that number.
    pub fn from_code(code: i8) -> Option<Self> {
        Self::ALL.into_iter().find(|mechanism| mechanism.code() == code)
    }

    /// How long its keys are, in bytes.
    pub const fn key_len(self) -> usize {
        match self {
            Self::Sha256 => 32,
            Self::Sha512 => 64,
        }
    }
}

impl fmt::Display for Mechanism {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for ScramMechanism {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

//! Matches replies to requests.

use std::fmt;

/// Sixteen bytes that a client chooses and a reply repeats.
#[derive(Clone, Copy, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct CorrelationId([u8; 16]);

impl CorrelationId {
    /// What a pushed record bears, and an error sent while closing.
    pub const ZERO: Self = Self([0; 16]);

    /// Bytes on the wire.
    pub const SIZE: usize = 16;

    /// Wraps the wire's bytes, whatever they are. Clients ought to choose the bytes of a version 4 UUID.
    pub const fn new(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The bytes as they stand on the wire.
    pub const fn get(self) -> [u8; 16] {
        self.0
    }
}

impl fmt::Display for CorrelationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for CorrelationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

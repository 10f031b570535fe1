//! The wire's string: UTF-8 that was checked once, sharing the frame it was read from.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use bytes::Bytes;
use bytestring::ByteString;

/// A string of the wire. Cloning is cheap; one that was decoded shares its frame's memory.
///
/// A string that outlives its request should be [`detached`](Str::detached), or it keeps the whole frame.
#[derive(Clone, Default)]
pub struct Str(ByteString);

impl Str {
    /// Wraps a string that lives for ever; nothing is copied.
    pub const fn from_static(text: &'static str) -> Self {
        Self(ByteString::from_static(text))
    }

    /// Takes bytes that ought to be UTF-8; nothing is copied.
    ///
    /// # Errors
    /// [`std::str::Utf8Error`] when they are not UTF-8.
    pub fn from_utf8(bytes: Bytes) -> Result<Self, std::str::Utf8Error> {
        ByteString::try_from(bytes).map(Self)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The bytes that this string shares.
    pub fn as_wire(&self) -> &Bytes {
        self.0.as_bytes()
    }

    /// A copy that shares no frame, to be kept for long.
    #[must_use]
    pub fn detached(&self) -> Self {
        Self::from(self.as_str())
    }
}

impl Deref for Str {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Str {
    fn from(text: &str) -> Self {
        if text.is_empty() { Self::default() } else { Self(ByteString::from(text)) }
    }
}

impl From<String> for Str {
    fn from(text: String) -> Self {
        Self(ByteString::from(text))
    }
}

impl From<&String> for Str {
    fn from(text: &String) -> Self {
        Self::from(text.as_str())
    }
}

impl AsRef<str> for Str {
    fn as_ref(&self) -> &str {
        self
    }
}

impl Borrow<str> for Str {
    fn borrow(&self) -> &str {
        self
    }
}

impl PartialEq for Str {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Str {}

impl PartialEq<str> for Str {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Str {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl PartialOrd for Str {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Str {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl Hash for Str {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl fmt::Debug for Str {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for Str {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.as_str(), f)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn a_map_keyed_by_strings_is_asked_with_a_str() {
        let map = HashMap::from([(Str::from("orders"), 1)]);
        assert_eq!(map.get("orders"), Some(&1));
    }

    #[test]
    fn a_detached_string_shares_nothing_with_its_frame() {
        let frame = Bytes::from(b"xxordersxx".to_vec());
        let shared = Str::from_utf8(frame.slice(2..8)).unwrap();
        assert_eq!(shared.as_wire().as_ptr(), frame[2..].as_ptr());
        let detached = shared.detached();
        assert_eq!(detached, shared);
        assert_ne!(detached.as_wire().as_ptr(), shared.as_wire().as_ptr());
    }

    #[test]
    fn bytes_that_are_not_utf8_are_refused() {
        assert!(Str::from_utf8(Bytes::from_static(&[0xff])).is_err());
    }
}

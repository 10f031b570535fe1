//! What makes an exchange unlike every other.

use std::fmt;

use base64::{Engine, engine::general_purpose::STANDARD};

/// One side's part of the nonce: printable, without commas.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Nonce(String);

impl Nonce {
    /// A nonce of these bytes, which must come from a good random source.
    pub fn from_random(bytes: [u8; 18]) -> Self {
        Self(STANDARD.encode(bytes))
    }

    /// A nonce that was chosen elsewhere; `None` when it is empty or has a comma or something that cannot be printed.
    pub fn from_text(text: &str) -> Option<Self> {
        is_nonce(text).then(|| Self(text.to_owned()))
    }

    /// The nonce as it stands in messages.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Nonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether the text is what a nonce can be.
pub(super) fn is_nonce(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b',')
}

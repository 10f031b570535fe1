//! What a server can do beyond the original protocol, as told by the version text of IDENTIFY_ACK.

use std::fmt;

/// The capabilities that this version knows. Others are ignored.
///
/// They stand in the version text as one word, `capabilities=`, with names separated by commas.
///
/// ```
/// use headwater_native::Capabilities;
///
/// let ours = Capabilities { headers: true };
/// assert_eq!(ours.version_text("0.1.0"), "0.1.0 capabilities=headers");
/// assert_eq!(Capabilities::parse("0.1.0 capabilities=more,headers"), ours);
/// assert_eq!(Capabilities::parse("v0.01"), Capabilities::default());
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Capabilities {
    /// Record headers are kept, and delivered to whoever asks.
    pub headers: bool,
}

impl Capabilities {
    /// Reads them from a version text.
    pub fn parse(version: &str) -> Self {
        let names = version.split_ascii_whitespace().filter_map(|word| word.strip_prefix(PREFIX));
        Self { headers: names.flat_map(|names| names.split(',')).any(|name| name == HEADERS) }
    }

    /// The version text of a server of this version with these capabilities.
    pub fn version_text(self, version: &str) -> String {
        format!("{version}{self}")
    }
}

impl fmt::Display for Capabilities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.headers { write!(f, " {PREFIX}{HEADERS}") } else { Ok(()) }
    }
}

const PREFIX: &str = "capabilities=";
const HEADERS: &str = "headers";

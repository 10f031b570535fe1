//! DefaultPrincipalData (carried by Envelope, version 0): KIP-590.

use crate::{Message, Str, UnknownTags};

/// Who a client is: what `EnvelopeRequest` carries. Stands after its version.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "0..=0", flexible = "0..")]
pub struct DefaultPrincipalData {
    /// Kind of principal, such as `User`.
    pub r#type: Str,
    /// The principal's name.
    pub name: Str,
    /// Whether it was authenticated by a delegation token.
    pub token_authenticated: bool,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

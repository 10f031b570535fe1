//! Who the user is: a password, or a SASL exchange.

use bytes::Bytes;
use headwater_codec::Str;

use crate::{
    DecodeError, EncodeError, limits,
    reader::Reader,
    wire::{Wire, message, payload},
    writer::Writer,
};

message! {
    /// AUTH: name and password. A server without credentials takes any.
    Auth, Auth {
        /// The user's name.
        user: Str => text(limits::USER_BYTES_MAX),
        /// The password.
        password: Bytes => data(limits::PASSWORD_BYTES_MAX),
    }
}

message! {
    /// AUTH_SCRAM: begins a SASL exchange.
    AuthScram, AuthScram {
        /// `SCRAM-SHA-256`, or another that the server knows.
        mechanism: Str => text(limits::SASL_MECHANISM_BYTES_MAX),
        /// The client's first message.
        message: Bytes => data(limits::SASL_MESSAGE_BYTES_MAX),
    }
}

message! {
    /// AUTH_CHALLENGE: the server's first message.
    AuthChallenge, AuthChallenge {
        /// `r=..,s=..,i=..` (RFC 5802).
        message: Bytes => data(limits::SASL_MESSAGE_BYTES_MAX),
    }
}

message! {
    /// AUTH_SCRAM_FINAL: the client's last message.
    AuthScramFinal, AuthScramFinal {
        /// `c=..,r=..,p=..` (RFC 5802).
        message: Bytes => data(limits::SASL_MESSAGE_BYTES_MAX),
    }
}

/// AUTH_OK: the user is authenticated.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct AuthOk {
    /// After SCRAM the server's last message, `v=..`, which the client must verify; absent after a password.
    pub server_final: Option<Bytes>,
}

impl Wire for AuthOk {
    const SIZE_MIN: usize = 0;

    fn read(r: &mut Reader) -> Result<Self, DecodeError> {
        if r.is_empty() {
            return Ok(Self::default());
        }
        Ok(Self { server_final: Some(r.data("server_final", limits::SASL_MESSAGE_BYTES_MAX)?) })
    }

    fn write(&self, w: &mut Writer<'_>) -> Result<(), EncodeError> {
        let Some(message) = &self.server_final else { return Ok(()) };
        w.data("server_final", limits::SASL_MESSAGE_BYTES_MAX, message)
    }
}

payload! { AuthOk, AuthOk }

//! What every message can do.

use std::fmt::Debug;

use bytes::Bytes;

use crate::error::{DecodeError, DecodeErrorKind, EncodeError, EncodeErrorKind};
use crate::schema::MessageSchema;
use crate::{ApiKey, Reader, Writer};

/// A structure of the wire. Implemented by the derive of the same name, never by hand.
pub trait Message: Clone + Debug + Default + PartialEq + Sized + Send + Sync + 'static {
    /// The struct's reflection.
    const SCHEMA: &'static MessageSchema;

    /// The fewest bytes that any value takes in that version.
    fn least_size(version: i16, flexible: bool) -> usize;

    /// Reads the structure in the reader's version. Fields that the version lacks get their defaults.
    ///
    /// # Errors
    /// [`DecodeError`] with the byte and the field.
    fn decode(reader: &mut Reader) -> Result<Self, DecodeError>;

    /// Writes the structure in the writer's version.
    ///
    /// # Errors
    /// [`EncodeError`] with the field: a value that the version has no room for, null where it has none.
    fn encode(&self, writer: &mut Writer) -> Result<(), EncodeError>;

    /// Reads `bytes`, all of them, as `version` of this message.
    ///
    /// # Errors
    /// As [`Message::decode`]; also for bytes left over and for a version that the message does not have.
    fn decode_body(bytes: Bytes, version: i16) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(bytes, version, Self::SCHEMA.flexible.contains(version));
        read_body(&mut reader)
    }

    /// Writes `version` of this message, in one piece.
    ///
    /// # Errors
    /// As [`Message::encode`]; also for external records and for a version that the message does not have.
    fn encode_body(&self, version: i16) -> Result<Bytes, EncodeError> {
        let mut writer = Writer::new(version, Self::SCHEMA.flexible.contains(version));
        write_body(self, &mut writer)?;
        let (encoded, _) = writer.finish()?;
        encoded
            .to_bytes()
            .ok_or_else(|| EncodeError::new(EncodeErrorKind::ExternalNotAllowed).within(Self::SCHEMA.name))
    }
}

/// A request: it has a key, and a response.
pub trait Request: Message {
    /// The API.
    const KEY: ApiKey;

    /// What answers it.
    type Response: Message;
}

/// The value of a record in the metadata log.
pub trait MetadataRecord: Message {
    /// The number by which the log tells the kinds of records apart.
    const TYPE_ID: u32;
}

/// Reads the rest of `reader`, all of it, as the message of its version.
pub(crate) fn read_body<M: Message>(reader: &mut Reader) -> Result<M, DecodeError> {
    let message = read_body_prefix(reader)?;
    reader.finish().map(|()| message).map_err(|error| error.within(M::SCHEMA.name))
}

/// Reads the message of `reader`'s version and leaves what follows it.
pub(crate) fn read_body_prefix<M: Message>(reader: &mut Reader) -> Result<M, DecodeError> {
    let version = reader.version();
    if !M::SCHEMA.versions.contains(version) {
        return Err(reader.error(DecodeErrorKind::UnsupportedVersion(version)).within(M::SCHEMA.name));
    }
    M::decode(reader).map_err(|error| error.within(M::SCHEMA.name))
}

/// Writes `message` in the version of `writer`.
pub(crate) fn write_body<M: Message>(message: &M, writer: &mut Writer) -> Result<(), EncodeError> {
    let version = writer.version();
    if !M::SCHEMA.versions.contains(version) {
        return Err(EncodeError::new(EncodeErrorKind::UnsupportedVersion(version)).within(M::SCHEMA.name));
    }
    message.encode(writer).map_err(|error| error.within(M::SCHEMA.name))
}

#[cfg(test)]
mod tests;

//! Request and response headers.

use bytes::Bytes;

use crate::error::{DecodeError, EncodeError};
use crate::tagged::{self, UnknownTags};
use crate::{ApiKey, CorrelationId, Reader, Str, Writer};

/// The versions of the request header.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum RequestHeaderVersion {
    /// Key, version, correlation id. No message of Kafka 4 has it.
    V0,
    /// The same and the client id.
    V1,
    /// The same and tagged fields: goes with flexible versions.
    V2,
}

impl RequestHeaderVersion {
    /// The header that goes with a body.
    pub const fn of(flexible: bool) -> Self {
        if flexible { Self::V2 } else { Self::V1 }
    }
}

/// The versions of the response header.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum ResponseHeaderVersion {
    /// The correlation id.
    V0,
    /// The same and tagged fields: goes with flexible versions.
    V1,
}

impl ResponseHeaderVersion {
    /// The header that goes with a body. `ApiVersions` has the first one always: its client does not know yet
    /// which versions the broker speaks (KIP-511).
    pub const fn of(key: ApiKey, flexible: bool) -> Self {
        if flexible && !matches!(key, ApiKey::ApiVersions) { Self::V1 } else { Self::V0 }
    }
}

/// What stands before every request.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct RequestHeader {
    /// Which API; see [`ApiKey::from_code`].
    pub api_key: i16,
    /// Which version of it.
    pub api_version: i16,
    /// To be repeated in the response.
    pub correlation_id: CorrelationId,
    /// The client's own name for itself. Its length is an `int16` in flexible versions too.
    pub client_id: Option<Str>,
    /// Tagged fields of the header.
    pub unknown_tags: UnknownTags,
}

impl RequestHeader {
    /// Reads what all versions that clients send have in common, so that key and version can be judged before
    /// the body is touched. Tagged fields are not read.
    ///
    /// # Errors
    /// [`DecodeError`] when the frame is too short or the client id no UTF-8.
    pub fn peek(frame: &Bytes) -> Result<Self, DecodeError> {
        Self::decode(&mut Reader::new(frame.clone(), 0, false), RequestHeaderVersion::V1)
    }

    /// Reads the header in that version.
    ///
    /// # Errors
    /// [`DecodeError`] when the frame is too short, the client id no UTF-8 or a tagged field unsound.
    pub fn decode(reader: &mut Reader, version: RequestHeaderVersion) -> Result<Self, DecodeError> {
        let header = Self::decode_fields(reader, version);
        header.map_err(|error| error.within("RequestHeader"))
    }

    /// Writes the header in that version.
    ///
    /// # Errors
    /// [`EncodeError`] when the client id is longer than 32,767 bytes or tagged fields have no room.
    pub fn encode(&self, writer: &mut Writer, version: RequestHeaderVersion) -> Result<(), EncodeError> {
        writer.int16(self.api_key);
        writer.int16(self.api_version);
        writer.int32(self.correlation_id.get());
        if version >= RequestHeaderVersion::V1 {
            writer
                .classic_nullable_string(self.client_id.as_deref())
                .map_err(|error| error.within("ClientId").within("RequestHeader"))?;
        }
        if version >= RequestHeaderVersion::V2 {
            tagged::Block::begin(writer, 0, &self.unknown_tags)?.end(writer);
            Ok(())
        } else {
            tagged::refuse(writer, &self.unknown_tags).map_err(|error| error.within("RequestHeader"))
        }
    }

    fn decode_fields(reader: &mut Reader, version: RequestHeaderVersion) -> Result<Self, DecodeError> {
        let mut header = Self {
            api_key: reader.field("RequestApiKey")?,
            api_version: reader.field("RequestApiVersion")?,
            correlation_id: reader.field("CorrelationId")?,
            ..Self::default()
        };
        if version >= RequestHeaderVersion::V1 {
            let client_id = reader.classic_nullable_string();
            header.client_id = client_id.map_err(|error| error.within("ClientId"))?;
        }
        if version >= RequestHeaderVersion::V2 {
            tagged::read_into(reader, &mut header.unknown_tags)?;
        }
        Ok(header)
    }
}

/// What stands before every response.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct ResponseHeader {
    /// The number of the request that is answered.
    pub correlation_id: CorrelationId,
    /// Tagged fields of the header.
    pub unknown_tags: UnknownTags,
}

impl ResponseHeader {
    /// Reads the header in that version.
    ///
    /// # Errors
    /// [`DecodeError`] when the frame is too short or a tagged field unsound.
    pub fn decode(reader: &mut Reader, version: ResponseHeaderVersion) -> Result<Self, DecodeError> {
        let mut header = Self { correlation_id: reader.field("CorrelationId")?, ..Self::default() };
        if version >= ResponseHeaderVersion::V1 {
            tagged::read_into(reader, &mut header.unknown_tags)?;
        }
        Ok(header)
    }

    /// Writes the header in that version.
    ///
    /// # Errors
    /// [`EncodeError`] when tagged fields have no room.
    pub fn encode(&self, writer: &mut Writer, version: ResponseHeaderVersion) -> Result<(), EncodeError> {
        writer.int32(self.correlation_id.get());
        if version >= ResponseHeaderVersion::V1 {
            tagged::Block::begin(writer, 0, &self.unknown_tags)?.end(writer);
            Ok(())
        } else {
            tagged::refuse(writer, &self.unknown_tags)
        }
    }
}

#[cfg(test)]
mod tests;

//! Whole frames: header and body together, requests and responses.

use bytes::{Bytes, BytesMut};

use crate::error::{DecodeError, DecodeErrorKind, EncodeError};
use crate::header::{RequestHeader, RequestHeaderVersion, ResponseHeader, ResponseHeaderVersion};
use crate::message::{self, Message, Request};
use crate::tagged::UnknownTags;
use crate::{ApiKey, CorrelationId, EncodedFrame, Reader, Str, Writer};

/// Reads a request's frame (without its length), all of it.
///
/// # Errors
/// [`DecodeError`] for bytes that are not that request, in the version that the header names.
pub fn decode_request<R: Request>(frame: Bytes) -> Result<(RequestHeader, R), DecodeError> {
    read_request(frame, message::read_body)
}

/// Reads a request's frame (without its length) as Kafka's brokers do, which pass over bytes that follow the body.
///
/// Some clients send such bytes: librdkafka's Metadata requests of flexible versions end in three of them.
///
/// # Errors
/// [`DecodeError`] for bytes that do not begin with that request, in the version that the header names.
pub fn decode_request_prefix<R: Request>(frame: Bytes) -> Result<(RequestHeader, R), DecodeError> {
    read_request(frame, message::read_body_prefix)
}

fn read_request<R: Request>(
    frame: Bytes,
    read_body: fn(&mut Reader) -> Result<R, DecodeError>,
) -> Result<(RequestHeader, R), DecodeError> {
    let RequestHeader { api_key, api_version, .. } = RequestHeader::peek(&frame)?;
    let flexible = R::SCHEMA.flexible.contains(api_version);
    let mut reader = Reader::new(frame, api_version, flexible);
    if api_key != R::KEY.code() {
        let kind = DecodeErrorKind::WrongApiKey { expected: R::KEY.code(), found: api_key };
        return Err(reader.error(kind).within("RequestHeader"));
    }
    let header = RequestHeader::decode(&mut reader, RequestHeaderVersion::of(flexible))?;
    let request = read_body(&mut reader)?;
    Ok((header, request))
}

/// Writes a request's frame, its length first. `buf` is used and left with what remains of it, to be used again.
///
/// # Errors
/// [`EncodeError`] when the request cannot be said in that version.
pub fn encode_request<R: Request>(
    correlation_id: CorrelationId,
    client_id: Option<Str>,
    version: i16,
    request: &R,
    buf: &mut BytesMut,
) -> Result<EncodedFrame, EncodeError> {
    let flexible = R::SCHEMA.flexible.contains(version);
    let header = RequestHeader {
        api_key: R::KEY.code(),
        api_version: version,
        correlation_id,
        client_id,
        unknown_tags: UnknownTags::NONE,
    };
    let mut writer = Writer::with_buffer(std::mem::take(buf), version, flexible).framed();
    header.encode(&mut writer, RequestHeaderVersion::of(flexible))?;
    message::write_body(request, &mut writer)?;
    finish(writer, buf)
}

/// Reads a response's frame (without its length), all of it.
///
/// Responses that a broker sends have more memory for each byte than requests that it receives, so the budget
/// is wider here.
///
/// # Errors
/// [`DecodeError`] for bytes that are not that version of the response.
pub fn decode_response<T: Message>(
    key: ApiKey,
    version: i16,
    frame: Bytes,
) -> Result<(CorrelationId, T), DecodeError> {
    let flexible = T::SCHEMA.flexible.contains(version);
    let budget = frame.len().saturating_mul(RESPONSE_BUDGET_PER_BYTE).saturating_add(Reader::BUDGET_BASE);
    let mut reader = Reader::new(frame, version, flexible).with_budget(budget);
    let header = ResponseHeader::decode(&mut reader, ResponseHeaderVersion::of(key, flexible))?;
    let response = message::read_body(&mut reader)?;
    Ok((header.correlation_id, response))
}

/// Writes a response's frame, its length first. `buf` is used and left with what remains of it, to be used again.
///
/// # Errors
/// [`EncodeError`] when the response cannot be said in that version.
pub fn encode_response<T: Message>(
    correlation_id: CorrelationId,
    key: ApiKey,
    version: i16,
    response: &T,
    buf: &mut BytesMut,
) -> Result<EncodedFrame, EncodeError> {
    let flexible = T::SCHEMA.flexible.contains(version);
    let header = ResponseHeader { correlation_id, unknown_tags: UnknownTags::NONE };
    let mut writer = Writer::with_buffer(std::mem::take(buf), version, flexible).framed();
    header.encode(&mut writer, ResponseHeaderVersion::of(key, flexible))?;
    message::write_body(response, &mut writer)?;
    finish(writer, buf)
}

fn finish(writer: Writer, buf: &mut BytesMut) -> Result<EncodedFrame, EncodeError> {
    let (frame, spare) = writer.finish()?;
    *buf = spare;
    Ok(frame)
}

/// Bytes of memory that decoding a response may take for each byte of its frame.
const RESPONSE_BUDGET_PER_BYTE: usize = 16;

#[cfg(test)]
mod tests;

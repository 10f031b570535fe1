//! The envelope: a whole record in the payload, for the few shapes that user headers cannot hold.
//!
//! Little-endian: `u8 flags` (bit 0 the key is there, bit 1 the value is), `u32` key length, key, `u32` value length,
//! value, `u32` count of headers, and of each header `u32` name length, name, `u8` whether the value is there, `u32` value
//! length, value. What is absent has length 0.

use headwater_records::HeaderRef;

use crate::{EnvelopeFault, PAYLOAD_LEN_MAX, Record, RecordHeaders, Unmappable};

/// Bytes of the envelope of this record; an error with them when a payload may not be so large.
pub(crate) fn len(record: &Record<'_>) -> Result<usize, usize> {
    let field = |field: Option<&[u8]>| field.map_or(0, <[u8]>::len);
    let headers = record.headers.clone().map(|(name, value)| HEADER_OVERHEAD + name.len() + field(value));
    let bytes = headers.fold(
        OVERHEAD.saturating_add(field(record.key)).saturating_add(field(record.value)),
        usize::saturating_add,
    );
    if bytes <= PAYLOAD_LEN_MAX { Ok(bytes) } else { Err(bytes) }
}

/// Writes the envelope of a record whose length [`len`] told.
pub(crate) fn encode(record: &Record<'_>, len: usize) -> Vec<u8> {
    let mut envelope = Vec::with_capacity(len);
    let has = |field: Option<&[u8]>, flag| if field.is_some() { flag } else { 0 };
    envelope.push(has(record.key, HAS_KEY) | has(record.value, HAS_VALUE));
    put(&mut envelope, record.key);
    put(&mut envelope, record.value);
    put_u32(&mut envelope, record.headers.len());
    for (name, value) in record.headers.clone() {
        put(&mut envelope, Some(name));
        envelope.push(u8::from(value.is_some()));
        put(&mut envelope, value);
    }
    envelope
}

/// Reads an envelope; the timestamp is not in it.
///
/// Flags that are not known are left alone, and of what is absent the bytes are passed over.
pub(crate) fn decode(payload: &[u8]) -> Result<Record<'_>, Unmappable> {
    let mut rest = payload;
    let flags = take_u8(&mut rest)?;
    let key = take(&mut rest)?;
    let value = take(&mut rest)?;
    let count = take_u32(&mut rest)?;
    let header_count = usize::try_from(count).unwrap_or(usize::MAX);
    if header_count > rest.len() / HEADER_OVERHEAD {
        return Err(EnvelopeFault::HeaderCount(count).into());
    }
    let headers = EnvelopeHeaders { count: header_count, rest };
    // Gone through once here, so that nothing can be wrong later.
    for _ in 0..header_count {
        let (name, _) = take_header(&mut rest)?;
        if std::str::from_utf8(name).is_err() {
            return Err(Unmappable::HeaderName);
        }
    }
    if !rest.is_empty() {
        return Err(EnvelopeFault::BytesLeft(rest.len()).into());
    }
    Ok(Record {
        timestamp: 0,
        key: (flags & HAS_KEY != 0).then_some(key),
        value: (flags & HAS_VALUE != 0).then_some(value),
        headers: RecordHeaders::of_envelope(headers),
    })
}

/// The headers of an envelope that was read before.
#[derive(Clone, Debug)]
pub(crate) struct EnvelopeHeaders<'a> {
    count: usize,
    rest: &'a [u8],
}

impl<'a> Iterator for EnvelopeHeaders<'a> {
    type Item = HeaderRef<'a>;

    fn next(&mut self) -> Option<HeaderRef<'a>> {
        self.count = self.count.checked_sub(1)?;
        take_header(&mut self.rest).ok()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.count, Some(self.count))
    }
}

impl ExactSizeIterator for EnvelopeHeaders<'_> {}

fn put(envelope: &mut Vec<u8>, field: Option<&[u8]>) {
    let field = field.unwrap_or_default();
    put_u32(envelope, field.len());
    envelope.extend_from_slice(field);
}

/// Everything in an envelope is shorter than [`PAYLOAD_LEN_MAX`].
fn put_u32(envelope: &mut Vec<u8>, number: usize) {
    envelope.extend_from_slice(&(number as u32).to_le_bytes());
}

fn take_header<'a>(rest: &mut &'a [u8]) -> Result<HeaderRef<'a>, EnvelopeFault> {
    let name = take(rest)?;
    let present = take_u8(rest)? != 0;
    let value = take(rest)?;
    Ok((name, present.then_some(value)))
}

fn take<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], EnvelopeFault> {
    let length = usize::try_from(take_u32(rest)?).map_err(|_| EnvelopeFault::Truncated)?;
    let (field, after) = rest.split_at_checked(length).ok_or(EnvelopeFault::Truncated)?;
    *rest = after;
    Ok(field)
}

fn take_u32(rest: &mut &[u8]) -> Result<u32, EnvelopeFault> {
    let (&number, after) = rest.split_first_chunk().ok_or(EnvelopeFault::Truncated)?;
    *rest = after;
    Ok(u32::from_le_bytes(number))
}

fn take_u8(rest: &mut &[u8]) -> Result<u8, EnvelopeFault> {
    let (&byte, after) = rest.split_first().ok_or(EnvelopeFault::Truncated)?;
    *rest = after;
    Ok(byte)
}

const HAS_KEY: u8 = 1;
const HAS_VALUE: u8 = 2;
/// Flags, two lengths and the count.
const OVERHEAD: usize = 13;
/// Two lengths and whether the value is there.
const HEADER_OVERHEAD: usize = 9;

#[cfg(test)]
mod tests;

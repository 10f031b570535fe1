//! A record as a message.
//!
//! Most records take the plain form, which Iggy clients read: the value is the payload, key and headers are user headers.
//! The envelope is for what user headers cannot hold: an empty key or one over 255 bytes; a header whose stored name is over
//! 255 bytes, or whose value is null, empty or over 255 bytes; two headers of the same name; more than 255 headers that are
//! not in sorted order; more than 100,000 bytes of user headers in all.

use std::borrow::Cow;

use headwater_records::HeaderRef;

use crate::{
    FIELD_LEN_MAX, Kind, MapError, PAYLOAD_LEN_MAX, Record, SendWindow, USER_HEADERS_LEN_MAX,
    UserHeadersWriter, envelope, names, timestamps::Stamp, user_headers::pair_len,
};

/// Which of its two forms a record took.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Form {
    /// Value as payload, key and headers as user headers.
    Plain,
    /// Everything in the payload.
    Envelope,
}

/// A record as a message to be sent.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Mapped<'a> {
    /// Microseconds since the epoch, 0 for none.
    pub origin_timestamp: u64,
    /// The user headers, encoded.
    pub user_headers: Vec<u8>,
    /// The payload; the record's own value where it can be.
    pub payload: Cow<'a, [u8]>,
    /// Which form the record took.
    pub form: Form,
}

/// Makes a message of a record. `window` is that of all records that are sent together.
///
/// # Errors
/// [`MapError::HeaderName`], [`MapError::Timestamp`] and [`MapError::PayloadTooLarge`].
pub fn to_iggy<'a>(record: &Record<'a>, window: SendWindow) -> Result<Mapped<'a>, MapError> {
    let stamp = window.stamp(record.timestamp)?;
    let named_by_text = |(name, _): HeaderRef<'_>| std::str::from_utf8(name).is_ok();
    if let Some(index) = record.headers.clone().position(|header| !named_by_text(header)) {
        return Err(MapError::HeaderName { index });
    }
    match PlainHeaders::of(record, stamp) {
        Some(headers) => plain(record, stamp, &headers),
        None => enveloped(record, stamp),
    }
}

/// The headers of a record that can take the plain form.
struct PlainHeaders<'a> {
    sorted: Vec<(&'a [u8], &'a [u8])>,
    /// The record's order, as indices into `sorted`; empty where it is sorted already.
    order: Vec<u8>,
    encoded_len: usize,
}

impl<'a> PlainHeaders<'a> {
    fn of(record: &Record<'a>, stamp: Stamp) -> Option<Self> {
        let mut encoded_len = pair_len(names::VERSION.len(), names::VERSION_1.len());
        if stamp.explicit.is_some() {
            encoded_len += pair_len(names::TIMESTAMP.len(), size_of::<i64>());
        }
        if let Some(marker) = marker(record.value) {
            encoded_len += pair_len(names::VALUE.len(), marker.len());
        }
        if let Some(key) = record.key {
            encoded_len += pair_len(names::KEY.len(), field(key)?.len());
        }
        // Each takes room of the 100,000 bytes, so there are never many here.
        let mut indexed = Vec::new();
        for (index, (name, value)) in record.headers.clone().enumerate() {
            let value = field(value?)?;
            let key_len = names::HEADER_PREFIX.len() + name.len();
            encoded_len += pair_len(key_len, value.len());
            if key_len > FIELD_LEN_MAX || encoded_len > USER_HEADERS_LEN_MAX {
                return None;
            }
            indexed.push((name, value, index));
        }
        indexed.sort_unstable();
        if indexed.windows(2).any(|two| matches!(two, [a, b] if a.0 == b.0)) {
            return None;
        }
        let is_sorted = indexed.iter().enumerate().all(|(place, header)| place == header.2);
        let order = if is_sorted { Vec::new() } else { order(&indexed)? };
        if !order.is_empty() {
            encoded_len += pair_len(names::ORDER.len(), order.len());
        }
        let sorted = indexed.into_iter().map(|(name, value, _)| (name, value)).collect();
        (encoded_len <= USER_HEADERS_LEN_MAX).then_some(Self { sorted, order, encoded_len })
    }
}

/// For each header of the record its index among the sorted ones; `None` when there are too many for one byte each.
fn order(indexed: &[(&[u8], &[u8], usize)]) -> Option<Vec<u8>> {
    if indexed.len() > FIELD_LEN_MAX {
        return None;
    }
    let mut order = vec![0; indexed.len()];
    for (place, header) in (0..=u8::MAX).zip(indexed) {
        *order.get_mut(header.2)? = place;
    }
    Some(order)
}

/// A key or value that a user header can hold.
fn field(bytes: &[u8]) -> Option<&[u8]> {
    (1..=FIELD_LEN_MAX).contains(&bytes.len()).then_some(bytes)
}

/// What stands for a value that no payload can be.
fn marker(value: Option<&[u8]>) -> Option<&'static [u8]> {
    match value {
        None => Some(names::NULL),
        Some([]) => Some(names::EMPTY),
        Some(_) => None,
    }
}

/// Writes the user headers in the order of their keys.
fn plain<'a>(record: &Record<'a>, stamp: Stamp, headers: &PlainHeaders<'_>) -> Result<Mapped<'a>, MapError> {
    let marker = marker(record.value);
    let payload = match (marker, record.value) {
        (None, Some(value)) => value,
        _ => names::PLACEHOLDER,
    };
    if payload.len() > PAYLOAD_LEN_MAX {
        return Err(MapError::PayloadTooLarge { bytes: payload.len() });
    }
    let mut writer = UserHeadersWriter::with_capacity(headers.encoded_len);
    for (name, value) in &headers.sorted {
        writer.push((names::HEADER_PREFIX, name), Kind::RAW, value);
    }
    if let Some(key) = record.key {
        writer.push((names::KEY, &[]), Kind::RAW, key);
    }
    if !headers.order.is_empty() {
        writer.push((names::ORDER, &[]), Kind::RAW, &headers.order);
    }
    push_stamp(&mut writer, stamp);
    writer.push((names::VERSION, &[]), Kind::RAW, names::VERSION_1);
    if let Some(marker) = marker {
        writer.push((names::VALUE, &[]), Kind::RAW, marker);
    }
    Ok(Mapped {
        origin_timestamp: stamp.origin_timestamp,
        user_headers: writer.into_bytes(),
        payload: Cow::Borrowed(payload),
        form: Form::Plain,
    })
}

fn enveloped<'a>(record: &Record<'_>, stamp: Stamp) -> Result<Mapped<'a>, MapError> {
    let length = envelope::len(record).map_err(|bytes| MapError::PayloadTooLarge { bytes })?;
    let mut writer = UserHeadersWriter::default();
    writer.push((names::ENVELOPE, &[]), Kind::RAW, names::VERSION_1);
    push_stamp(&mut writer, stamp);
    writer.push((names::VERSION, &[]), Kind::RAW, names::VERSION_1);
    Ok(Mapped {
        origin_timestamp: stamp.origin_timestamp,
        user_headers: writer.into_bytes(),
        payload: Cow::Owned(envelope::encode(record, length)),
        form: Form::Envelope,
    })
}

fn push_stamp(writer: &mut UserHeadersWriter, stamp: Stamp) {
    if let Some(timestamp) = stamp.explicit {
        writer.push((names::TIMESTAMP, &[]), Kind::INT64, &timestamp.to_le_bytes());
    }
}

#[cfg(test)]
mod tests;

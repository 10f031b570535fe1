//! A message as a record.
//!
//! A message with `kafka.v` was written by the mapping and is read back exactly. Any other is native: a null key, the
//! payload as value, the user headers as headers under their own names and with their bytes as they are stored.

use std::collections::BTreeMap;

use headwater_records::{HeaderRef, NO_TIMESTAMP};

use crate::{
    EnvelopeFault, Kind, Record, Unmappable, UserHeaders, envelope, names, timestamps::MICROS_PER_MILLI,
    user_headers::UserHeader,
};

/// A message as it was polled, borrowed.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Message<'a> {
    /// Its offset in the partition.
    pub offset: u64,
    /// When the server appended it, microseconds since the epoch.
    pub timestamp: u64,
    /// When its producer made it, microseconds since the epoch; 0 when it did not say.
    pub origin_timestamp: u64,
    /// The user headers as they are stored; empty when there are none.
    pub user_headers: &'a [u8],
    /// The payload.
    pub payload: &'a [u8],
}

/// Makes a record of a message.
///
/// An order of headers (`kafka.o`) that does not fit the headers that are there is left alone: someone else has changed them
/// since, and they come in sorted order.
///
/// # Errors
/// [`Unmappable`] when the message says it was written by the mapping and was not, or when its user headers are unsound.
pub fn from_iggy<'a>(message: &Message<'a>) -> Result<Record<'a>, Unmappable> {
    let headers = UserHeaders::parse(message.user_headers).ok_or(Unmappable::UserHeaders)?;
    match headers.named(names::VERSION) {
        None => Ok(native(message, &headers)),
        Some(version) if version.value == names::VERSION_1 => mapped(message, &headers),
        Some(_) => Err(Unmappable::Version),
    }
}

/// Makes a record of any message: one that [`from_iggy`] refuses is taken for a native one, so that it neither hides the
/// messages behind it nor is lost. What was wrong with it comes beside.
pub fn from_iggy_lenient<'a>(message: &Message<'a>) -> (Record<'a>, Option<Unmappable>) {
    match from_iggy(message) {
        Ok(record) => (record, None),
        Err(error) => {
            let headers = UserHeaders::parse(message.user_headers).unwrap_or_default();
            (native(message, &headers), Some(error))
        }
    }
}

fn native<'a>(message: &Message<'a>, headers: &UserHeaders<'a>) -> Record<'a> {
    // Of two kinds with the same bytes the one that sorts last counts.
    let last: BTreeMap<&[u8], Kind> = headers.iter().map(|header| (header.key, header.key_kind)).collect();
    let is_shown = |header: &&UserHeader<'_>| {
        last.get(header.key) == Some(&header.key_kind) && std::str::from_utf8(header.key).is_ok()
    };
    let shown = headers.iter().filter(is_shown);
    let named: Vec<HeaderRef<'a>> = shown.map(|header| (header.key, Some(header.value))).collect();
    Record { timestamp: time_of(message), key: None, value: Some(message.payload), headers: named.into() }
}

fn mapped<'a>(message: &Message<'a>, headers: &UserHeaders<'a>) -> Result<Record<'a>, Unmappable> {
    let timestamp = timestamp(message, headers)?;
    if let Some(version) = headers.named(names::ENVELOPE) {
        if version.value != names::VERSION_1 {
            return Err(EnvelopeFault::Version.into());
        }
        return Ok(Record { timestamp, ..envelope::decode(message.payload)? });
    }
    let value = match headers.named(names::VALUE).map(|marker| marker.value) {
        None => Some(message.payload),
        Some(names::NULL) => None,
        Some(names::EMPTY) => Some(&[][..]),
        Some(_) => return Err(Unmappable::Value),
    };
    let key = headers.named(names::KEY).map(|key| key.value);
    let mut named = kafka_headers(headers)?;
    if let Some(order) = headers.named(names::ORDER) {
        named = ordered(named, order.value);
    }
    Ok(Record { timestamp, key, value, headers: named.into() })
}

/// The headers under the prefix, sorted by name.
fn kafka_headers<'a>(headers: &UserHeaders<'a>) -> Result<Vec<HeaderRef<'a>>, Unmappable> {
    let strip = |header: &UserHeader<'a>| {
        let name = header.key.strip_prefix(names::HEADER_PREFIX)?;
        Some((name, Some(header.value)))
    };
    let mut named: Vec<HeaderRef<'a>> = headers.iter().filter_map(strip).collect();
    // The user headers are sorted by kind first.
    named.sort_by_key(|(name, _)| *name);
    if named.windows(2).any(|two| matches!(two, [a, b] if a.0 == b.0)) {
        return Err(Unmappable::Twins);
    }
    if named.iter().any(|(name, _)| std::str::from_utf8(name).is_err()) {
        return Err(Unmappable::HeaderName);
    }
    Ok(named)
}

/// The headers in the order that `kafka.o` says, or as they are when it says none.
fn ordered<'a>(sorted: Vec<HeaderRef<'a>>, order: &[u8]) -> Vec<HeaderRef<'a>> {
    let mut seen = [false; 256];
    let is_new = |place: &u8| !std::mem::replace(&mut seen[usize::from(*place)], true);
    if order.len() != sorted.len() || !order.iter().all(is_new) {
        return sorted;
    }
    let in_order: Option<Vec<_>> =
        order.iter().map(|place| sorted.get(usize::from(*place)).copied()).collect();
    in_order.unwrap_or(sorted)
}

fn timestamp(message: &Message<'_>, headers: &UserHeaders<'_>) -> Result<i64, Unmappable> {
    let Some(header) = headers.named(names::TIMESTAMP) else {
        // A record without a timestamp is the only one that is written so.
        return Ok(if message.origin_timestamp == 0 { NO_TIMESTAMP } else { time_of(message) });
    };
    let bytes = <[u8; 8]>::try_from(header.value).ok().filter(|_| header.value_kind == Kind::INT64);
    let timestamp = bytes.map(i64::from_le_bytes).filter(|timestamp| *timestamp >= NO_TIMESTAMP);
    timestamp.ok_or(Unmappable::Timestamp)
}

/// When the message was made, or else appended, milliseconds since the epoch.
fn time_of(message: &Message<'_>) -> i64 {
    let micros = if message.origin_timestamp == 0 { message.timestamp } else { message.origin_timestamp };
    // A thousandth always fits.
    (micros / MICROS_PER_MILLI.cast_unsigned()).cast_signed()
}

#[cfg(test)]
mod tests;

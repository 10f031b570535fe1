//! What the tests of this crate share.

use crate::{Mapped, Message, Record, SendWindow, to_iggy};

/// The number of kind Int32.
pub(crate) const INT32: u8 = 6;

/// A key or value, of any kind and length.
pub(crate) fn field(kind: u8, bytes: &[u8]) -> Vec<u8> {
    [&[kind][..], &(bytes.len() as u32).to_le_bytes(), bytes].concat()
}

/// A pair, of any kinds and lengths.
pub(crate) fn pair(key_kind: u8, key: &[u8], value_kind: u8, value: &[u8]) -> Vec<u8> {
    [field(key_kind, key), field(value_kind, value)].concat()
}

/// The pair that says who wrote the message.
pub(crate) fn version() -> Vec<u8> {
    pair(2, b"kafka.v", 1, &[1])
}

/// A message with these user headers and this payload, appended at a time that no test record has.
pub(crate) fn message<'a>(user_headers: &'a [u8], payload: &'a [u8]) -> Message<'a> {
    Message { offset: 3, timestamp: SERVER_TIME_US, origin_timestamp: 0, user_headers, payload }
}

pub(crate) const SERVER_TIME_US: u64 = 1_888_000_000_123_456;

/// What a record sent alone becomes.
#[track_caller]
pub(crate) fn alone<'a>(record: &Record<'a>) -> Mapped<'a> {
    to_iggy(record, SendWindow::of([record.timestamp])).unwrap()
}

/// The message as it is polled again.
pub(crate) fn polled<'a>(mapped: &'a Mapped<'_>) -> Message<'a> {
    Message { origin_timestamp: mapped.origin_timestamp, ..message(&mapped.user_headers, &mapped.payload) }
}

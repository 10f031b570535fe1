//! A produced batch as the messages of one send, within bounds.
//!
//! The bound holds inside the decompressor: what would unpack to more is given up where it passes the bound, and records
//! and headers are counted before anything is made of them. So a batch takes at most its unpacked records and the
//! messages made of them, each within [`BatchLimits::bytes_max`].

use std::borrow::Cow;

use bytes::Bytes;
use headwater_records::{Compression, Malformed, RecordError, ValidatedBatch};

use crate::{BatchLimits, MapError, Mapped, Record, SendWindow, limits::Budget, to_iggy};

/// A message to be sent, on its own.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct OutgoingMessage {
    /// Microseconds since the epoch, 0 for none.
    pub origin_timestamp: u64,
    /// The user headers, encoded.
    pub user_headers: Bytes,
    /// The payload; where it can be, a slice of the batch.
    pub payload: Bytes,
}

/// Makes the messages of a batch, one for each record, in order: all or none.
///
/// Producer id, epoch, sequence, leader epoch and delete horizon are dropped.
///
/// # Errors
/// [`MapError`]; all its kinds.
pub fn batch_to_messages(
    batch: ValidatedBatch,
    limits: BatchLimits,
) -> Result<Vec<OutgoingMessage>, MapError> {
    let attributes = batch.header().attributes;
    if attributes.is_control() {
        return Err(MapError::Control);
    }
    if attributes.is_transactional() {
        return Err(MapError::Transactional);
    }
    if attributes.codec() == Some(Compression::None) && batch.records().len() > limits.bytes_max {
        return Err(MapError::BatchTooLarge { limits });
    }
    let batch = batch.repacked(Compression::None, limits.bytes_max).map_err(|error| match error {
        RecordError::UnpackedTooLarge { .. } => MapError::BatchTooLarge { limits },
        error => error.into(),
    })?;
    let records = batch.open(0)?;
    let mut budget = Budget::new(limits);
    let mut timestamps = Vec::new();
    for record in &records {
        let record = record?;
        if !budget.take_record(record.headers.len()) {
            return Err(MapError::BatchTooLarge { limits });
        }
        timestamps.push(record.timestamp);
    }
    let window = SendWindow::of(timestamps.iter().copied());
    let mut messages = Vec::with_capacity(timestamps.len());
    drop(timestamps);
    for (index, record) in (0_i32..).zip(&records) {
        let mapped = to_iggy(&Record::from(record?), window).map_err(|error| at(index, error))?;
        let Mapped { origin_timestamp, user_headers, payload, .. } = mapped;
        if !budget.take_message(payload.len(), user_headers.len()) {
            return Err(MapError::BatchTooLarge { limits });
        }
        let payload = match payload {
            // A borrowed payload is a value of the batch, or the placeholder.
            Cow::Borrowed(value) if value.len() > 1 => batch.records().slice_ref(value),
            payload => Bytes::from(payload.into_owned()),
        };
        messages.push(OutgoingMessage { origin_timestamp, user_headers: user_headers.into(), payload });
    }
    Ok(messages)
}

/// The error of a record that cannot be held, with the record's index in the batch.
fn at(index: i32, error: MapError) -> MapError {
    let reason = match error {
        MapError::HeaderName { .. } => Malformed::HeaderText,
        MapError::Timestamp { .. } => Malformed::Timestamp,
        error => return error,
    };
    RecordError::Malformed { index, reason }.into()
}

#[cfg(test)]
mod tests;

//! What a dead letter's value holds: the value that could not be processed, where it came from, and why.

use bytes::{Bytes, BytesMut};
use headwater_codec::{GroupId, Offset, TopicName};

use crate::{
    DecodeError, EncodeError, PartitionId, limits,
    reader::Reader,
    wire::{Wire, part},
    writer::Writer,
};

part! {
    /// A dead letter's envelope, version 1. Key and headers are not in it: the dead letter has those of the record.
    DeadLetter, 38 {
        /// The record's topic.
        topic: TopicName => topic,
        /// Its partition.
        partition: PartitionId => partition,
        /// Its offset.
        offset: Offset => offset,
        /// Its timestamp, milliseconds since the epoch.
        timestamp: i64 => timestamp,
        /// The group that could not process it.
        group: GroupId => group,
        /// How often it tried.
        attempts: u16 => u16,
        /// Why it could not, as the consumer said last.
        reason: Bytes => data(limits::NACK_REASON_BYTES_MAX),
        /// The record's value.
        value: Bytes => data(limits::DELIVERED_BYTES_MAX),
    }
}

impl DeadLetter {
    /// Reads an envelope.
    ///
    /// # Errors
    /// [`DecodeError`] when its version is not 1 or it is cut short.
    pub fn decode(value: Bytes) -> Result<Self, DecodeError> {
        let r = &mut Reader::new(value);
        match r.u8("version")? {
            VERSION => Self::read(r),
            value => Err(DecodeError::Unknown { field: "version", value }),
        }
    }

    /// Appends the envelope to `out`.
    ///
    /// # Errors
    /// [`EncodeError`] when a field is over its bound; `out` then ends with a part of it.
    pub fn encode(&self, out: &mut BytesMut) -> Result<(), EncodeError> {
        let w = &mut Writer(out);
        w.u8("version", &VERSION)?;
        self.write(w)
    }

    /// Bytes of the envelope around the value.
    pub fn overhead(&self) -> usize {
        1 + Self::SIZE_MIN + self.topic.as_str().len() + self.group.as_str().len() + self.reason.len()
    }
}

const VERSION: u8 = 1;

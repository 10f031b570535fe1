//! The plain answers, yes and no; and records that could not be processed.

use bytes::Bytes;
use headwater_codec::{Offset, Str, TopicName};

use crate::{
    DecodeError, ErrorCode, PartitionId, limits,
    reader::Reader,
    wire::{Wire, message, payload},
    writer::Writer,
};

message! {
    /// OK: it is done.
    Done, Ok {}
}

/// ERROR: it is not done.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Failure {
    /// Why.
    pub code: ErrorCode,
    /// The same in words.
    pub message: Str,
}

impl Failure {
    /// A refusal; a message over the wire's bound is cut.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        let mut message = message.into();
        let mut end = message.len().min(limits::STRING_BYTES_MAX);
        while !message.is_char_boundary(end) {
            end -= 1;
        }
        message.truncate(end);
        Self { code, message: Str::from(message) }
    }
}

impl Wire for Failure {
    const SIZE_MIN: usize = 0;

    fn read(r: &mut Reader) -> Result<Self, DecodeError> {
        let code = r.error_code("code")?;
        let message = r.data("message", limits::STRING_BYTES_MAX)?;
        // The reason of a failure is wanted even when its text is damaged.
        let message = Str::from_utf8(message.clone())
            .unwrap_or_else(|_| Str::from(String::from_utf8_lossy(&message).into_owned()));
        Ok(Self { code, message })
    }

    fn write(&self, w: &mut Writer<'_>) -> Result<(), crate::EncodeError> {
        w.error_code("code", &self.code)?;
        w.text("message", limits::STRING_BYTES_MAX, &self.message)
    }
}

payload! { Failure, Error }

message! {
    /// NACK: a delivered record could not be processed. It is delivered again, until it becomes a dead letter.
    Nack, Nack {
        /// The record's topic.
        topic: TopicName => topic,
        /// Its partition.
        partition: PartitionId => partition,
        /// Its offset.
        offset: Offset => offset,
        /// Why, for whoever reads the dead letter. Any bytes.
        reason: Bytes => data(limits::NACK_REASON_BYTES_MAX),
    }
}

message! {
    /// NACK_ACK: what became of the record.
    NackAck, NackAck {
        /// Whether it is in the dead-letter topic now, and will not be delivered again.
        dead_lettered: bool => flag,
        /// How often it could not be processed.
        attempts: u16 => u16,
        /// The dead-letter topic; empty when the record is not in it.
        dlq_topic: TopicName => topic,
    }
}

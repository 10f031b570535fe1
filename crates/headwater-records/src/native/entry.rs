//! What a log must know of a record, from its first bytes.

use headwater_codec::Offset;

use crate::native::{
    NativeError, NativeHead, NativeHeaders, ReservedHeaders, RunProducer,
    header_block::{COUNT_LEN, HEADER_OVERHEAD},
    reserved,
};

/// The front of a native record with those reserved headers that a log goes by.
///
/// Only the head is covered by the checksum that was compared; the headers are under the payload's.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct NativeEntry {
    head: NativeHead,
    offset: Option<Offset>,
    producer: Option<RunProducer>,
    timestamp: i64,
}

impl NativeEntry {
    /// Bytes at the front of any record that tell all of this.
    pub const LEN_MAX: usize = NativeHead::LEN_MAX
        + COUNT_LEN
        + 3 * HEADER_OVERHEAD
        + (reserved::OFFSET.len() + 8)
        + (reserved::PRODUCER.len() + 18)
        + (reserved::TIMESTAMP.len() + 8);

    /// Reads the front of the record at the front of `bytes`, which need to hold no more than
    /// [`NativeEntry::LEN_MAX`] of it.
    ///
    /// # Errors
    /// Those of [`NativeHead::parse`], [`NativeError::Truncated`] when `bytes` hold less, [`NativeError::Reserved`].
    pub fn parse(bytes: &[u8]) -> Result<Self, NativeError> {
        let head = NativeHead::parse(bytes)?;
        let (have, need) = (bytes.len(), head.total_len().min(Self::LEN_MAX));
        if have < need {
            return Err(NativeError::Truncated { have, need });
        }
        let headers = &bytes[head.payload_at()..];
        let headers = &headers[..headers.len().min(head.headers_len())];
        let reserved = ReservedHeaders::read_front(NativeHeaders::new(headers))?;
        let control = head.attributes().is_control();
        let reserved = if control { reserved.for_control() } else { reserved };
        Ok(Self {
            head,
            offset: reserved.offset,
            producer: reserved.producer,
            timestamp: reserved.timestamp.unwrap_or(head.timestamp_ms()),
        })
    }

    /// Length, codec and kind.
    pub const fn head(&self) -> &NativeHead {
        &self.head
    }

    /// The record's offset when it says it itself; else it is the one after the record before.
    pub const fn offset(&self) -> Option<Offset> {
        self.offset
    }

    /// Who produced the batch that begins here.
    pub const fn producer(&self) -> Option<RunProducer> {
        self.producer
    }

    /// The record's time as Kafka has it, milliseconds since the epoch; it may be below 0.
    pub const fn timestamp(&self) -> i64 {
        self.timestamp
    }
}

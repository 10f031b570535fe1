//! What can be wrong with a batch.
//!
//! [`BatchError`] is about the outside of one batch: can it be told where it ends, and is it what was written?
//! [`RecordError`] is about everything a producer can do wrong and a reader can trip over, and contains the former.

mod code;

use std::io;

use headwater_codec::{Offset, ProducerEpoch, ProducerId};

use crate::{
    Compression, TimestampType,
    native::{HeaderFault, NativeError},
};

/// A batch that cannot be told apart from noise, or is not what was written.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum BatchError {
    /// The bytes end before the batch does. At the end of a log it is a torn tail.
    #[error("the batch needs {need} bytes and {have} are there")]
    Truncated {
        /// Bytes that are there.
        have: usize,
        /// Bytes that are needed at least.
        need: usize,
    },
    /// The length is negative or cannot hold a header.
    #[error("a batch cannot be {length} bytes long")]
    BadLength {
        /// The length as it stands in the batch, without the first 12 bytes.
        length: i32,
    },
    /// A batch to be written would not fit the format.
    #[error("a batch of {bytes} bytes does not fit the format's 31-bit length")]
    TooLong {
        /// Bytes it would have.
        bytes: usize,
    },
    /// A message set from before Kafka 0.11. Kafka 4 does not take them (KIP-724).
    #[error("message sets of version {magic} are not supported; batches are (version 2)")]
    OldMagic {
        /// The version, 0 or 1.
        magic: u8,
    },
    /// The format version is none that exists.
    #[error("there is no batch format version {magic}")]
    UnknownMagic {
        /// The version.
        magic: i8,
    },
    /// The batch claims no valid range of offsets.
    #[error("a batch cannot start at offset {base_offset} and end {last_offset_delta} after it")]
    BadOffsets {
        /// The base offset as it stands in the batch.
        base_offset: i64,
        /// The last offset delta as it stands in the batch.
        last_offset_delta: i32,
    },
    /// The checksum does not fit the bytes.
    #[error("the batch says checksum {stored:#010x} and has {computed:#010x}")]
    BadCrc {
        /// The checksum in the batch.
        stored: u32,
        /// The checksum of the bytes.
        computed: u32,
    },
}

/// A batch or record that is refused or cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The batch's outside is unsound.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// There is no whole batch where exactly one is wanted.
    #[error("{bytes} bytes hold no record batch; exactly one is needed")]
    NoBatch {
        /// Bytes that are there.
        bytes: usize,
    },
    /// Something follows the batch where exactly one is wanted.
    #[error("{bytes} bytes follow the first record batch; exactly one is needed")]
    BytesAfterBatch {
        /// Bytes after it.
        bytes: usize,
    },
    /// The batch is larger than the topic takes.
    #[error("the batch has {bytes} bytes and the topic takes {max}")]
    TooLarge {
        /// Bytes of the batch.
        bytes: usize,
        /// `max.message.bytes`.
        max: usize,
    },
    /// A producer chose an offset; the log does that.
    #[error("a produced batch has base offset 0, not {base_offset}")]
    BaseOffsetNotZero {
        /// What it has.
        base_offset: Offset,
    },
    /// The codec does not exist.
    #[error("there is no compression codec {id}")]
    UnknownCodec {
        /// Its number.
        id: u8,
    },
    /// A codec that the request's version does not know.
    #[error("{codec} needs a later Produce version")]
    CodecNotAllowed {
        /// Which.
        codec: Compression,
    },
    /// A producer sent a control batch; only the broker writes those.
    #[error("producers may not write control records")]
    ControlBatch,
    /// A producer set the delete horizon; only compaction does.
    #[error("producers may not set a delete horizon")]
    DeleteHorizon,
    /// A producer set the timestamp type; only the broker does.
    #[error("producers may not set the timestamp type {timestamp_type}")]
    TimestampType {
        /// What it set.
        timestamp_type: TimestampType,
    },
    /// The batch belongs to a transaction and may not here.
    #[error("a transactional batch is not allowed here")]
    Transactional,
    /// Producer id, epoch and sequence do not go together.
    #[error(
        "producer id {producer_id}, epoch {producer_epoch} and sequence {base_sequence} do not go together"
    )]
    Producer {
        /// The batch's producer id.
        producer_id: ProducerId,
        /// The batch's producer epoch.
        producer_epoch: ProducerEpoch,
        /// The batch's base sequence.
        base_sequence: i32,
    },
    /// The count is not positive, or not the number of offsets.
    #[error("the batch says it holds {count} records and {last_offset_delta} is its last offset delta")]
    Count {
        /// Records it says it holds.
        count: i32,
        /// Its last offset delta.
        last_offset_delta: i32,
    },
    /// A record's bytes make no sense.
    #[error("record {index}: {reason}")]
    Malformed {
        /// Which record, counted from 0.
        index: i32,
        /// Why.
        reason: Malformed,
    },
    /// Bytes are left when all records have been read.
    #[error("bytes are left after the last of {count} records")]
    BytesAfterRecords {
        /// Records that were read.
        count: i32,
    },
    /// Records are sound and break the topic's rules.
    #[error("{} records are refused; the first is record {}: {}", .faults.len(), .faults.first().index, .faults.first().kind)]
    Refused {
        /// Which, and why.
        faults: RecordFaults,
    },
    /// The compressed bytes are unsound.
    #[error("the {codec} data cannot be unpacked")]
    Unpack {
        /// The codec.
        codec: Compression,
        /// What the decoder says.
        source: io::Error,
    },
    /// The compressed bytes unfold to more than is allowed.
    #[error("the {codec} data unpacks to more than {max} bytes")]
    UnpackedTooLarge {
        /// The codec.
        codec: Compression,
        /// `max.decompressed.message.bytes`.
        max: usize,
    },
    /// A native record is unsound, or cannot be made of what was sent.
    #[error(transparent)]
    Native(#[from] NativeError),
    /// A record's headers are over what a native topic takes.
    #[error("record {index}: {fault}")]
    Headers {
        /// Which record, counted from 0.
        index: i32,
        /// Which limit.
        fault: HeaderFault,
    },
    /// The native records of a batch are more than is allowed.
    #[error("the batch's native records have more than {max} bytes")]
    NativeTooLarge {
        /// What is allowed.
        max: usize,
    },
    /// The records could not be compressed.
    #[error("the records cannot be packed with {codec}")]
    Pack {
        /// The codec.
        codec: Compression,
        /// What the encoder says.
        source: io::Error,
    },
}

/// How a record's bytes make no sense.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Malformed {
    /// The bytes end within the record.
    #[error("its bytes end too early")]
    Truncated,
    /// A number is longer than its type.
    #[error("a varint is too long")]
    Varint,
    /// The record's own length is negative.
    #[error("its length is {0}")]
    Length(i32),
    /// A key or value length is below -1.
    #[error("a key or value has length {0}")]
    FieldLength(i32),
    /// The header count is negative or more than the bytes can hold.
    #[error("it cannot hold {0} headers")]
    HeaderCount(i32),
    /// A header's name is null.
    #[error("a header name has length {0}")]
    HeaderName(i32),
    /// A header's name is no text, and where the record is to be stored it has to be.
    #[error("a header name is not UTF-8")]
    HeaderText,
    /// The record's fields end before its length says.
    #[error("{0} bytes are left after its headers")]
    BytesLeft(usize),
    /// The offset delta is not the one that follows.
    #[error("its offset delta is {found}, not {expected}")]
    OffsetDelta {
        /// What it should be.
        expected: i32,
        /// What it is.
        found: i32,
    },
    /// The offset is negative or does not fit 64 bits.
    #[error("its offset delta {0} leads out of the log")]
    Offset(i32),
    /// The timestamp does not fit 64 bits.
    #[error("its timestamp is out of range")]
    Timestamp,
}

/// One record that breaks a topic's rules; the answer to the producer names it (KIP-467).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct RecordFault {
    /// Which record of the batch, counted from 0.
    pub index: i32,
    /// Which rule.
    pub kind: RecordFaultKind,
}

/// A rule that a sound record can break.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum RecordFaultKind {
    /// A compacted topic takes no record without a key.
    #[error("a compacted topic takes no record without a key")]
    MissingKey,
    /// The timestamp is too far from the broker's time.
    #[error("timestamp {timestamp} is not within {earliest} and {latest}")]
    Timestamp {
        /// The record's timestamp, milliseconds since the epoch.
        timestamp: i64,
        /// The earliest one taken.
        earliest: i64,
        /// The latest one taken.
        latest: i64,
    },
}

/// The refused records of one batch: at least one, and the first [`RecordFaults::KEPT`] in full.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct RecordFaults {
    first: RecordFault,
    rest: Vec<RecordFault>,
    not_kept: usize,
}

impl RecordFaults {
    /// How many faults are told one by one; the others are only counted.
    pub const KEPT: usize = 100;

    pub(crate) const fn new(first: RecordFault) -> Self {
        Self { first, rest: Vec::new(), not_kept: 0 }
    }

    pub(crate) fn push(&mut self, fault: RecordFault) {
        if self.rest.len() + 1 < Self::KEPT {
            self.rest.push(fault);
        } else {
            self.not_kept += 1;
        }
    }

    /// The first one.
    pub const fn first(&self) -> &RecordFault {
        &self.first
    }

    /// Those that are told one by one, by index.
    pub fn iter(&self) -> impl Iterator<Item = &RecordFault> {
        std::iter::once(&self.first).chain(&self.rest)
    }

    /// How many there are, told or not. Never 0.
    #[expect(clippy::len_without_is_empty, reason = "there is always one")]
    pub const fn len(&self) -> usize {
        1 + self.rest.len() + self.not_kept
    }
}

//! What cannot be mapped, and why.

use headwater_codec::ErrorCode;
use headwater_records::RecordError;

use crate::{BatchLimits, PAYLOAD_LEN_MAX};

/// Why a record or batch cannot become messages. Nothing of the batch is sent then.
#[derive(Debug, thiserror::Error)]
pub enum MapError {
    /// The payload would be larger than Iggy takes.
    #[error("the record needs a payload of {bytes} bytes and Iggy takes {PAYLOAD_LEN_MAX}")]
    PayloadTooLarge {
        /// Bytes it would have.
        bytes: usize,
    },
    /// The batch unfolds to more than one send may hold: bytes, records or headers.
    #[error("the batch unfolds to more than {} bytes or the records and headers that go with them", .limits.bytes_max)]
    BatchTooLarge {
        /// What is allowed.
        limits: BatchLimits,
    },
    /// A header's name is not UTF-8; neither form holds it.
    #[error("the name of header {index} is not UTF-8")]
    HeaderName {
        /// Which header, counted from 0.
        index: usize,
    },
    /// The timestamp is below -1, or its microseconds do not fit 63 bits.
    #[error("timestamp {timestamp} cannot be held")]
    Timestamp {
        /// Milliseconds since the epoch.
        timestamp: i64,
    },
    /// The batch belongs to a transaction; Iggy has none.
    #[error("a transactional batch cannot be held")]
    Transactional,
    /// The batch is a control batch.
    #[error("a control batch cannot be held")]
    Control,
    /// The batch cannot be read.
    #[error(transparent)]
    Records(#[from] RecordError),
}

impl MapError {
    /// The code for a producer. MESSAGE_TOO_LARGE makes Java's producer split the batch.
    pub fn error_code(&self) -> ErrorCode {
        match self {
            Self::PayloadTooLarge { .. }
            | Self::BatchTooLarge { .. }
            | Self::Records(RecordError::UnpackedTooLarge { .. }) => ErrorCode::MessageTooLarge,
            Self::HeaderName { .. } | Self::Timestamp { .. } | Self::Control => ErrorCode::InvalidRecord,
            Self::Transactional => ErrorCode::UnsupportedVersion,
            Self::Records(error) => error.error_code(),
        }
    }
}

/// Why a message that says it was written by the mapping was not.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Unmappable {
    /// The user headers are not what Iggy writes.
    #[error("its user headers are not sound")]
    UserHeaders,
    /// `kafka.v` is not version 1.
    #[error("it is of a version of the mapping that is not known")]
    Version,
    /// `kafka.value` is neither `null` nor `empty`.
    #[error("kafka.value is neither null nor empty")]
    Value,
    /// `kafka.ts` is no Int64, or below -1.
    #[error("kafka.ts is no timestamp")]
    Timestamp,
    /// Two user headers of different kinds name the same header.
    #[error("two user headers are the same Kafka header")]
    Twins,
    /// A header's name is not UTF-8.
    #[error("the name of a Kafka header is not UTF-8")]
    HeaderName,
    /// The envelope is not sound.
    #[error("its envelope {0}")]
    Envelope(#[from] EnvelopeFault),
}

/// What is wrong with an envelope.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum EnvelopeFault {
    /// `kafka.envelope` is not version 1.
    #[error("is of a version that is not known")]
    Version,
    /// It ends before what it says it holds.
    #[error("ends early")]
    Truncated,
    /// It cannot hold as many headers as it says.
    #[error("cannot hold {0} headers")]
    HeaderCount(u32),
    /// Something follows.
    #[error("is followed by {0} bytes")]
    BytesLeft(usize),
}

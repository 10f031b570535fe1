//! Which of Kafka's error codes a producer or reader gets for what.

use headwater_codec::ErrorCode;

use crate::{BatchError, RecordError, RecordFaultKind, RecordFaults, native::NativeError};

impl BatchError {
    /// The code for this error. What Kafka's clients try again (`CORRUPT_MESSAGE`) may have been damaged on its way.
    pub const fn error_code(&self) -> ErrorCode {
        match self {
            Self::BadLength { .. } | Self::UnknownMagic { .. } | Self::BadCrc { .. } => {
                ErrorCode::CorruptMessage
            }
            Self::Truncated { .. } | Self::OldMagic { .. } | Self::BadOffsets { .. } => {
                ErrorCode::InvalidRecord
            }
            Self::TooLong { .. } => ErrorCode::MessageTooLarge,
        }
    }
}

impl NativeError {
    /// The code for this error, as [`BatchError::error_code`] has it.
    pub const fn error_code(&self) -> ErrorCode {
        match self {
            Self::BadLength { .. }
            | Self::UnknownAttributes { .. }
            | Self::BadHeaderCrc { .. }
            | Self::BadPayloadCrc { .. }
            | Self::Payload { .. }
            | Self::Offset { .. }
            | Self::Reserved { .. } => ErrorCode::CorruptMessage,
            Self::Truncated { .. }
            | Self::Timestamp { .. }
            | Self::ProducerId { .. }
            | Self::Headers(_)
            | Self::Marker => ErrorCode::InvalidRecord,
            Self::TooLong { .. } => ErrorCode::MessageTooLarge,
        }
    }
}

impl RecordError {
    /// The code for this error; none but those of [`BatchError`] is tried again by clients.
    pub fn error_code(&self) -> ErrorCode {
        match self {
            Self::Batch(error) => error.error_code(),
            Self::Native(error) => error.error_code(),
            Self::TooLarge { .. } | Self::NativeTooLarge { .. } => ErrorCode::MessageTooLarge,
            Self::UnknownCodec { .. } | Self::CodecNotAllowed { .. } => ErrorCode::UnsupportedCompressionType,
            Self::TimestampType { .. } => ErrorCode::InvalidTimestamp,
            Self::Transactional => ErrorCode::UnsupportedVersion,
            Self::Refused { faults } => faults.error_code(),
            Self::NoBatch { .. }
            | Self::BytesAfterBatch { .. }
            | Self::BaseOffsetNotZero { .. }
            | Self::ControlBatch
            | Self::DeleteHorizon
            | Self::Producer { .. }
            | Self::Count { .. }
            | Self::Malformed { .. }
            | Self::BytesAfterRecords { .. }
            | Self::Headers { .. }
            | Self::Unpack { .. }
            | Self::UnpackedTooLarge { .. } => ErrorCode::InvalidRecord,
            Self::Pack { .. } => ErrorCode::UnknownServerError,
        }
    }
}

impl RecordFaults {
    /// The code for all of them: `INVALID_TIMESTAMP` as soon as one is about a timestamp, as Kafka's `LogValidator`.
    fn error_code(&self) -> ErrorCode {
        let about_time = |fault: &crate::RecordFault| matches!(fault.kind, RecordFaultKind::Timestamp { .. });
        if self.iter().any(about_time) { ErrorCode::InvalidTimestamp } else { ErrorCode::InvalidRecord }
    }
}

#[cfg(test)]
mod tests {
    use headwater_codec::Offset;

    use super::*;
    use crate::{Compression, Malformed, RecordFault, TimestampType, native::HeaderFault};

    #[test]
    fn codes_are_kafkas() {
        let time = RecordFaultKind::Timestamp { timestamp: 0, earliest: 1, latest: 2 };
        let faults = |kinds: &[RecordFaultKind]| {
            let mut kinds = kinds.iter().map(|&kind| RecordFault { index: 0, kind });
            let mut faults = RecordFaults::new(kinds.next().unwrap());
            kinds.for_each(|fault| faults.push(fault));
            RecordError::Refused { faults }
        };
        for (error, code) in [
            (BatchError::BadCrc { stored: 0, computed: 1 }.into(), 2),
            (BatchError::OldMagic { magic: 1 }.into(), 87),
            (RecordError::TooLarge { bytes: 2, max: 1 }, 10),
            (RecordError::TimestampType { timestamp_type: TimestampType::LogAppendTime }, 32),
            (RecordError::CodecNotAllowed { codec: Compression::Zstd }, 76),
            (RecordError::UnpackedTooLarge { codec: Compression::Zstd, max: 1 }, 87),
            (RecordError::Malformed { index: 0, reason: Malformed::Truncated }, 87),
            (RecordError::BaseOffsetNotZero { base_offset: Offset::ZERO }, 87),
            (RecordError::ControlBatch, 87),
            (RecordError::Headers { index: 0, fault: HeaderFault::TooMany { count: 2, max: 1 } }, 87),
            (RecordError::NativeTooLarge { max: 1 }, 10),
            (NativeError::BadPayloadCrc { stored: 0, computed: 1 }.into(), 2),
            (faults(&[RecordFaultKind::MissingKey]), 87),
            (faults(&[time]), 32),
            (faults(&[RecordFaultKind::MissingKey, time]), 32),
        ] {
            assert_eq!(error.error_code().code(), code, "{error}");
        }
    }
}

//! What clients are told of failures inside: the one mapping of our errors to Kafka's codes.

use headwater_codec::ErrorCode;
use headwater_records::{BatchError, RecordError, RecordFaultKind};
use headwater_storage::{MetadataError, StorageError};

/// The code of a failed call on a log store.
pub(crate) fn storage(error: &StorageError) -> ErrorCode {
    match error {
        StorageError::UnknownPartition { .. } => ErrorCode::UnknownTopicOrPartition,
        StorageError::OffsetOutOfRange { .. } => ErrorCode::OffsetOutOfRange,
        StorageError::OutOfOrderSequence { .. } => ErrorCode::OutOfOrderSequenceNumber,
        StorageError::InvalidProducerEpoch { .. } => ErrorCode::InvalidProducerEpoch,
        StorageError::BatchTooLarge { .. } => ErrorCode::RecordListTooLarge,
        StorageError::Fenced { .. } | StorageError::Closed => ErrorCode::NotLeaderOrFollower,
        StorageError::Offline { .. }
        | StorageError::Io { .. }
        | StorageError::Corrupt { .. }
        | StorageError::Unreadable { .. }
        | StorageError::Locked { .. }
        | StorageError::NoLogDir => ErrorCode::KafkaStorageError,
    }
}

/// The code of a failed call on a metadata store.
pub(crate) fn metadata(error: &MetadataError) -> ErrorCode {
    match error {
        MetadataError::TopicExists { .. } => ErrorCode::TopicAlreadyExists,
        MetadataError::UnknownTopic { .. } => ErrorCode::UnknownTopicId,
        MetadataError::UnknownTopicName { .. } => ErrorCode::UnknownTopicOrPartition,
        MetadataError::InvalidPartitionCount { .. } => ErrorCode::InvalidPartitions,
        MetadataError::InvalidProducerIdCount { .. } => ErrorCode::UnknownServerError,
        MetadataError::Fenced { .. } | MetadataError::Closed => ErrorCode::NotController,
        MetadataError::Storage(_) => ErrorCode::KafkaStorageError,
        MetadataError::Properties { .. }
        | MetadataError::Corrupt { .. }
        | MetadataError::Unwritable(_)
        | MetadataError::Unbuildable(_)
        | MetadataError::UnsupportedMetadataVersion { .. }
        | MetadataError::NoMetadataVersion { .. }
        | MetadataError::ForeignVoter { .. } => ErrorCode::UnknownServerError,
    }
}

/// The code of a batch that the produce door refuses. What a retry cannot mend is not retriable.
pub(crate) fn record(error: &RecordError) -> ErrorCode {
    match error {
        RecordError::Batch(BatchError::BadCrc { .. }) => ErrorCode::CorruptMessage,
        RecordError::TooLarge { .. } | RecordError::UnpackedTooLarge { .. } => ErrorCode::MessageTooLarge,
        RecordError::UnknownCodec { .. } | RecordError::CodecNotAllowed { .. } => {
            ErrorCode::UnsupportedCompressionType
        }
        RecordError::TimestampType { .. } => ErrorCode::InvalidTimestamp,
        RecordError::Transactional => ErrorCode::UnsupportedVersion,
        RecordError::Refused { faults } => match faults.first().kind {
            RecordFaultKind::MissingKey => ErrorCode::InvalidRecord,
            RecordFaultKind::Timestamp { .. } => ErrorCode::InvalidTimestamp,
        },
        RecordError::Batch(_)
        | RecordError::NoBatch { .. }
        | RecordError::BytesAfterBatch { .. }
        | RecordError::BaseOffsetNotZero { .. }
        | RecordError::ControlBatch
        | RecordError::DeleteHorizon
        | RecordError::Producer { .. }
        | RecordError::Count { .. }
        | RecordError::Malformed { .. }
        | RecordError::BytesAfterRecords { .. }
        | RecordError::Unpack { .. } => ErrorCode::InvalidRecord,
        RecordError::Pack { .. } => ErrorCode::UnknownServerError,
    }
}

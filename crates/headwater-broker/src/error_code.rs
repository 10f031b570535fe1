//! What clients are told of failures inside: the one mapping of the stores' errors to Kafka's codes.
//! Those of the produce door have theirs in `headwater-records`, whose rules are Kafka's.

use headwater_codec::ErrorCode;
use headwater_storage::{MetadataError, StorageError};

/// The code of a failed call on a log store.
pub(crate) fn storage(error: &StorageError) -> ErrorCode {
    match error {
        StorageError::UnknownPartition { .. } => ErrorCode::UnknownTopicOrPartition,
        StorageError::OffsetOutOfRange { .. } => ErrorCode::OffsetOutOfRange,
        StorageError::OutOfOrderSequence { .. } => ErrorCode::OutOfOrderSequenceNumber,
        StorageError::InvalidProducerEpoch { .. } => ErrorCode::InvalidProducerEpoch,
        StorageError::BatchTooLarge { .. } => ErrorCode::RecordListTooLarge,
        StorageError::Refused { source, .. } => source.error_code(),
        StorageError::Unavailable { .. } => ErrorCode::NotLeaderOrFollower,
        StorageError::OutcomeUnknown { .. } => ErrorCode::RequestTimedOut,
        StorageError::Unsupported { .. } => ErrorCode::UnsupportedForMessageFormat,
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
        MetadataError::Unavailable { .. } => ErrorCode::LeaderNotAvailable,
        MetadataError::UnsupportedConfig { .. } => ErrorCode::InvalidConfig,
        MetadataError::Properties { .. }
        | MetadataError::Corrupt { .. }
        | MetadataError::Unwritable(_)
        | MetadataError::Unbuildable(_)
        | MetadataError::UnsupportedMetadataVersion { .. }
        | MetadataError::NoMetadataVersion { .. }
        | MetadataError::ForeignVoter { .. } => ErrorCode::UnknownServerError,
    }
}

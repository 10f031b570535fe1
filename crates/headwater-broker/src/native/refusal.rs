//! What a client of the native protocol is told when something is refused: a code and a sentence.

use headwater_codec::ErrorCode as KafkaCode;
use headwater_native::{ErrorCode, messages::Failure};
use headwater_storage::{MetadataError, StorageError};

use crate::topic_config::{AlterError, TopicNameError};

/// What a handler gives when it refuses.
pub(super) type Answer<T> = Result<T, Failure>;

/// A refusal in our own words.
pub(super) fn refuse<T>(code: ErrorCode, message: impl Into<String>) -> Answer<T> {
    Err(Failure::new(code, message))
}

/// There is no such topic.
pub(super) fn no_topic(topic: &str) -> Failure {
    Failure::new(ErrorCode::TOPIC_MISSING, format!("there is no topic '{topic}'"))
}

/// A log store failed.
pub(super) fn storage(error: &StorageError) -> Failure {
    let code = match error {
        StorageError::UnknownPartition { .. } => ErrorCode::TOPIC_MISSING,
        StorageError::OffsetOutOfRange { .. } => ErrorCode::BAD_FRAME,
        StorageError::OutOfOrderSequence { .. } => ErrorCode::OUT_OF_ORDER_SEQUENCE,
        StorageError::InvalidProducerEpoch { .. } => ErrorCode::PRODUCER_FENCED,
        StorageError::BatchTooLarge { .. } => ErrorCode::BATCH_TOO_LARGE,
        _ => ErrorCode::INTERNAL,
    };
    if code == ErrorCode::INTERNAL {
        tracing::error!(%error, "a log failed a client of the native protocol");
    }
    Failure::new(code, error.to_string())
}

/// The metadata store failed.
pub(super) fn metadata(error: &MetadataError) -> Failure {
    let code = match error {
        // The original protocol has no code of its own for it.
        MetadataError::TopicExists { .. } => ErrorCode::BAD_FRAME,
        MetadataError::UnknownTopic { .. } | MetadataError::UnknownTopicName { .. } => {
            ErrorCode::TOPIC_MISSING
        }
        MetadataError::InvalidPartitionCount { .. } => ErrorCode::INVALID_PARTITIONS,
        _ => ErrorCode::INTERNAL,
    };
    Failure::new(code, error.to_string())
}

/// Something answered with one of Kafka's codes.
pub(super) fn kafka(code: KafkaCode) -> Failure {
    let told = match code {
        KafkaCode::UnknownTopicOrPartition | KafkaCode::UnknownTopicId => ErrorCode::TOPIC_MISSING,
        KafkaCode::UnknownMemberId | KafkaCode::IllegalGeneration | KafkaCode::RebalanceInProgress => {
            ErrorCode::GROUP_MEMBER_UNKNOWN
        }
        KafkaCode::InconsistentGroupProtocol => ErrorCode::GROUP_CONFLICT,
        KafkaCode::GroupIdNotFound => ErrorCode::GROUP_MISSING,
        KafkaCode::NonEmptyGroup => ErrorCode::GROUP_NOT_EMPTY,
        KafkaCode::InvalidGroupId | KafkaCode::InvalidTopicException => ErrorCode::BAD_FRAME,
        KafkaCode::GroupMaxSizeReached => ErrorCode::RATE_LIMITED,
        KafkaCode::InvalidPartitions => ErrorCode::INVALID_PARTITIONS,
        KafkaCode::InvalidConfig => ErrorCode::INVALID_CONFIG,
        KafkaCode::TopicAuthorizationFailed
        | KafkaCode::GroupAuthorizationFailed
        | KafkaCode::ClusterAuthorizationFailed => ErrorCode::NOT_AUTHORIZED,
        _ => ErrorCode::INTERNAL,
    };
    Failure::new(told, code.text())
}

/// A name that no topic may have.
pub(super) fn topic_name(error: &TopicNameError) -> Failure {
    Failure::new(ErrorCode::BAD_FRAME, error.to_string())
}

/// A config that no topic may have.
pub(super) fn config(error: &AlterError) -> Failure {
    Failure::new(ErrorCode::INVALID_CONFIG, error.to_string())
}

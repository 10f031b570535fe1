//! What Iggy's and the mapping's failures are to callers of the stores.

use std::sync::Arc;

use headwater_codec::TopicIdPartition;
use headwater_records::RecordError;
use headwater_storage::{LogName, MetadataError, StorageError};
use iggy::prelude::IggyError;

use super::STORE;
use crate::MapError;

/// A failed read, or a failed look at a partition.
pub(super) fn read_error(partition: TopicIdPartition, error: IggyError) -> StorageError {
    if is_gone(&error) {
        return StorageError::UnknownPartition { partition };
    }
    StorageError::Unavailable { store: STORE, source: Arc::new(error) }
}

/// A failed send: what was lost on the way may have been written.
pub(super) fn send_error(log: &LogName, partition: TopicIdPartition, error: IggyError) -> StorageError {
    match error {
        IggyError::Disconnected
        | IggyError::TcpError
        | IggyError::EmptyResponse
        | IggyError::TransientNotCommitted => {
            StorageError::OutcomeUnknown { log: log.clone(), source: Arc::new(error) }
        }
        error => read_error(partition, error),
    }
}

/// A failed change of topics.
pub(super) fn metadata_error(error: IggyError) -> MetadataError {
    MetadataError::Unavailable { store: STORE, source: Arc::new(error) }
}

/// A batch that cannot become messages.
pub(super) fn refused(log: &LogName, error: MapError) -> StorageError {
    let source = match error {
        MapError::Records(error) => error,
        MapError::PayloadTooLarge { bytes } => RecordError::TooLarge { bytes, max: crate::PAYLOAD_LEN_MAX },
        MapError::BatchTooLarge { limits } => {
            RecordError::TooLarge { bytes: limits.bytes_max.saturating_add(1), max: limits.bytes_max }
        }
        MapError::Transactional => RecordError::Transactional,
        MapError::Control => RecordError::ControlBatch,
        // A batch's records are told by index before.
        MapError::HeaderName { .. } => malformed(headwater_records::Malformed::HeaderText),
        MapError::Timestamp { .. } => malformed(headwater_records::Malformed::Timestamp),
    };
    StorageError::Refused { log: log.clone(), source: Arc::new(source) }
}

fn malformed(reason: headwater_records::Malformed) -> RecordError {
    RecordError::Malformed { index: 0, reason }
}

/// Whether the stream, topic or partition does not exist.
pub(super) fn is_gone(error: &IggyError) -> bool {
    matches!(
        error,
        IggyError::StreamIdNotFound(..)
            | IggyError::StreamNameNotFound(..)
            | IggyError::TopicIdNotFound(..)
            | IggyError::TopicNameNotFound(..)
            | IggyError::PartitionNotFound(..)
            | IggyError::ResourceNotFound(..)
    )
}

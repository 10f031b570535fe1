//! What can go wrong with broker metadata.

use std::{path::PathBuf, sync::Arc};

use headwater_codec::{Offset, TopicName};
use thiserror::Error;
use uuid::Uuid;

use crate::{Fence, StorageError};

/// A failed call on a [`MetadataStore`](crate::MetadataStore), or a failed open of one.
#[derive(Clone, Debug, Error)]
pub enum MetadataError {
    /// A topic of that name exists already.
    #[error("topic {name} exists already")]
    TopicExists {
        /// The name that was asked for.
        name: TopicName,
    },
    /// No topic has that id.
    #[error("no topic has the id {topic_id}")]
    UnknownTopic {
        /// The id that was asked for.
        topic_id: Uuid,
    },
    /// No topic has that name.
    #[error("no topic has the name {name}")]
    UnknownTopicName {
        /// The name that was asked for.
        name: TopicName,
    },
    /// A topic cannot have that many partitions: none at all, too many, or not more than it has.
    #[error("topic {name} has {current} partitions and cannot be given {requested}")]
    InvalidPartitionCount {
        /// The topic.
        name: TopicName,
        /// How many partitions it has; 0 when it is new.
        current: i32,
        /// How many were asked for.
        requested: i32,
    },
    /// That many producer ids cannot be given, or none are left.
    #[error("{count} producer ids cannot be given")]
    InvalidProducerIdCount {
        /// How many were asked for.
        count: i32,
    },
    /// The caller's epoch is older than one that the store has seen.
    #[error("epoch {} is fenced by epoch {}", fence.0, newest.0)]
    Fenced {
        /// The caller's epoch.
        fence: Fence,
        /// The newest epoch that was seen.
        newest: Fence,
    },
    /// What keeps the topics cannot be reached now; it may be tried again.
    #[error("{store} cannot be reached: {source}")]
    Unavailable {
        /// What cannot be reached.
        store: &'static str,
        /// Why.
        source: Arc<dyn std::error::Error + Send + Sync>,
    },
    /// What keeps the topics has no such config.
    #[error("{store} has no config {key} for a topic")]
    UnsupportedConfig {
        /// What keeps the topics.
        store: &'static str,
        /// The config.
        key: String,
    },
    /// The store was closed.
    #[error("the metadata store is closed")]
    Closed,
    /// A file could not be read, written or synced. What was asked for has not happened.
    #[error("the metadata log failed")]
    Storage(#[source] Arc<StorageError>),
    /// A line of `meta.properties` is missing, double or not what it should be.
    #[error("{}: {key} is {found}, but should be {expected}", path.display())]
    Properties {
        /// The file.
        path: PathBuf,
        /// The property.
        key: &'static str,
        /// What stands there.
        found: String,
        /// What should stand there.
        expected: String,
    },
    /// A metadata record or checkpoint cannot be understood.
    #[error("{}: the metadata record at offset {offset} cannot be used: {reason}", path.display())]
    Corrupt {
        /// The file or directory.
        path: PathBuf,
        /// The record's offset.
        offset: Offset,
        /// What is wrong with it.
        reason: CorruptMetadata,
    },
    /// A record could not be written in the form that the directory's level asks for.
    #[error("a metadata record cannot be written at the directory's metadata.version")]
    Unwritable(#[source] Arc<headwater_codec::EncodeError>),
    /// A batch of records could not be made.
    #[error("a batch of metadata records cannot be made")]
    Unbuildable(#[source] Arc<headwater_records::RecordError>),
    /// The metadata was written at a level that this version does not know.
    #[error("{}: metadata.version {level} is outside {min}..={max}", path.display())]
    UnsupportedMetadataVersion {
        /// The metadata log's directory.
        path: PathBuf,
        /// The level found.
        level: i16,
        /// The lowest level served.
        min: i16,
        /// The highest level served.
        max: i16,
    },
    /// The metadata log was never given a `metadata.version`.
    #[error("{}: no metadata.version is set, so the directory is of a Kafka older than 3.3", path.display())]
    NoMetadataVersion {
        /// The metadata log's directory.
        path: PathBuf,
    },
    /// The metadata log belongs to a quorum of several controllers, or to another one than this node.
    #[error("{}: controller {voter} votes in this metadata log, but only a quorum of node {node_id} alone can be served",
        path.display())]
    ForeignVoter {
        /// The metadata log's directory.
        path: PathBuf,
        /// The voter that is not this node.
        voter: i32,
        /// This node.
        node_id: i32,
    },
}

/// Why a metadata record or checkpoint cannot be used.
#[derive(Clone, Debug, Error)]
pub enum CorruptMetadata {
    /// The record does not decode.
    #[error("it does not decode")]
    Record(#[source] Arc<headwater_codec::DecodeError>),
    /// The batch does not decode.
    #[error("its batch does not decode")]
    Batch(#[source] Arc<headwater_records::RecordError>),
    /// The record has no value.
    #[error("it has no value")]
    NoValue,
    /// The record speaks of a topic that is not there.
    #[error("it speaks of topic {0}, which does not exist")]
    UnknownTopic(Uuid),
    /// The record speaks of a partition that is not there, or that would leave a hole.
    #[error("it speaks of partition {1} of topic {0}, which does not fit")]
    UnknownPartition(Uuid, i32),
    /// The file ends before its footer.
    #[error("the file is cut short")]
    CutShort,
    /// A small file is not in its format.
    #[error("the file is not in its format")]
    Format,
}

impl MetadataError {
    pub(crate) fn unwritable(source: headwater_codec::EncodeError) -> Self {
        Self::Unwritable(Arc::new(source))
    }

    pub(crate) fn unbuildable(source: headwater_records::RecordError) -> Self {
        Self::Unbuildable(Arc::new(source))
    }
}

impl From<StorageError> for MetadataError {
    fn from(source: StorageError) -> Self {
        Self::Storage(Arc::new(source))
    }
}

//! What can go wrong in a store.

use std::{fmt, io, path::PathBuf, sync::Arc};

use headwater_codec::{Offset, ProducerEpoch, ProducerId, TopicIdPartition};
use headwater_records::{BatchError, RecordError, native::NativeError};

use crate::Fence;

/// The name of one log for messages: `<topic>-<partition>`, as its directory is called.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct LogName(Arc<str>);

impl LogName {
    /// Names a log.
    pub fn new(name: &str) -> Self {
        Self(Arc::from(name))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for LogName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why a store could not do what was asked. Cheap to clone: one failure may answer many waiting appends.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StorageError {
    /// The store knows no such partition.
    #[error("partition {partition} does not exist")]
    UnknownPartition {
        /// Which.
        partition: TopicIdPartition,
    },
    /// The offset is below the log start or above the log end.
    #[error("{log}: offset {requested} is outside {log_start}..={log_end}")]
    OffsetOutOfRange {
        /// Which log.
        log: LogName,
        /// The offset asked for.
        requested: Offset,
        /// The first offset there is.
        log_start: Offset,
        /// The offset that the next record gets.
        log_end: Offset,
    },
    /// An idempotent producer's batch does not follow its last one and is none of its last five (KIP-98).
    #[error("{log}: producer {producer_id} sent sequence {found}; {last} was its last one")]
    OutOfOrderSequence {
        /// Which log.
        log: LogName,
        /// Who.
        producer_id: ProducerId,
        /// The last sequence number that is in the log, -1 when none of the epoch is.
        last: i32,
        /// The first sequence number of the batch.
        found: i32,
    },
    /// A newer incarnation of the producer has written already (KIP-98).
    #[error("{log}: producer {producer_id} wrote with epoch {found}; its epoch is {current}")]
    InvalidProducerEpoch {
        /// Which log.
        log: LogName,
        /// Who.
        producer_id: ProducerId,
        /// The newest epoch known.
        current: ProducerEpoch,
        /// The batch's epoch.
        found: ProducerEpoch,
    },
    /// The batch cannot fit a segment.
    #[error("{log}: a batch of {bytes} bytes does not fit a segment of {max}")]
    BatchTooLarge {
        /// Which log.
        log: LogName,
        /// Bytes of the batch.
        bytes: usize,
        /// `segment.bytes`.
        max: usize,
    },
    /// The caller's ownership has ended: somebody with a newer fence has written.
    #[error("fence {} is older than {}", found.0, known.0)]
    Fenced {
        /// The newest fence known.
        known: Fence,
        /// The caller's.
        found: Fence,
    },
    /// The partition does not serve until its directory is repaired or answers again.
    #[error("{log} is offline: {source}")]
    Offline {
        /// Which log.
        log: LogName,
        /// What took it offline.
        source: Arc<StorageError>,
    },
    /// The disk said no.
    #[error("{}: cannot {op}: {source}", path.display())]
    Io {
        /// What was tried.
        op: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system says.
        source: Arc<io::Error>,
    },
    /// A file is damaged where it must be sound.
    #[error("{}: damaged at byte {position}: {damage}", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// Where in it.
        position: u64,
        /// What is wrong there.
        damage: Damage,
    },
    /// A batch in the log cannot be unpacked.
    #[error("{log}: the batch at offset {offset} cannot be read")]
    Unreadable {
        /// Which log.
        log: LogName,
        /// The batch's base offset.
        offset: Offset,
        /// Why.
        source: Arc<RecordError>,
    },
    /// A record cannot be stored in the topic's format, and nothing of its batch is.
    #[error("{log}: refused: {source}")]
    Refused {
        /// Which log.
        log: LogName,
        /// Why.
        source: Arc<RecordError>,
    },
    /// What keeps the records cannot be reached now. Nothing was written; it may be tried again.
    #[error("{store} cannot be reached: {source}")]
    Unavailable {
        /// What cannot be reached.
        store: &'static str,
        /// Why.
        source: Arc<dyn std::error::Error + Send + Sync>,
    },
    /// Whether the records were written is not known: the answer was lost.
    #[error("{log}: whether the records were written is not known: {source}")]
    OutcomeUnknown {
        /// Which log.
        log: LogName,
        /// What was lost.
        source: Arc<dyn std::error::Error + Send + Sync>,
    },
    /// What keeps the records cannot do that.
    #[error("{store} cannot {what}")]
    Unsupported {
        /// What keeps the records.
        store: &'static str,
        /// What it cannot.
        what: &'static str,
    },
    /// Another process, or another broker in this one, uses the directory.
    #[error("{} is locked: another broker uses this directory", path.display())]
    Locked {
        /// The lock file.
        path: PathBuf,
    },
    /// The store was opened without a directory.
    #[error("a log store needs at least one directory")]
    NoLogDir,
    /// The store is closed.
    #[error("the store is closed")]
    Closed,
}

impl StorageError {
    pub(crate) fn io(op: &'static str, path: impl Into<PathBuf>, source: io::Error) -> Self {
        Self::Io { op, path: path.into(), source: Arc::new(source) }
    }
}

/// What is wrong at a place in a file.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Damage {
    /// The batch there is not sound.
    #[error("{0}")]
    Batch(#[from] BatchError),
    /// The native record there is not sound, or of a version that is not known here.
    #[error("{0}")]
    Record(#[from] NativeError),
    /// The records of one batch are not all there.
    #[error("the batch at offset {base} ends with offset {last}, and the log with {end}")]
    BatchCutShort {
        /// The offset of the batch's first record.
        base: Offset,
        /// The offset of its last one.
        last: Offset,
        /// The offset after the last record that is there.
        end: Offset,
    },
    /// The offsets there do not follow those before.
    #[error("the batch starts at offset {found}, and {expected} is the least that may follow")]
    OffsetsGoBack {
        /// The least offset that may stand there.
        expected: Offset,
        /// What stands there.
        found: Offset,
    },
    /// The file ends although more was known to be on disk.
    #[error("the log ends at offset {log_end}, and everything below {recovery_point} was on disk")]
    EndsTooEarly {
        /// Where the log ends.
        log_end: Offset,
        /// The recovery point.
        recovery_point: Offset,
    },
    /// A segment is missing although records in it were known to be on disk.
    #[error("records from offset {from} on are missing, and the next segment starts at {next}")]
    Gap {
        /// The first missing offset.
        from: Offset,
        /// The next segment's base offset.
        next: Offset,
    },
}

//! The store traits and their local implementation: segments, indexes, recovery, the metadata log.
//!
//! - [`LogStore`], [`MetadataStore`] and [`CoordinatorStore`] are the seams under the broker.
//! - [`Log`] is one partition's log in Kafka's own files, synchronous and without threads; [`Disk`] is all it knows of
//!   files.
//! - [`LocalLogStore`] keeps partitions in log directories, with group commit; [`LocalMetadataStore`] keeps Kafka's
//!   metadata log; [`LogCoordinatorStore`] keeps coordinator state in an internal topic.
//!
//! Nothing here needs a runtime: answers are futures over a oneshot, and the store has threads of its own. Nothing here
//! knows a message of the protocol.

mod access;
mod checkpoint;
mod cleaner;
mod clock;
mod coordinator;
mod disk;
mod error;
mod format;
mod local;
mod log;
mod log_config;
mod metadata;
mod partition;
mod routed;
mod scan;
mod segment;
mod slice;
mod store;
mod sync_pool;

pub use access::{QuotaChange, QuotaEntity, ScramChange, StoredScramCredential};
pub use cleaner::CleanerOptions;
pub use clock::{Clock, ManualClock, SystemClock};
pub use coordinator::LogCoordinatorStore;
pub use disk::{DirEntry, DirLock, Disk, DiskFile, FileStat, OpenMode, OsDisk, Space};
#[cfg(any(test, feature = "test-util"))]
pub use disk::{DiskOp, Fault, PowerCut, SimDisk};
pub use error::{Damage, LogName, StorageError};
pub use format::{
    EntryHead, KafkaBatches, LogEntry, LogFormat, Marker, NativeAppend, NativeRecords, Rebuild, Rebuilt,
};
pub use local::{CleanerStats, LocalLogOptions, LocalLogStore, SyncStats};
pub use log::{AppendJob, AppendOutcome, Log, LogOptions, LogPlace, LogView, Recovered, Retention, Unsynced};
pub use log_config::{FlushPolicy, LogConfig, RecordFormat};
pub use metadata::{
    CorruptMetadata, Endpoint, IdSource, LocalMetadataStore, MetaProperties, MetadataError, MetadataImage,
    NodeConfig, PartitionImage, Topic, uuid_from_text, uuid_to_text,
};
pub use routed::{ImageSink, MergedImages, NativeEngine, NativeStores, RoutedLogStore, RoutedMetadataStore};
pub use slice::{FileSlice, LogSlice};
pub use store::*;

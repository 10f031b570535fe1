//! Opening the metadata: the newest sound checkpoint, the log after it, and this run's registration.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use headwater_codec::{
    BrokerId, Offset,
    records::{AbortTransactionRecord, ControlRecordType, MetadataLogRecord},
};
use tracing::{info, warn};

mod load;

use load::{Checkpoint, Quorum, check_voters, newest_checkpoint, replay_one};

use super::{
    batch::LogRecord,
    checkpoint::{CheckpointId, CheckpointWriter, read_checkpoint},
    control::ControlRecord,
    directories::Directories,
    error::{CorruptMetadata, MetadataError},
    features::{FRESH_METADATA_VERSION, MetadataVersion},
    image::MetadataImage,
    kafka_uuid::IdSource,
    metadata_log::{MetadataLog, put_in_place},
    node::NodeConfig,
    quorum_state::{self, QuorumState},
    registration,
    replay::Replay,
    to_records::VersionedRecord,
    writer::Writer,
};
use crate::{Clock, Disk, StorageError};

/// Opens everything and registers the node; see [`LocalMetadataStore::open`](super::LocalMetadataStore::open).
pub(crate) fn open<I: IdSource>(
    disk: Arc<dyn Disk>,
    log_dirs: &[PathBuf],
    metadata_dir: Option<&Path>,
    node: NodeConfig,
    clock: Arc<dyn Clock>,
    mut ids: I,
) -> Result<Writer<I>, MetadataError> {
    let metadata_dir =
        metadata_dir.or(log_dirs.first().map(PathBuf::as_path)).ok_or(StorageError::NoLogDir)?;
    let directories = Directories::open(&disk, log_dirs, metadata_dir, &node, &mut ids)?;
    let now_ms = clock.now_ms();
    let mut loaded = Loaded::load(&disk, &directories, &node, now_ms)?;
    let image = loaded.register(&disk, &directories, &node, now_ms, &mut ids)?;
    info!(
        cluster_id = image.cluster_id(),
        topics = image.topic_count(),
        end_offset = image.end_offset.get(),
        epoch = image.kraft_epoch,
        "metadata is loaded"
    );
    Ok(Writer::new(loaded.log, image, clock, ids))
}

/// What was found in the metadata log's directory.
struct Loaded {
    log: MetadataLog,
    replay: Replay,
    quorum: Quorum,
    /// Whether the directory was formatted before, by us or by Kafka.
    has_checkpoint: bool,
    quorum_state: QuorumState,
}

impl Loaded {
    /// Reads the newest checkpoint that is sound and the log from there on.
    fn load(
        disk: &Arc<dyn Disk>,
        directories: &Directories,
        node: &NodeConfig,
        now_ms: i64,
    ) -> Result<Self, MetadataError> {
        let directory = directories.metadata_log.as_path();
        let empty = MetadataImage {
            cluster_id: directories.cluster_id.as_str().into(),
            node: BrokerId::new(node.node_id),
            directories: Arc::new(directories.log_dir_ids.clone()),
            ..MetadataImage::default()
        };
        let (checkpoints, newest) = newest_checkpoint(disk, directory, node, &empty)?;
        let has_checkpoint = newest.is_some();
        let Checkpoint { id, replay, quorum, last_timestamp_ms, failure } =
            newest.unwrap_or_else(|| Checkpoint { replay: Replay::new(empty), ..Checkpoint::default() });
        let log = MetadataLog::open(disk, directory, id, checkpoints, last_timestamp_ms, node, now_ms)?;
        if log.start_offset().get() > id.end_offset {
            return Err(failure.unwrap_or_else(|| MetadataError::Corrupt {
                path: directory.to_path_buf(),
                offset: Offset::ZERO.plus(id.end_offset),
                reason: CorruptMetadata::CutShort,
            }));
        }
        let quorum_state = read_quorum_state(disk, directory)?;
        let mut loaded = Self { log, replay, quorum, has_checkpoint, quorum_state };
        loaded.replay_log(directory, node, Offset::ZERO.plus(id.end_offset))?;
        let voters = &loaded.quorum_state.voters;
        check_voters(directory, node.node_id, voters.iter().copied())?;
        Ok(loaded)
    }

    fn replay_log(&mut self, directory: &Path, node: &NodeConfig, from: Offset) -> Result<(), MetadataError> {
        let Self { log, replay, quorum, .. } = self;
        log.read(from, |offset, record| {
            quorum.is_in_log |=
                matches!(&record, LogRecord::Control { kind: ControlRecordType::KRaftVoters, .. });
            replay_one(directory, node, replay, quorum, offset, record)
        })?;
        let level = replay.image.metadata_version();
        if level == MetadataVersion(0) && !(replay.image.topics.is_empty() && replay.image.brokers.is_empty())
        {
            return Err(MetadataError::NoMetadataVersion { path: directory.to_path_buf() });
        }
        Ok(())
    }

    /// Writes this run's epoch, and what a node says when it starts. Gives the image with all of it, durable.
    fn register(
        &mut self,
        disk: &Arc<dyn Disk>,
        directories: &Directories,
        node: &NodeConfig,
        now_ms: i64,
        ids: &mut impl IdSource,
    ) -> Result<MetadataImage, MetadataError> {
        let directory = directories.metadata_log.as_path();
        let bootstrap = self.bootstrap_records(disk, directory, directories, node)?;
        let is_formatted_statically = bootstrap.is_from_kafka && !self.has_checkpoint;
        let is_first = !self.has_checkpoint && !bootstrap.records.is_empty();
        let id = BrokerId::new(node.node_id);
        let voters = ControlRecord::voters(id, directories.metadata_dir_id, &node.controller)?;
        if is_first && !is_formatted_statically && self.log.is_empty() {
            let quorum = vec![ControlRecord::kraft_version()?, voters.clone()];
            let bytes = CheckpointWriter::new(CheckpointId::FORMATTED, now_ms, 0, quorum)?.finish()?;
            self.log.write_checkpoint(CheckpointId::FORMATTED, &bytes)?;
            self.quorum.voter_directory = Some(directories.metadata_dir_id);
        }
        self.write_epoch(disk, directory, node)?;
        let mut control = vec![ControlRecord::leader_change(id)?];
        let voter_moved = self.quorum.voter_directory != Some(directories.metadata_dir_id);
        if self.quorum.voter_directory.is_some() && (voter_moved || !self.quorum.is_in_log) {
            control.extend([ControlRecord::kraft_version()?, voters.clone()]);
        }
        if self.quorum.voter_directory.is_some() {
            self.log.set_quorum(vec![ControlRecord::kraft_version()?, voters]);
        }
        self.log.push_control(&control, now_ms)?;
        if self.replay.in_transaction() {
            self.push(vec![abort_transaction()], now_ms)?;
        }
        if !bootstrap.records.is_empty() {
            self.push(registration::bootstrap(bootstrap.records, bootstrap.level), now_ms)?;
        }
        let level = self.replay.image.metadata_version();
        if level.has_controller_registration() {
            self.push(vec![registration::register_controller(node, ids.new_id())], now_ms)?;
        }
        let broker_epoch = self.log.next_offset().get();
        let log_dirs = &directories.log_dir_ids;
        self.push(
            vec![registration::register_node(node, level, ids.new_id(), broker_epoch, log_dirs)],
            now_ms,
        )?;
        for records in registration::unfence(&self.replay.image, broker_epoch).chunks(RECORDS_PER_BATCH) {
            self.push(records.to_vec(), now_ms)?;
        }
        let end_offset = self.log.commit(now_ms)?;
        let mut image = std::mem::take(&mut self.replay).image;
        image.end_offset = end_offset;
        image.kraft_epoch = self.log.epoch();
        Ok(image)
    }

    /// The first records of a directory that has none: those that Kafka's tool left for it, or our own.
    fn bootstrap_records(
        &self,
        disk: &Arc<dyn Disk>,
        directory: &Path,
        directories: &Directories,
        node: &NodeConfig,
    ) -> Result<Bootstrap, MetadataError> {
        if self.replay.image.metadata_version() != MetadataVersion(0) {
            return Ok(Bootstrap::default());
        }
        let parent = directories.metadata_log.parent().unwrap_or(directory);
        let path = parent.join(BOOTSTRAP_FILE);
        let bytes = match disk.read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let level = MetadataVersion(FRESH_METADATA_VERSION);
                return Ok(Bootstrap {
                    records: registration::fresh_features(),
                    level,
                    is_from_kafka: false,
                });
            }
            Err(error) => return Err(StorageError::io("read", path, error).into()),
        };
        let mut records = Vec::new();
        let mut scratch = Replay::default();
        read_checkpoint(&path, &bytes, |offset, record| {
            if let LogRecord::Metadata(record) = &record {
                records.push((MetadataLogRecord::clone(record), 0));
            }
            replay_one(&path, node, &mut scratch, &mut Quorum::default(), offset, record)
        })?;
        let level = scratch.image.metadata_version();
        if level == MetadataVersion(0) {
            return Err(MetadataError::NoMetadataVersion { path });
        }
        Ok(Bootstrap { records, level, is_from_kafka: true })
    }

    /// Raises the epoch above every one seen.
    fn write_epoch(
        &mut self,
        disk: &Arc<dyn Disk>,
        directory: &Path,
        node: &NodeConfig,
    ) -> Result<(), MetadataError> {
        let seen = self.quorum_state.leader_epoch.max(self.log.last_epoch()).max(0);
        let epoch = seen.saturating_add(1);
        let data_version = i16::from(self.quorum.voter_directory.is_some());
        let state = QuorumState { leader_epoch: epoch, data_version, voters: Vec::new() };
        let path = directory.join(quorum_state::FILE_NAME);
        // Whether the old or the new name is there after a power cut does not matter: the log knows its epochs too.
        put_in_place(&**disk, &path.with_extension("tmp"), &path, state.to_text(node.node_id).as_bytes())?;
        self.log.start_epoch(epoch);
        Ok(())
    }

    /// Hands records to the log and applies them.
    fn push(&mut self, records: Vec<VersionedRecord>, now_ms: i64) -> Result<(), MetadataError> {
        let offset = self.log.next_offset();
        self.log.push(&records, now_ms)?;
        for (record, _) in records {
            self.replay.record(record).map_err(|reason| MetadataError::Corrupt {
                path: self.log.directory().to_path_buf(),
                offset,
                reason,
            })?;
        }
        Ok(())
    }
}

/// The first records of a fresh directory.
#[derive(Default)]
struct Bootstrap {
    records: Vec<VersionedRecord>,
    level: MetadataVersion,
    is_from_kafka: bool,
}

/// Reads the quorum's state. The log knows its epochs too, so a damaged file is no harm.
fn read_quorum_state(disk: &Arc<dyn Disk>, directory: &Path) -> Result<QuorumState, MetadataError> {
    let path = directory.join(quorum_state::FILE_NAME);
    match disk.read(&path) {
        Ok(bytes) => {
            Ok(QuorumState::parse(&path, &String::from_utf8_lossy(&bytes)).unwrap_or_else(|error| {
                warn!(%error, "the quorum's state is damaged; the epochs of the log are used");
                QuorumState::default()
            }))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(QuorumState::default()),
        Err(error) => Err(StorageError::io("read", path, error).into()),
    }
}

fn abort_transaction() -> VersionedRecord {
    (MetadataLogRecord::AbortTransaction(AbortTransactionRecord::default()), 0)
}

/// Where Kafka's storage tool leaves the first records of a directory, beside the metadata log's directory.
const BOOTSTRAP_FILE: &str = "bootstrap.checkpoint";
/// How many records go into one batch of a start.
const RECORDS_PER_BATCH: usize = 10_000;

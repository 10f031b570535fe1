//! Reading what is there: the newest sound checkpoint, and each record of it and of the log.

use std::{path::Path, sync::Arc};

use headwater_codec::{
    Message, Offset,
    records::{ControlRecordType, MetadataLogRecord, VotersRecord},
};
use tracing::warn;
use uuid::Uuid;

use super::super::{
    batch::LogRecord,
    checkpoint::{CheckpointId, read_checkpoint},
    error::{CorruptMetadata, MetadataError},
    features::{MAX_METADATA_VERSION, METADATA_VERSION, MIN_METADATA_VERSION},
    image::MetadataImage,
    node::NodeConfig,
    replay::Replay,
};
use crate::{Disk, StorageError};

/// What the control records say of the quorum.
#[derive(Debug, Default)]
pub(super) struct Quorum {
    /// The voter's directory, once voters stand in the log.
    pub(super) voter_directory: Option<Uuid>,
    /// Whether that was read from the log itself or from a checkpoint of it, not only from the formatted directory.
    pub(super) is_in_log: bool,
}

/// A checkpoint that was read.
#[derive(Default)]
pub(super) struct Checkpoint {
    pub(super) id: CheckpointId,
    pub(super) replay: Replay,
    pub(super) quorum: Quorum,
    pub(super) last_timestamp_ms: i64,
    /// Why a newer one could not be read.
    pub(super) failure: Option<MetadataError>,
}

/// Finds every checkpoint, and reads the newest that is sound.
pub(super) fn newest_checkpoint(
    disk: &Arc<dyn Disk>,
    directory: &Path,
    node: &NodeConfig,
    empty: &MetadataImage,
) -> Result<(Vec<CheckpointId>, Option<Checkpoint>), MetadataError> {
    let entries = disk.list(directory).map_err(|error| StorageError::io("list", directory, error))?;
    let mut ids: Vec<_> = entries.iter().filter_map(|entry| CheckpointId::parse(&entry.name)).collect();
    ids.sort_unstable();
    let mut failure = None;
    for id in ids.iter().rev() {
        let path = id.path(directory);
        let bytes = disk.read(&path).map_err(|error| StorageError::io("read", &path, error))?;
        let mut replay = Replay::new(empty.clone());
        let mut quorum = Quorum { is_in_log: *id != CheckpointId::FORMATTED, ..Quorum::default() };
        let read = read_checkpoint(&path, &bytes, |offset, record| {
            replay_one(&path, node, &mut replay, &mut quorum, offset, record)
        });
        match read {
            Ok(last_timestamp_ms) => {
                // Of topics that were deleted before, the leader epochs are not known; no epoch exceeds an offset.
                replay.image.leader_epoch_floor = i32::try_from(id.end_offset).unwrap_or(i32::MAX);
                let checkpoint = Checkpoint { id: *id, replay, quorum, last_timestamp_ms, failure };
                return Ok((ids, Some(checkpoint)));
            }
            Err(error @ MetadataError::Corrupt { .. }) => {
                warn!(%error, path = %path.display(), "a checkpoint is damaged; an older one is tried");
                failure.get_or_insert(error);
            }
            Err(error) => return Err(error),
        }
    }
    match failure {
        // A formatted directory whose only checkpoint is damaged was never served from.
        Some(error) if ids != [CheckpointId::FORMATTED] => Ok((
            ids,
            Some(Checkpoint {
                replay: Replay::new(empty.clone()),
                failure: Some(error),
                ..Default::default()
            }),
        )),
        _ => Ok((ids, None)),
    }
}

/// Applies one record of the log or of a checkpoint.
pub(super) fn replay_one(
    path: &Path,
    node: &NodeConfig,
    replay: &mut Replay,
    quorum: &mut Quorum,
    offset: Offset,
    record: LogRecord,
) -> Result<(), MetadataError> {
    let corrupt = |reason| MetadataError::Corrupt { path: path.to_path_buf(), offset, reason };
    match record {
        LogRecord::Control { kind: ControlRecordType::KRaftVoters, value } => {
            let voters = VotersRecord::decode_body(value, 0)
                .map_err(|error| corrupt(CorruptMetadata::Record(Arc::new(error))))?
                .voters;
            check_voters(path, node.node_id, voters.iter().map(|voter| voter.voter_id.get()))?;
            quorum.voter_directory = voters.first().map(|voter| voter.voter_directory_id);
            Ok(())
        }
        LogRecord::Control { .. } => Ok(()),
        LogRecord::Metadata(record) => {
            if let MetadataLogRecord::FeatureLevel(feature) = record.as_ref() {
                check_level(path, &feature.name, feature.feature_level)?;
            }
            replay.record(*record).map_err(corrupt)
        }
    }
}

fn check_level(path: &Path, feature: &str, level: i16) -> Result<(), MetadataError> {
    if feature == METADATA_VERSION && !(MIN_METADATA_VERSION..=MAX_METADATA_VERSION).contains(&level) {
        let (min, max) = (MIN_METADATA_VERSION, MAX_METADATA_VERSION);
        return Err(MetadataError::UnsupportedMetadataVersion { path: path.to_path_buf(), level, min, max });
    }
    Ok(())
}

pub(super) fn check_voters(
    path: &Path,
    node_id: i32,
    mut voters: impl Iterator<Item = i32>,
) -> Result<(), MetadataError> {
    match voters.find(|voter| *voter != node_id) {
        Some(voter) => Err(MetadataError::ForeignVoter { path: path.to_path_buf(), voter, node_id }),
        None => Ok(()),
    }
}

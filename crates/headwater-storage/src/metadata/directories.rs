//! The log directories and whose they are: every `meta.properties` read, checked against the others, and written.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use uuid::Uuid;

use super::{
    error::MetadataError,
    kafka_uuid::{IdSource, uuid_to_text},
    node::NodeConfig,
    properties::{FILE_NAME, MetaProperties},
};
use crate::{Disk, StorageError};

/// The metadata log's directory, in `metadata.log.dir` or the first of `log.dirs`.
pub(crate) const METADATA_LOG_DIRECTORY: &str = "__cluster_metadata-0";

/// The directories of one node, all of them of one cluster.
#[derive(Clone, Debug)]
pub(crate) struct Directories {
    pub(crate) cluster_id: String,
    /// The ids of `log.dirs`, in that order.
    pub(crate) log_dir_ids: Vec<Uuid>,
    /// The id of the directory that holds the metadata log.
    pub(crate) metadata_dir_id: Uuid,
    /// The metadata log's own directory.
    pub(crate) metadata_log: PathBuf,
}

impl Directories {
    /// Reads every directory's properties and writes those that are not there yet.
    ///
    /// When it returns, every `meta.properties` and the entry of the metadata log's directory are durable.
    pub(crate) fn open(
        disk: &Arc<dyn Disk>,
        log_dirs: &[PathBuf],
        metadata_dir: &Path,
        node: &NodeConfig,
        ids: &mut impl IdSource,
    ) -> Result<Self, MetadataError> {
        let mut all: Vec<&Path> = log_dirs.iter().map(PathBuf::as_path).collect();
        if !all.contains(&metadata_dir) {
            all.push(metadata_dir);
        }
        let mut found = Vec::with_capacity(all.len());
        for dir in &all {
            found.push(read(disk, dir)?);
        }
        let cluster_id = agree(&all, &found, node)?.unwrap_or_else(|| match &node.cluster_id {
            Some(cluster_id) => cluster_id.clone(),
            None => uuid_to_text(ids.new_id()),
        });
        let metadata_log = metadata_dir.join(METADATA_LOG_DIRECTORY);
        let mut dir_ids = Vec::with_capacity(all.len());
        for (dir, found) in all.iter().zip(found) {
            let is_new = found.as_ref().is_none_or(|properties| properties.directory_id.is_none());
            let directory_id = match found.and_then(|properties| properties.directory_id) {
                Some(id) => id,
                None => ids.new_id(),
            };
            dir_ids.push(directory_id);
            let has_metadata_log = *dir == metadata_dir;
            if is_new {
                if has_metadata_log {
                    refuse_orphan(disk, dir, &metadata_log)?;
                }
                let properties = MetaProperties {
                    cluster_id: cluster_id.clone(),
                    node_id: node.node_id,
                    directory_id: Some(directory_id),
                };
                write(disk, dir, &properties, has_metadata_log.then_some(&metadata_log))?;
            } else if has_metadata_log && !exists(disk, &metadata_log)? {
                disk.create_dir(&metadata_log).map_err(|e| StorageError::io("create", &metadata_log, e))?;
                disk.sync_dir(dir).map_err(|e| StorageError::io("sync", *dir, e))?;
            }
        }
        let metadata_place = all.iter().position(|dir| *dir == metadata_dir).unwrap_or_default();
        let metadata_dir_id = dir_ids[metadata_place];
        dir_ids.truncate(log_dirs.len());
        Ok(Self { cluster_id, log_dir_ids: dir_ids, metadata_dir_id, metadata_log })
    }
}

fn read(disk: &Arc<dyn Disk>, dir: &Path) -> Result<Option<MetaProperties>, MetadataError> {
    let path = dir.join(FILE_NAME);
    match disk.read(&path) {
        Ok(bytes) => MetaProperties::parse(&path, &String::from_utf8_lossy(&bytes)).map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StorageError::io("read", path, error).into()),
    }
}

/// Gives the cluster id that all agree on; `None` when no directory has one.
fn agree(
    dirs: &[&Path],
    found: &[Option<MetaProperties>],
    node: &NodeConfig,
) -> Result<Option<String>, MetadataError> {
    let mut cluster_id = node.cluster_id.clone();
    let mut was_found = false;
    for (place, (dir, properties)) in dirs.iter().zip(found).enumerate() {
        let Some(properties) = properties else { continue };
        let wrong = |key, found: String, expected: String| MetadataError::Properties {
            path: dir.join(FILE_NAME),
            key,
            found,
            expected,
        };
        if properties.node_id != node.node_id {
            return Err(wrong("node.id", properties.node_id.to_string(), node.node_id.to_string()));
        }
        let expected = cluster_id.get_or_insert_with(|| properties.cluster_id.clone());
        if *expected != properties.cluster_id {
            return Err(wrong("cluster.id", properties.cluster_id.clone(), expected.clone()));
        }
        was_found = true;
        let is_double = |other: &Option<MetaProperties>| {
            other.as_ref().is_some_and(|other| other.directory_id == properties.directory_id)
        };
        if let Some(id) = properties.directory_id.filter(|_| found[..place].iter().any(is_double)) {
            return Err(wrong("directory.id", uuid_to_text(id), "an id that no other directory has".into()));
        }
    }
    Ok(cluster_id.filter(|_| was_found))
}

/// A metadata log in a directory that is nobody's was put there by hand, or its `meta.properties` was removed.
fn refuse_orphan(disk: &Arc<dyn Disk>, dir: &Path, metadata_log: &Path) -> Result<(), MetadataError> {
    if exists(disk, &dir.join(FILE_NAME))? || !exists(disk, metadata_log)? {
        return Ok(());
    }
    let entries = disk.list(metadata_log).map_err(|error| StorageError::io("list", metadata_log, error))?;
    if entries.is_empty() {
        return Ok(());
    }
    Err(MetadataError::Properties {
        path: dir.join(FILE_NAME),
        key: "version",
        found: "missing".into(),
        expected: "1, because a metadata log is there".into(),
    })
}

/// Writes a directory's properties. Its entries are durable afterwards, the metadata log's directory among them.
fn write(
    disk: &Arc<dyn Disk>,
    dir: &Path,
    properties: &MetaProperties,
    metadata_log: Option<&PathBuf>,
) -> Result<(), MetadataError> {
    let parent = match dir.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Some(Path::new(".")),
        parent => parent,
    };
    disk.create_dir(dir).map_err(|error| StorageError::io("create", dir, error))?;
    if let Some(metadata_log) = metadata_log {
        disk.create_dir(metadata_log).map_err(|error| StorageError::io("create", metadata_log, error))?;
    }
    let path = dir.join(FILE_NAME);
    disk.replace(&path, properties.to_text().as_bytes(), true)
        .map_err(|error| StorageError::io("write", path, error))?;
    // The directory may be new as well, whoever made it.
    if let Some(parent) = parent {
        disk.sync_dir(parent).map_err(|error| StorageError::io("sync", parent, error))?;
    }
    Ok(())
}

fn exists(disk: &Arc<dyn Disk>, path: &Path) -> Result<bool, MetadataError> {
    Ok(disk.exists(path).map_err(|error| StorageError::io("look for", path, error))?)
}

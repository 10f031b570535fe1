//! The native engine of a broker: opened at start when its directories are there, else with the first native topic.

use std::{fs, path::PathBuf, sync::Arc};

use headwater_storage::{
    Clock, DirLock, Disk, ImageSink, LocalLogOptions, LocalLogStore, LocalMetadataStore, MetadataError,
    MetadataStore, NativeEngine, NativeStores, NodeConfig, StorageError,
};
use parking_lot::Mutex;

use super::{RandomIds, log_options};
use crate::{broker::StartError, config::Config};

/// The native engine, open if there is something in it. Blocks.
pub(super) fn engine(
    config: &Config,
    node: NodeConfig,
    disk: Arc<dyn Disk>,
    clock: Arc<dyn Clock>,
    images: ImageSink,
) -> Result<Arc<NativeEngine>, StartError> {
    let dirs = config.native_dirs.clone();
    let is_there = dirs.iter().any(|dir| dir.join("meta.properties").exists());
    let options = log_options(config, dirs);
    let locks = Mutex::new(Vec::new());
    let engine = NativeEngine::new(move || {
        let taken = lock(&options.dirs)?;
        let stores = open(&options, node.clone(), disk.clone(), clock.clone(), images.clone())?;
        // Held until the engine is dropped, when everything in the directories is closed.
        *locks.lock() = taken;
        Ok(stores)
    });
    if is_there {
        engine.open_now()?;
    }
    Ok(engine)
}

fn open(
    options: &LocalLogOptions,
    node: NodeConfig,
    disk: Arc<dyn Disk>,
    clock: Arc<dyn Clock>,
    images: ImageSink,
) -> Result<NativeStores, MetadataError> {
    // Logs first: once an image is published, topics in it are put there.
    let logs = LocalLogStore::open(disk.clone(), clock.clone(), options.clone())?;
    let metadata =
        LocalMetadataStore::open_publishing(disk, &options.dirs, None, node, clock, RandomIds, images)?;
    logs.set_broker_epoch(metadata.image().broker_epoch());
    Ok(NativeStores { metadata, logs })
}

/// Makes the directories and locks them.
fn lock(dirs: &[PathBuf]) -> Result<Vec<DirLock>, StorageError> {
    let make = |dir: &PathBuf| {
        fs::create_dir_all(dir).map_err(|error| StorageError::Io {
            op: "make the directory",
            path: dir.clone(),
            source: Arc::new(error),
        })?;
        DirLock::acquire(dir)
    };
    dirs.iter().map(make).collect()
}

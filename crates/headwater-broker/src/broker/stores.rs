//! The stores of a broker: directories locked, metadata and logs opened, and closed again.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use headwater_storage::{
    CleanerOptions, Clock, DirLock, Disk, Endpoint, IdSource, ImageSink, LocalLogOptions, LocalLogStore,
    LocalMetadataStore, LogStore, MergedImages, MetaProperties, MetadataStore, NativeEngine, NodeConfig,
    OsDisk, RoutedLogStore, RoutedMetadataStore,
};
use tokio::{sync::watch, task::spawn_blocking};

use super::StartError;
use crate::config::Config;

mod native;

/// The stores that a broker serves from.
#[derive(Clone)]
pub struct ServedStores {
    /// Topics, ids, configs, credentials, quotas, producer ids.
    pub metadata: Arc<dyn MetadataStore>,
    /// Records.
    pub logs: Arc<dyn LogStore>,
    /// Whether what is behind the stores answers, for `/ready`; `None` for stores that always do.
    pub ready: Option<watch::Receiver<bool>>,
}

/// Open stores and the locks on their directories.
pub(super) struct Stores {
    pub(super) served: ServedStores,
    local: Arc<RoutedLogStore>,
    images: Arc<MergedImages>,
    /// Holds the native engine's locks.
    _native: Arc<NativeEngine>,
    /// Released last, when everything in the directories is closed.
    _locks: Vec<DirLock>,
}

/// Open metadata without logs, and the locks on all directories.
pub(crate) struct MetadataAlone {
    metadata: Arc<dyn MetadataStore>,
    /// Released last, when everything in the directories is closed.
    _locks: Vec<DirLock>,
}

impl MetadataAlone {
    /// Makes and locks the directories and opens the metadata in them. Blocks.
    pub(crate) fn open(
        config: &Config,
        endpoints: Vec<Endpoint>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, StartError> {
        let nobody = Arc::new(MergedImages::default()).kafka();
        let OpenMetadata { metadata, locks, .. } = OpenMetadata::open(config, endpoints, clock, nobody)?;
        Ok(Self { metadata: Arc::new(metadata), _locks: locks })
    }

    /// The metadata.
    pub(crate) fn store(&self) -> &Arc<dyn MetadataStore> {
        &self.metadata
    }
}

/// Kafka's metadata log, open, with what it was opened as and the locks on the directories.
struct OpenMetadata {
    metadata: LocalMetadataStore,
    node: NodeConfig,
    locks: Vec<DirLock>,
}

impl OpenMetadata {
    fn open(
        config: &Config,
        endpoints: Vec<Endpoint>,
        clock: Arc<dyn Clock>,
        images: ImageSink,
    ) -> Result<Self, StartError> {
        let metadata_dir = config.metadata_log_dir.as_deref().map(Path::new);
        let mut locks = Vec::new();
        for dir in config.log_dirs.iter().map(|dir| dir.as_path()).chain(metadata_dir) {
            fs::create_dir_all(dir)
                .map_err(|source| StartError::Directory { path: dir.to_owned(), source })?;
            let is_held =
                |lock: &DirLock| fs::canonicalize(dir).is_ok_and(|dir| lock.path().parent() == Some(&dir));
            if !locks.iter().any(is_held) {
                locks.push(DirLock::acquire(dir)?);
            }
        }
        let node = NodeConfig {
            cluster_id: config.cluster_id.clone(),
            endpoints,
            rack: config.broker_rack.clone(),
            snapshot_after_bytes: config.metadata_log_max_record_bytes_between_snapshots,
            snapshot_after_ms: config.metadata_log_max_snapshot_interval_ms,
            ..NodeConfig::new(config.node_id.or_else(|| known_node_id(config)).unwrap_or(DEFAULT_NODE_ID))
        };
        let metadata = LocalMetadataStore::open_publishing(
            Arc::new(OsDisk),
            &config.log_dirs,
            metadata_dir,
            node.clone(),
            clock,
            RandomIds,
            images,
        )?;
        Ok(Self { metadata, node, locks })
    }
}

impl Stores {
    /// Makes and locks the directories and opens what is in them. Blocks.
    pub(super) fn open(
        config: &Config,
        endpoints: Vec<Endpoint>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, StartError> {
        let images = Arc::new(MergedImages::default());
        let OpenMetadata { metadata, node, locks } =
            OpenMetadata::open(config, endpoints, clock.clone(), images.kafka())?;
        let disk: Arc<dyn Disk> = Arc::new(OsDisk);
        let options = log_options(config, config.log_dirs.clone());
        let logs = LocalLogStore::open(disk.clone(), clock.clone(), options)?;
        logs.set_broker_epoch(metadata.image().broker_epoch());
        let node = NodeConfig { cluster_id: Some(metadata.image().cluster_id().to_owned()), ..node };
        let native = native::engine(config, node, disk, clock, images.native())?;
        let local = Arc::new(RoutedLogStore::new(logs, native.clone()));
        let metadata = RoutedMetadataStore::new(metadata, native.clone(), images.clone());
        let served = ServedStores { metadata: Arc::new(metadata), logs: local.clone(), ready: None };
        Ok(Self { served, local, images, _native: native, _locks: locks })
    }

    /// Serves from what `layer` makes of the local stores.
    pub(super) fn layered(self, layer: impl FnOnce(ServedStores) -> ServedStores) -> Self {
        Self { served: layer(self.served), ..self }
    }

    /// Sets directories aside that belong to no topic. To be called when the log store knows every topic.
    pub(super) async fn set_strays_aside(&self) -> Result<(), StartError> {
        let logs = self.local.clone();
        // Those of a topic that is out of service are not in the log store.
        let native = !self.images.hides_a_topic();
        let count = spawn_blocking(move || logs.set_strays_aside(native)).await??;
        if count > 0 {
            tracing::warn!(count, "directories of topics that are not in the metadata were renamed");
        }
        Ok(())
    }

    /// The log store as itself, for what only a local one can tell.
    pub(super) fn local_logs(&self) -> Arc<RoutedLogStore> {
        self.local.clone()
    }

    /// Closes the logs, then the metadata, then lets go of the directories.
    pub(super) async fn close(self) -> Result<(), StartError> {
        let logs = self.served.logs.close().await;
        let metadata = self.served.metadata.close().await;
        logs?;
        metadata?;
        Ok(())
    }
}

/// How a log store works that keeps its partitions in `dirs`.
fn log_options(config: &Config, dirs: Vec<PathBuf>) -> LocalLogOptions {
    LocalLogOptions {
        dirs,
        flush_policy: config.flush_policy,
        retention_check_interval_ms: config.log_retention_check_interval_ms,
        producer_id_expiration_ms: i64::try_from(config.producer_id_expiration_ms).unwrap_or(i64::MAX),
        producer_id_check_interval_ms: config.producer_id_expiration_check_interval_ms,
        cleaner: cleaner_options(config),
        ..LocalLogOptions::default()
    }
}

/// The node that the directories belong to already. What is wrong with them is told when they are opened.
fn known_node_id(config: &Config) -> Option<i32> {
    config.log_dirs.iter().find_map(|dir| {
        let path = dir.join("meta.properties");
        let text = fs::read_to_string(&path).ok()?;
        Some(MetaProperties::parse(&path, &text).ok()?.node_id)
    })
}

fn cleaner_options(config: &Config) -> CleanerOptions {
    CleanerOptions {
        enable: config.log_cleaner_enable,
        threads: config.log_cleaner_threads,
        backoff_ms: config.log_cleaner_backoff_ms,
        dedupe_buffer_size: config.log_cleaner_dedupe_buffer_size,
        dedupe_load_factor: config.log_cleaner_io_buffer_load_factor,
        io_buffer_size: config.log_cleaner_io_buffer_size,
        io_max_bytes_per_second: config.log_cleaner_io_max_bytes_per_second,
        unpacked_bytes_max: config.max_decompressed_message_bytes,
        secret: rand::random(),
    }
}

/// Ids from the thread's random source.
struct RandomIds;

impl IdSource for RandomIds {
    fn random_bytes(&mut self) -> [u8; 16] {
        rand::random()
    }
}

/// The id of a node whose directories are new and whose configuration leaves the choice to us.
const DEFAULT_NODE_ID: i32 = 1;

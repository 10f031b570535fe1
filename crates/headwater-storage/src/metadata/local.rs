//! The local metadata store: Kafka's metadata log in a directory of this node.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, mpsc},
    thread::{self, JoinHandle},
};

use headwater_codec::ProducerId;
use parking_lot::Mutex;
use tokio::sync::{oneshot, watch};
use uuid::Uuid;

use super::{
    command::{Command, CommandKind},
    error::MetadataError,
    image::MetadataImage,
    kafka_uuid::IdSource,
    node::NodeConfig,
    open,
    writer::Writer,
};
use crate::{
    Clock, ConfigResource, Disk, Fence, ImageSink, MetadataStore, NewTopic, Pending, QuotaChange,
    ScramChange, StorageError,
};

/// Broker metadata in Kafka's own metadata log, `__cluster_metadata-0`.
///
/// One thread writes. Calls that wait at the same moment share one sync; the image that holds them is published after
/// it, and then they are answered. The directory must be locked by the caller.
#[derive(Debug)]
pub struct LocalMetadataStore {
    images: watch::Receiver<Arc<MetadataImage>>,
    commands: Mutex<Option<mpsc::Sender<Command>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl LocalMetadataStore {
    /// Opens the metadata of the node whose `log.dirs` these are, and registers the node for this run.
    ///
    /// A fresh directory is formatted; one that Apache Kafka left is gone on with. The metadata log lies in
    /// `metadata_dir` (`metadata.log.dir`), or in the first log directory. When this returns, everything that was
    /// written is durable, the node is registered and unfenced, and every partition has a new leader epoch.
    ///
    /// # Errors
    /// [`MetadataError::Properties`] when a directory is another node's or cluster's, [`MetadataError::Corrupt`],
    /// [`MetadataError::UnsupportedMetadataVersion`], [`MetadataError::NoMetadataVersion`] and
    /// [`MetadataError::ForeignVoter`] when the metadata cannot be used, and [`MetadataError::Storage`].
    pub fn open(
        disk: Arc<dyn Disk>,
        log_dirs: &[PathBuf],
        metadata_dir: Option<&Path>,
        node: NodeConfig,
        clock: Arc<dyn Clock>,
        ids: impl IdSource,
    ) -> Result<Self, MetadataError> {
        let writer = open::open(disk, log_dirs, metadata_dir, node, clock, ids)?;
        Self::start(writer)
    }

    /// As [`LocalMetadataStore::open`], and `sink` gets the first image and each newer one, before whoever asked for the
    /// change is answered.
    ///
    /// # Errors
    /// As [`LocalMetadataStore::open`].
    pub fn open_publishing(
        disk: Arc<dyn Disk>,
        log_dirs: &[PathBuf],
        metadata_dir: Option<&Path>,
        node: NodeConfig,
        clock: Arc<dyn Clock>,
        ids: impl IdSource,
        sink: ImageSink,
    ) -> Result<Self, MetadataError> {
        let writer = open::open(disk, log_dirs, metadata_dir, node, clock, ids)?;
        Self::start(writer.publishing_to(sink))
    }

    fn start(writer: Writer<impl IdSource>) -> Result<Self, MetadataError> {
        let images = writer.watch();
        let (commands, received) = mpsc::channel();
        let thread = thread::Builder::new()
            .name("metadata".into())
            .stack_size(THREAD_STACK_BYTES)
            .spawn(move || writer.run(&received))
            .map_err(|error| StorageError::io("start a thread for", "metadata", error))?;
        Ok(Self { images, commands: Mutex::new(Some(commands)), thread: Mutex::new(Some(thread)) })
    }

    /// Hands a command to the writer; its answer comes when it is durable.
    fn send<T: Unpin + Send + 'static>(
        &self,
        fence: Fence,
        kind: impl FnOnce(oneshot::Sender<Result<T, MetadataError>>) -> CommandKind,
    ) -> Pending<Result<T, MetadataError>> {
        let (answer, answered) = oneshot::channel();
        let command = Command { fence, kind: kind(answer) };
        let is_sent = self.commands.lock().as_ref().is_some_and(|commands| commands.send(command).is_ok());
        if !is_sent {
            return Pending::ready(Err(MetadataError::Closed));
        }
        Pending::waiting(async move { answered.await.unwrap_or(Err(MetadataError::Closed)) })
    }
}

impl MetadataStore for LocalMetadataStore {
    fn image(&self) -> Arc<MetadataImage> {
        Arc::clone(&self.images.borrow())
    }

    fn watch(&self) -> watch::Receiver<Arc<MetadataImage>> {
        self.images.clone()
    }

    fn create_topic(&self, topic: NewTopic, fence: Fence) -> Pending<Result<Uuid, MetadataError>> {
        self.send(fence, |answer| CommandKind::CreateTopic { topic, answer })
    }

    fn delete_topic(&self, topic_id: Uuid, fence: Fence) -> Pending<Result<(), MetadataError>> {
        self.send(fence, |answer| CommandKind::DeleteTopic { topic_id, answer })
    }

    fn create_partitions(
        &self,
        topic_id: Uuid,
        partition_count: i32,
        fence: Fence,
    ) -> Pending<Result<(), MetadataError>> {
        self.send(fence, |answer| CommandKind::CreatePartitions { topic_id, partition_count, answer })
    }

    fn alter_configs(
        &self,
        resource: ConfigResource,
        changes: Vec<(String, Option<String>)>,
        fence: Fence,
    ) -> Pending<Result<(), MetadataError>> {
        self.send(fence, |answer| CommandKind::AlterConfigs { resource, changes, answer })
    }

    fn alter_scram_credentials(
        &self,
        changes: Vec<ScramChange>,
        fence: Fence,
    ) -> Pending<Result<(), MetadataError>> {
        self.send(fence, |answer| CommandKind::AlterScramCredentials { changes, answer })
    }

    fn alter_client_quotas(
        &self,
        changes: Vec<QuotaChange>,
        fence: Fence,
    ) -> Pending<Result<(), MetadataError>> {
        self.send(fence, |answer| CommandKind::AlterClientQuotas { changes, answer })
    }

    fn allocate_producer_ids(&self, count: i32, fence: Fence) -> Pending<Result<ProducerId, MetadataError>> {
        self.send(fence, |answer| CommandKind::AllocateProducerIds { count, answer })
    }

    /// Fences this node, so that the next start, ours or Kafka's, need not wait for it, and closes the log.
    fn close(&self) -> Pending<Result<(), MetadataError>> {
        let closed = self.send(Fence(i32::MAX), |answer| CommandKind::Close { answer });
        *self.commands.lock() = None;
        closed
    }
}

impl Drop for LocalMetadataStore {
    fn drop(&mut self) {
        *self.commands.lock() = None;
        if let Some(thread) = self.thread.lock().take() {
            // The thread ends when its channel does; whatever made it fail was logged and answered.
            let _ended = thread.join();
        }
    }
}

/// The writer needs little: replay, its deepest work, is over before it starts.
const THREAD_STACK_BYTES: usize = 512 * 1024;

#[cfg(test)]
mod tests;

//! Headwater's stores over an Iggy server: topics and records are Iggy's, everything else stays in the local stores.
//!
//! [`IggyStores::over`] puts them over the local ones: what belongs to the broker itself (its ids, producer ids, users,
//! quotas and, unless told otherwise, the offsets of groups) stays there. It returns at once; until Iggy answers there
//! are no topics but the internal ones, and later on what fails because Iggy does not answer is worth another try.

mod convert;
mod directory;
mod find;
mod follow;
mod link;
mod logs;
mod mapping;
mod metadata;
mod partition;
mod read;
mod sender;
mod topic_id;

use std::sync::Arc;

use headwater_storage::{LogStore, MetadataStore};
use tokio::{sync::watch, task::JoinHandle};

use self::{directory::Directory, link::Links};
pub use self::{
    link::IggyServer,
    logs::IggyLogStore,
    mapping::{MappingError, TopicMapping},
    metadata::IggyMetadataStore,
    topic_id::topic_id,
};
use crate::BatchLimits;

/// How to speak to Iggy, and about what.
#[derive(Clone, Debug)]
pub struct IggyOptions {
    /// The server and who we are there.
    pub server: IggyServer,
    /// Which stream and topic of Iggy is which topic of Kafka.
    pub mapping: TopicMapping,
    /// What one batch may unfold to.
    pub limits: BatchLimits,
    /// Connections for sends, and as many again for polls; at least 1.
    pub connections: usize,
    /// Whether the internal topics (offsets of groups) are Iggy's too, not the local store's.
    pub internal_topics: bool,
}

/// The stores over one Iggy server.
pub struct IggyStores {
    /// Topics.
    pub metadata: Arc<dyn MetadataStore>,
    /// Records.
    pub logs: Arc<dyn LogStore>,
    /// Whether Iggy answers.
    pub ready: watch::Receiver<bool>,
}

impl std::fmt::Debug for IggyStores {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IggyStores").field("ready", &*self.ready.borrow()).finish_non_exhaustive()
    }
}

impl IggyStores {
    /// Stores over `options.server`, with the local ones beneath. Needs a tokio runtime.
    pub fn over(
        options: IggyOptions,
        local_metadata: Arc<dyn MetadataStore>,
        local_logs: Arc<dyn LogStore>,
    ) -> Self {
        let (ready_tell, ready) = watch::channel(false);
        let (images, _) = watch::channel(local_metadata.image());
        let shared = Arc::new(Shared {
            links: Links::new(&options),
            directory: Directory::default(),
            options,
            local_metadata,
            local_logs,
            images,
            ready: ready_tell,
            refreshing: tokio::sync::Mutex::new(()),
            follower: parking_lot::Mutex::new(None),
        });
        *shared.follower.lock() = Some(tokio::spawn(follow::follow(Arc::downgrade(&shared))));
        Self {
            metadata: Arc::new(IggyMetadataStore::new(shared.clone())),
            logs: Arc::new(IggyLogStore::new(shared)),
            ready,
        }
    }
}

/// What both stores share.
pub(crate) struct Shared {
    options: IggyOptions,
    links: Links,
    directory: Directory,
    local_metadata: Arc<dyn MetadataStore>,
    local_logs: Arc<dyn LogStore>,
    images: watch::Sender<Arc<headwater_storage::MetadataImage>>,
    ready: watch::Sender<bool>,
    /// Held while the directory is brought in step with Iggy.
    refreshing: tokio::sync::Mutex<()>,
    follower: parking_lot::Mutex<Option<JoinHandle<()>>>,
}

impl Shared {
    /// Stops what runs in the background.
    fn stop(&self) {
        if let Some(follower) = self.follower.lock().take() {
            follower.abort();
        }
        self.directory.clear();
    }
}

/// What is named in messages.
const STORE: &str = "Iggy";

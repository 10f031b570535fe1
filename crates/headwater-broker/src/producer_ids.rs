//! Ids for idempotent producers, never given twice (KIP-98).

use std::sync::Arc;

use headwater_codec::ProducerId;
use headwater_storage::{Fence, MetadataError, MetadataStore};

/// Hands out producer ids.
pub(crate) struct ProducerIds {
    metadata: Arc<dyn MetadataStore>,
}

impl ProducerIds {
    pub(crate) fn new(metadata: Arc<dyn MetadataStore>) -> Self {
        Self { metadata }
    }

    /// An id that nobody was or will be given.
    ///
    /// # Errors
    /// Whatever keeps the store from writing.
    pub(crate) async fn next(&self) -> Result<ProducerId, MetadataError> {
        self.metadata.allocate_producer_ids(1, Fence::default()).await
    }
}

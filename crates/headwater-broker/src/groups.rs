//! Consumer groups: the shell around the coordinator's machines.

use std::sync::Arc;

use crate::{config::Config, stopping::Stopping, topics::Topics};

/// Consumer groups.
pub(crate) struct Groups {}

impl Groups {
    /// Loads every group and begins to serve them. `__consumer_offsets` may not exist yet.
    pub(crate) async fn start(_config: Arc<Config>, _topics: Topics, _stopping: Stopping) -> Self {
        Self {}
    }

    /// Waits until everything that was begun is done.
    pub(crate) async fn close(&self) {}
}

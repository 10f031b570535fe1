//! What a connection that is pushed to waits for.

use std::time::Duration;

use futures_util::future::select_all;
use headwater_native::{ErrorCode, messages::RecordLayout};
use headwater_storage::Watermarks;
use tokio::{sync::watch, time::sleep};

use super::groups::Position;
use crate::topics::Partition;

/// The state of pushing.
#[derive(Debug, Default)]
pub(super) struct Push {
    layout: Option<RecordLayout>,
    /// What was pushed and has to reach the socket before it is committed.
    sent: Option<(u64, Vec<Position>)>,
    /// What to wait for when there was nothing to push.
    resting: bool,
    watched: Vec<watch::Receiver<Watermarks>>,
    told: Option<ErrorCode>,
}

impl Push {
    /// Records are pushed from now on, in this layout.
    pub(super) fn begin(&mut self, layout: RecordLayout) {
        self.layout = Some(layout);
        self.resting = false;
    }

    /// How records are laid out; `None` while nothing is pushed.
    pub(super) fn layout(&self) -> Option<RecordLayout> {
        self.layout
    }

    /// How much has to reach the socket before what was pushed is committed.
    pub(super) fn sent(&self) -> Option<u64> {
        self.sent.as_ref().map(|(mark, _)| *mark)
    }

    /// Records are on their way.
    pub(super) fn sending(&mut self, mark: u64, positions: Vec<Position>) {
        self.sent = Some((mark, positions));
        self.told = None;
    }

    /// They have reached the socket.
    pub(super) fn take_sent(&mut self) -> Vec<Position> {
        self.sent.take().map(|(_, positions)| positions).unwrap_or_default()
    }

    /// There is nothing to push at the moment.
    pub(super) fn rest(&mut self) {
        self.resting = true;
    }

    /// Whether the client was not told this already.
    pub(super) fn is_news(&mut self, code: ErrorCode) -> bool {
        self.told.replace(code) != Some(code)
    }

    /// What happens to these partitions from now on ends a rest.
    pub(super) fn watch(&mut self, partitions: &[Partition]) {
        self.watched.clear();
        for partition in partitions {
            // What cannot be watched cannot be read, and is told then.
            if let Ok(mut watermarks) = partition.watch() {
                watermarks.mark_unchanged();
                self.watched.push(watermarks);
            }
        }
    }

    /// Waits while there is nothing to push; not for ever, because partitions may come and go.
    pub(super) async fn wait(&mut self) {
        if !self.resting {
            return;
        }
        let changed = async {
            match &mut self.watched[..] {
                [] => std::future::pending().await,
                many => drop(select_all(many.iter_mut().map(|one| Box::pin(one.changed()))).await),
            }
        };
        tokio::select! {
            () = changed => {}
            () = sleep(REST_MAX) => {}
        }
        self.resting = false;
    }
}

/// How long to rest at most.
const REST_MAX: Duration = Duration::from_millis(500);

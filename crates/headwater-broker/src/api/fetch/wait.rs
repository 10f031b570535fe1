//! Waiting until there is more to read.

use std::time::Duration;

use futures_util::future::select_all;
use headwater_storage::Watermarks;
use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};

use super::read::find;
use crate::{context::Context, fetch_sessions::Wanted};

/// How long a fetch may wait, and what it waits on once it does.
pub(super) struct Wait {
    until: Instant,
    partitions: Option<Vec<watch::Receiver<Watermarks>>>,
}

impl Wait {
    /// Waits for up to `ms` milliseconds in all; not at all when that is negative.
    pub(super) fn new(ms: i32) -> Self {
        let wait = Duration::from_millis(u64::try_from(ms).unwrap_or(0));
        Self { until: Instant::now() + wait, partitions: None }
    }

    /// Waits until some partition may have more. `false` when the time is over, or the broker stops.
    ///
    /// The first call returns at once: only what happens after it is certain to be noticed, so everything has to be
    /// read once more.
    pub(super) async fn for_more(&mut self, cx: &Context, wanted: &[Wanted]) -> bool {
        if Instant::now() >= self.until || cx.stopping().has_begun() {
            return false;
        }
        let Some(partitions) = &mut self.partitions else {
            self.partitions = Some(wanted.iter().filter_map(|wanted| subscribe(cx, wanted)).collect());
            return true;
        };
        tokio::select! {
            () = changed(partitions) => true,
            () = sleep_until(self.until) => false,
            () = cx.stopping().begun() => false,
        }
    }
}

fn subscribe(cx: &Context, wanted: &Wanted) -> Option<watch::Receiver<Watermarks>> {
    // What fails here fails when it is read, and is told then.
    let mut watermarks = find(cx, &wanted.target).ok()?.watch().ok()?;
    watermarks.mark_unchanged();
    Some(watermarks)
}

/// Waits for a change of any of them; one that is gone counts as changed. For ever when there are none.
async fn changed(partitions: &mut [watch::Receiver<Watermarks>]) {
    match partitions {
        [] => std::future::pending().await,
        [one] => drop(one.changed().await),
        many => drop(select_all(many.iter_mut().map(|one| Box::pin(one.changed()))).await),
    }
}

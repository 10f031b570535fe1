//! What happens to groups without anybody asking: offsets expire, topics go.

use std::{collections::BTreeMap, time::Duration};

use headwater_codec::{TopicName, Uuid};
use headwater_coordinator::GroupShard;
use headwater_storage::MetadataImage;
use tokio::time::{MissedTickBehavior, interval};

use super::Groups;
use crate::stopping::Stopping;

impl Groups {
    /// Drops offsets that nobody uses, every `offsets.retention.check.interval.ms` (KIP-211).
    pub(super) async fn expire_offsets(self, stopping: Stopping) {
        let mut ticks =
            interval(Duration::from_millis(self.inner.config.offsets_retention_check_interval_ms.max(1)));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // The first tick comes at once, when nothing is loaded yet.
        ticks.tick().await;
        loop {
            tokio::select! {
                _ = ticks.tick() => self.change_all(GroupShard::expire_offsets),
                () = stopping.begun() => return,
            }
        }
    }

    /// Drops the offsets of topics as they are deleted.
    pub(super) async fn follow_topics(self, stopping: Stopping) {
        let mut images = self.inner.topics.metadata().watch();
        let mut before = ids(&images.borrow_and_update());
        loop {
            tokio::select! {
                changed = images.changed() => if changed.is_err() { return },
                () = stopping.begun() => return,
            }
            let after = ids(&images.borrow_and_update());
            let is_gone = |(id, _): &(&Uuid, &TopicName)| !after.contains_key(*id);
            let gone: Vec<(TopicName, Uuid)> =
                before.iter().filter(is_gone).map(|(id, name)| (name.clone(), *id)).collect();
            if !gone.is_empty() {
                self.change_all(|shard, now| shard.topics_deleted(&gone, now));
            }
            before = after;
        }
    }

    fn change_all(
        &self,
        mut change: impl FnMut(&mut GroupShard, headwater_coordinator::Now) -> headwater_coordinator::Effects,
    ) {
        // A shard that is still loading looks for topics that are gone when it is done.
        for shard in self.inner.shards.get().into_iter().flatten() {
            shard.change(&mut change);
        }
    }
}

fn ids(image: &MetadataImage) -> BTreeMap<Uuid, TopicName> {
    image.topics().map(|topic| (topic.id, topic.name.clone())).collect()
}

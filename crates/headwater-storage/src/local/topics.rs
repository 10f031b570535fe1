//! Topics come, grow, change and go.

use std::sync::Arc;

use headwater_codec::TopicIdPartition;
use uuid::Uuid;

use super::{Shared, Topic, on_io, partition_index};
use crate::{
    LogFormat, Pending, StorageError, TopicLog,
    partition::{Opening, Partition},
};

impl<F: LogFormat> Shared<F> {
    /// Brings the store in step with a topic. After an unclean stop its logs are checked before the answer comes.
    pub(super) fn put_topic(self: &Arc<Self>, topic: &TopicLog) -> Pending<Result<(), StorageError>> {
        if *self.closed.lock() {
            return Pending::ready(Err(StorageError::Closed));
        }
        let mut made = Vec::new();
        let known: Vec<Arc<Partition<F>>> = {
            let topics = self.topics.read();
            topics.get(&topic.topic_id).map_or_else(Vec::new, |known| known.partitions.clone())
        };
        for (partition, epoch) in known.iter().zip(&topic.leader_epochs) {
            partition.configure(&topic.config, *epoch);
        }
        {
            let mut topics = self.topics.write();
            let name = topic.name.as_str();
            let known = topics
                .entry(topic.topic_id)
                .or_insert_with(|| Topic { name: name.to_owned(), partitions: Vec::new() });
            for (index, epoch) in topic.leader_epochs.iter().enumerate().skip(known.partitions.len()) {
                let id = TopicIdPartition::new(topic.topic_id, partition_index(index));
                let (dir_index, exists) = self.place(&format!("{name}-{index}"));
                let opening = Opening {
                    config: Arc::clone(&topic.config),
                    leader_epoch: *epoch,
                    clean: self.clean,
                    exists,
                };
                let partition = Partition::new(self, id, name, dir_index, opening);
                if exists && !self.clean {
                    made.push(Arc::clone(&partition));
                }
                known.partitions.push(partition);
            }
        }
        if made.is_empty() {
            return Pending::ready(Ok(()));
        }
        let shared = Arc::clone(self);
        on_io(self, move || {
            // One partition that is damaged is offline; the others serve.
            shared.in_parallel(&made, |partition| drop(partition.open_now()));
            Ok(())
        })
    }

    /// Which directory a partition is in, and whether it is there; a new one goes where the fewest are.
    fn place(&self, directory: &str) -> (usize, bool) {
        if let Some(index) = self.dirs.iter().position(|dir| dir.has(directory)) {
            return (index, true);
        }
        let counts = self.dirs.iter().map(|dir| dir.partition_count());
        let index = counts.enumerate().min_by_key(|(_, count)| *count).map_or(0, |(index, _)| index);
        self.dirs[index].add_partition();
        (index, false)
    }

    /// Removes a topic's files. Checkpoints first, durably: the name may be given again, and what is noted for it must
    /// not be taken for the new topic's. Then the directories get another name, durably, and then they are emptied.
    pub(super) fn remove_topic(
        self: &Arc<Self>,
        topic_id: Uuid,
        partitions: &[Arc<Partition<F>>],
    ) -> Result<(), StorageError> {
        for partition in partitions {
            partition.remove();
        }
        let mut doomed = Vec::new();
        for (index, dir) in self.dirs.iter().enumerate() {
            let here: Vec<_> = partitions.iter().filter(|partition| partition.dir_index == index).collect();
            let keys: Vec<_> = here.iter().map(|partition| partition.key()).collect();
            self.forget_checkpoints(index, &keys)?;
            let mut renamed = false;
            for partition in here {
                if !self
                    .disk
                    .exists(&partition.dir)
                    .map_err(|e| StorageError::io("find", &partition.dir, e))?
                {
                    continue;
                }
                let side = self.side_name(&partition.dir, "delete")?;
                self.disk
                    .rename(&partition.dir, &side)
                    .map_err(|error| StorageError::io("rename", &partition.dir, error))?;
                dir.forget(partition.name.as_str());
                renamed = true;
                doomed.push(side);
            }
            if renamed {
                self.disk
                    .sync_dir(&dir.path)
                    .map_err(|error| StorageError::io("sync the directory", &dir.path, error))?;
            }
        }
        tracing::info!(%topic_id, directories = doomed.len(), "removed a topic");
        let shared = Arc::clone(self);
        self.io.submit(move || {
            for dir in doomed {
                if let Err(error) = shared.disk.remove_dir(&dir) {
                    tracing::warn!(dir = %dir.display(), %error, "a deleted topic's directory is not removed");
                }
            }
        });
        Ok(())
    }

    /// Sets directories aside that belong to no topic.
    pub(super) fn set_strays_aside(&self) -> Result<usize, StorageError> {
        let claimed: std::collections::HashSet<String> = {
            let topics = self.topics.read();
            let name = |topic: &Topic<F>, index| format!("{}-{index}", topic.name);
            topics
                .values()
                .flat_map(|topic| (0..topic.partitions.len()).map(move |index| name(topic, index)))
                .collect()
        };
        let mut count = 0;
        for (index, dir) in self.dirs.iter().enumerate() {
            let strays: Vec<String> =
                dir.names().into_iter().filter(|name| !claimed.contains(name)).collect();
            let keys: Vec<_> = strays.iter().filter_map(|name| super::dirs::partition_of(name)).collect();
            let keys: Vec<_> =
                keys.into_iter().map(|(topic, partition)| (topic.to_owned(), partition)).collect();
            self.forget_checkpoints(index, &keys)?;
            for name in &strays {
                let path = dir.path.join(name);
                let side = self.side_name(&path, "stray")?;
                tracing::warn!(from = %path.display(), to = %side.display(), "a directory of no topic is set aside");
                self.disk.rename(&path, &side).map_err(|error| StorageError::io("rename", &path, error))?;
                dir.forget(name);
                count += 1;
            }
            if !strays.is_empty() {
                self.disk
                    .sync_dir(&dir.path)
                    .map_err(|error| StorageError::io("sync the directory", &dir.path, error))?;
            }
        }
        Ok(count)
    }
}

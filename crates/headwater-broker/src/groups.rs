//! Consumer groups: the shell around the coordinator's machines.
//!
//! Each partition of `__consumer_offsets` is a shard: one set of machines behind a lock that is never held across an
//! await, and one task that persists what they want persisted, tells them how it went, and keeps their timers. Requests
//! put an event in and wait for the reply on a channel of their own.

mod housekeeping;
mod shard;

use std::{sync::Arc, time::Duration};

use headwater_codec::{ErrorCode, GroupId, TopicName, Uuid};
use headwater_coordinator::{
    CommitRequest, CommittedOffset, GroupConfig, GroupDescription, GroupEvent, HeartbeatRequest, JoinReply,
    JoinRequest, LeaveReply, LeaveRequest, ListedGroup, Reply, SyncReply, SyncRequest, partition_for,
};
use headwater_storage::{CoordinatorStore, LogCoordinatorStore, Shard as ShardIndex, SystemClock};
use parking_lot::Mutex;
use tokio::{
    sync::{OnceCell, Semaphore},
    task::JoinSet,
};

use self::shard::{Log, Shard};
use crate::{
    config::Config,
    stopping::{Stopper, Stopping, stopping},
    topics::{CONSUMER_OFFSETS, Topic, Topics},
};

/// Consumer groups. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Groups {
    inner: Arc<Inner>,
}

struct Inner {
    config: Arc<Config>,
    topics: Topics,
    /// There once `__consumer_offsets` exists.
    shards: OnceCell<Vec<Arc<Shard>>>,
    tasks: Mutex<JoinSet<()>>,
    /// Given when everybody who asks is gone: the tasks end after what is under way.
    closer: Stopper,
    closing: Stopping,
}

impl Groups {
    /// Begins to load every group there is; until a shard is loaded its groups are answered
    /// COORDINATOR_LOAD_IN_PROGRESS. `__consumer_offsets` need not exist yet.
    pub(crate) async fn start(config: Arc<Config>, topics: Topics, stopping: Stopping) -> Self {
        let (closer, closing) = self::stopping();
        let shards = OnceCell::new();
        let inner =
            Arc::new(Inner { config, topics, shards, tasks: Mutex::new(JoinSet::new()), closer, closing });
        let groups = Self { inner };
        if let Some(topic) = groups.inner.topics.by_name(CONSUMER_OFFSETS) {
            let shards = groups.begin(&topic, Log::Kept);
            // Nobody else knows of this cell yet.
            let _ = groups.inner.shards.set(shards);
        }
        let mut tasks = groups.inner.tasks.lock();
        tasks.spawn(groups.clone().expire_offsets(stopping.clone()));
        tasks.spawn(groups.clone().follow_topics(stopping));
        drop(tasks);
        groups
    }

    /// Waits until everything that was begun is done. Call it when nobody asks any more.
    pub(crate) async fn close(&self) {
        self.inner.closer.stop();
        let mut tasks = std::mem::take(&mut *self.inner.tasks.lock());
        while tasks.join_next().await.is_some() {}
    }

    /// Sees to it that there is a place for groups: creates `__consumer_offsets` if need be.
    pub(crate) async fn prepare(&self) -> Result<(), ErrorCode> {
        self.shards().await.map(|_| ())
    }

    /// A member joins. Waits for the rebalance.
    pub(crate) async fn join(&self, group: &GroupId, request: JoinRequest) -> Result<JoinReply, ErrorCode> {
        match self.ask(named(group)?, |token| GroupEvent::Join(token, request)).await? {
            Reply::Join(reply) => Ok(reply),
            _ => Err(ErrorCode::UnknownServerError),
        }
    }

    /// A member asks for its assignment. Waits for the leader's.
    pub(crate) async fn sync(&self, group: &GroupId, request: SyncRequest) -> Result<SyncReply, ErrorCode> {
        match self.ask(named(group)?, |token| GroupEvent::Sync(token, request)).await? {
            Reply::Sync(reply) => Ok(reply),
            _ => Err(ErrorCode::UnknownServerError),
        }
    }

    /// A member lives.
    pub(crate) async fn heartbeat(&self, group: &GroupId, request: HeartbeatRequest) -> ErrorCode {
        let asked = async { self.ask(named(group)?, |token| GroupEvent::Heartbeat(token, request)).await };
        match asked.await {
            Ok(Reply::Heartbeat(error)) | Err(error) => error,
            Ok(_) => ErrorCode::UnknownServerError,
        }
    }

    /// Members leave.
    pub(crate) async fn leave(
        &self,
        group: &GroupId,
        request: LeaveRequest,
    ) -> Result<LeaveReply, ErrorCode> {
        match self.ask(named(group)?, |token| GroupEvent::Leave(token, request)).await? {
            Reply::Leave(reply) => Ok(reply),
            _ => Err(ErrorCode::UnknownServerError),
        }
    }

    /// Commits offsets; one code for each, in the request's order.
    pub(crate) async fn commit(
        &self,
        group: &GroupId,
        request: CommitRequest,
    ) -> Result<Vec<ErrorCode>, ErrorCode> {
        match self.ask(group, |token| GroupEvent::Commit(token, request)).await? {
            Reply::Commit(results) => Ok(results),
            _ => Err(ErrorCode::UnknownServerError),
        }
    }

    /// Forgets offsets; one code for each, in the request's order.
    pub(crate) async fn delete_offsets(
        &self,
        group: &GroupId,
        partitions: Vec<(TopicName, i32)>,
    ) -> Result<Vec<ErrorCode>, ErrorCode> {
        match self.ask(group, |token| GroupEvent::DeleteOffsets(token, partitions)).await? {
            Reply::DeleteOffsets(results) => results,
            _ => Err(ErrorCode::UnknownServerError),
        }
    }

    /// Forgets a group.
    pub(crate) async fn delete(&self, group: &GroupId) -> ErrorCode {
        match self.ask(group, GroupEvent::Delete).await {
            Ok(Reply::Delete(error)) | Err(error) => error,
            Ok(_) => ErrorCode::UnknownServerError,
        }
    }

    /// What there is to tell of a group; `None` when it does not exist.
    pub(crate) fn describe(&self, group: &GroupId) -> Result<Option<GroupDescription>, ErrorCode> {
        let Some(shard) = self.existing_shard(group) else { return Ok(None) };
        shard.read(|groups| groups.describe(group.as_str()))
    }

    /// The groups that exist, and whether some may be missing because their shards are not loaded.
    pub(crate) fn list(&self) -> (Vec<ListedGroup>, Result<(), ErrorCode>) {
        let mut groups = Vec::new();
        let mut complete = Ok(());
        for shard in self.inner.shards.get().into_iter().flatten() {
            match shard.read(|machines| groups.extend(machines.list())) {
                Ok(()) => {}
                Err(error) => complete = Err(error),
            }
        }
        (groups, complete)
    }

    /// The offsets that a group committed for these partitions, in their order.
    pub(crate) fn offsets(
        &self,
        group: &GroupId,
        partitions: &[(TopicName, i32)],
    ) -> Result<Vec<Option<CommittedOffset>>, ErrorCode> {
        let Some(shard) = self.existing_shard(group) else { return Ok(vec![None; partitions.len()]) };
        let found = shard.read(|groups| {
            let offset =
                |(topic, index): &(TopicName, i32)| groups.offset(group.as_str(), topic.as_str(), *index);
            partitions.iter().map(|partition| offset(partition).cloned()).collect::<Vec<_>>()
        })?;
        let stands =
            |(topic, _): &(TopicName, i32), offset: &CommittedOffset| self.is_of_today(topic, offset);
        let today =
            partitions.iter().zip(found).map(|(asked, found)| found.filter(|offset| stands(asked, offset)));
        Ok(today.collect())
    }

    /// Every offset that a group committed, topics in order, partitions in order.
    pub(crate) fn all_offsets(
        &self,
        group: &GroupId,
    ) -> Result<Vec<(TopicName, i32, CommittedOffset)>, ErrorCode> {
        let Some(shard) = self.existing_shard(group) else { return Ok(Vec::new()) };
        let mut offsets = shard.read(|groups| {
            let offsets = groups.offsets(group.as_str());
            offsets.map(|(topic, index, offset)| (topic.clone(), index, offset.clone())).collect::<Vec<_>>()
        })?;
        offsets.retain(|(topic, _, offset)| self.is_of_today(topic, offset));
        Ok(offsets)
    }

    /// How many groups there are in the shards that are loaded.
    pub(crate) fn count(&self) -> usize {
        let shards = self.inner.shards.get().into_iter().flatten();
        shards.filter_map(|shard| shard.read(headwater_coordinator::GroupShard::group_count).ok()).sum()
    }

    /// An offset of a topic that was deleted is no offset of its namesake, even before it is forgotten.
    fn is_of_today(&self, topic: &TopicName, offset: &CommittedOffset) -> bool {
        let today = self.inner.topics.by_name(topic.as_str()).map(|topic| topic.id());
        offset.topic_id.is_nil() || today.is_none_or(|id: Uuid| id == offset.topic_id)
    }

    async fn ask(
        &self,
        group: &GroupId,
        event: impl FnOnce(headwater_coordinator::Token) -> GroupEvent,
    ) -> Result<Reply, ErrorCode> {
        let shards = self.shards().await?;
        let shard = shard_of(shards, group).ok_or(ErrorCode::CoordinatorNotAvailable)?;
        shard.ask(group, event).await
    }

    fn existing_shard(&self, group: &GroupId) -> Option<&Arc<Shard>> {
        shard_of(self.inner.shards.get()?, group)
    }

    async fn shards(&self) -> Result<&Vec<Arc<Shard>>, ErrorCode> {
        let create = || async {
            if let Some(topic) = self.inner.topics.by_name(CONSUMER_OFFSETS) {
                return Ok(self.begin(&topic, Log::Kept));
            }
            let topic =
                self.inner.topics.auto_create(&TopicName::from(CONSUMER_OFFSETS)).await.map_err(|error| {
                    tracing::error!(code = %error, "there is no place for consumer groups");
                    ErrorCode::CoordinatorNotAvailable
                })?;
            Ok(self.begin(&topic, Log::New))
        };
        self.inner.shards.get_or_try_init(create).await
    }

    /// Makes the shards of `__consumer_offsets` and begins to load them; of a new topic there is nothing to load.
    fn begin(&self, topic: &Topic, log: Log) -> Vec<Arc<Shard>> {
        let logs = self.inner.topics.logs().clone();
        let store =
            LogCoordinatorStore::new(logs, topic.id(), topic.partition_count(), Arc::new(SystemClock));
        let store: Arc<dyn CoordinatorStore> = Arc::new(store);
        let config = Arc::new(group_config(&self.inner.config));
        let loaders = Arc::new(Semaphore::new(LOADERS));
        let mut tasks = self.inner.tasks.lock();
        (0..store.shard_count())
            .map(|index| {
                let shard = Arc::new(Shard::new(ShardIndex(index), store.clone(), config.clone(), log));
                let (topics, closing) = (self.inner.topics.clone(), self.inner.closing.clone());
                tasks.spawn(shard.clone().run(topics, loaders.clone(), closing));
                shard
            })
            .collect()
    }
}

/// A group that members join must have a name.
fn named(group: &GroupId) -> Result<&GroupId, ErrorCode> {
    if group.as_str().is_empty() { Err(ErrorCode::InvalidGroupId) } else { Ok(group) }
}

fn shard_of<'a>(shards: &'a [Arc<Shard>], group: &GroupId) -> Option<&'a Arc<Shard>> {
    let count = i32::try_from(shards.len()).ok()?;
    shards.get(usize::try_from(partition_for(group.as_str(), count)).ok()?)
}

fn group_config(config: &Config) -> GroupConfig {
    let millis = |ms: i32| Duration::from_millis(u64::try_from(ms).unwrap_or(0));
    GroupConfig {
        initial_rebalance_delay: Duration::from_millis(config.group_initial_rebalance_delay_ms),
        session_timeout_min: millis(config.group_min_session_timeout_ms),
        session_timeout_max: millis(config.group_max_session_timeout_ms),
        members_max: config.group_max_size,
        offset_metadata_max: config.offset_metadata_max_bytes,
        offsets_retention: Duration::from_secs(config.offsets_retention_minutes.saturating_mul(60)),
        ..GroupConfig::default()
    }
}

/// How many shards are read at a time; each takes a thread meanwhile.
const LOADERS: usize = 2;

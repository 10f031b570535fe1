//! One shard: its machines, those who wait for them, and the task that serves both.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use futures_util::{StreamExt, stream::FuturesUnordered};
use headwater_codec::{ErrorCode, GroupId, TopicName, Uuid};
use headwater_coordinator::{
    Effects, GroupConfig, GroupEvent, GroupShard, Now, Replayed, Reply, Token, Write, WriteId,
};
use headwater_storage::{CoordinatorRecord, CoordinatorStore, Fence, Shard as ShardIndex, StorageError};
use parking_lot::Mutex;
use tokio::{
    runtime::Handle,
    sync::{Notify, Semaphore, oneshot},
    task::spawn_blocking,
    time::{sleep, sleep_until},
};

use crate::{stopping::Stopping, topics::Topics};

/// The groups of one partition of `__consumer_offsets`.
pub(super) struct Shard {
    index: ShardIndex,
    store: Arc<dyn CoordinatorStore>,
    state: Mutex<State>,
    /// Tells the task of writes to persist and of a timer that is due earlier.
    wake: Notify,
}

struct State {
    machines: GroupShard,
    loaded: bool,
    waiting: HashMap<Token, oneshot::Sender<Reply>>,
    next_token: u64,
    /// What the task has to persist next, in this order. One for each request or timer at most.
    to_persist: Vec<Write>,
    /// When the task wakes by itself.
    wakes_at: Option<Instant>,
}

/// Whether a shard's log may hold anything.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Log {
    /// It was there before: it has to be read before anybody is served.
    Kept,
    /// It has just been made.
    New,
}

/// How a write of a group went.
type Outcome = (GroupId, WriteId, Result<(), StorageError>);

impl Shard {
    pub(super) fn new(
        index: ShardIndex,
        store: Arc<dyn CoordinatorStore>,
        config: Arc<GroupConfig>,
        log: Log,
    ) -> Self {
        let state = State {
            machines: GroupShard::new(config),
            loaded: log == Log::New,
            waiting: HashMap::new(),
            next_token: 0,
            to_persist: Vec::new(),
            wakes_at: None,
        };
        Self { index, store, state: Mutex::new(state), wake: Notify::new() }
    }

    /// Gives an event to a group and waits for the reply.
    pub(super) async fn ask(
        &self,
        group: &GroupId,
        event: impl FnOnce(Token) -> GroupEvent,
    ) -> Result<Reply, ErrorCode> {
        let reply = {
            let mut state = self.state.lock();
            if !state.loaded {
                return Err(ErrorCode::CoordinatorLoadInProgress);
            }
            state.next_token += 1;
            let token = Token(state.next_token);
            let (sender, receiver) = oneshot::channel();
            state.waiting.insert(token, sender);
            let effects = state.machines.handle(group, event(token), now());
            self.enact(&mut state, effects);
            receiver
        };
        reply.await.map_err(|_| ErrorCode::CoordinatorNotAvailable)
    }

    fn is_loaded(&self) -> bool {
        self.state.lock().loaded
    }

    /// Looks at the machines.
    pub(super) fn read<T>(&self, look: impl FnOnce(&GroupShard) -> T) -> Result<T, ErrorCode> {
        let state = self.state.lock();
        if state.loaded { Ok(look(&state.machines)) } else { Err(ErrorCode::CoordinatorLoadInProgress) }
    }

    /// Changes the machines outside any request. One that is not loaded is left alone.
    pub(super) fn change(&self, change: impl FnOnce(&mut GroupShard, Now) -> Effects) {
        let mut state = self.state.lock();
        if state.loaded {
            let effects = change(&mut state.machines, now());
            self.enact(&mut state, effects);
        }
    }

    /// Loads the shard, then persists, reports and keeps time until `closing` has begun and nothing is under way.
    pub(super) async fn run(self: Arc<Self>, topics: Topics, loaders: Arc<Semaphore>, closing: Stopping) {
        if !self.is_loaded() {
            tokio::select! {
                () = self.load(&topics, &loaders) => {}
                () = closing.begun() => return,
            }
        }
        let mut outcomes = FuturesUnordered::new();
        loop {
            let (writes, wakes_at) = self.turn();
            for Write { group, id, records } in writes {
                // In the order of the machines' wishes: a call has its place in the log when it returns.
                let persisted = self.store.persist(self.index, to_store(records), Fence::default());
                outcomes.push(async move { (group, id, persisted.await) });
            }
            let is_idle = outcomes.is_empty();
            if is_idle && closing.has_begun() {
                return;
            }
            tokio::select! {
                biased;
                Some(outcome) = outcomes.next(), if !is_idle => self.settle(outcome),
                () = self.wake.notified() => {}
                () = sleep_until(wakes_at.unwrap_or_else(Instant::now).into()), if wakes_at.is_some() => {}
                () = closing.begun(), if is_idle => {}
            }
        }
    }

    /// Takes over what the log tells. A record that cannot be read is skipped, as Kafka does: it is better to lose one
    /// group than all of the shard.
    async fn load(&self, topics: &Topics, loaders: &Semaphore) {
        let began = Instant::now();
        let records = loop {
            match self.read_log(loaders).await {
                Ok(records) => break records,
                Err(error) => {
                    tracing::error!(shard = self.index.0, %error, "the groups of a shard cannot be loaded yet");
                    sleep(LOAD_AGAIN_AFTER).await;
                }
            }
        };
        let mut state = self.state.lock();
        let count = records.len();
        for CoordinatorRecord { key, value } in records {
            match state.machines.replay(key, value) {
                Ok(Replayed::Applied) => {}
                Ok(Replayed::Skipped) => tracing::debug!(shard = self.index.0, "a record of another kind"),
                Err(error) => {
                    tracing::warn!(shard = self.index.0, %error, "a record of a group cannot be read")
                }
            }
        }
        state.loaded = true;
        let mut effects = state.machines.loaded(now());
        let gone = topics_gone(&state.machines, topics);
        effects.extend(state.machines.topics_deleted(&gone, now()));
        self.enact(&mut state, effects);
        if count > 0 {
            let elapsed_ms = began.elapsed().as_millis();
            tracing::info!(shard = self.index.0, records = count, elapsed_ms, "groups loaded");
        }
    }

    /// Reads the shard's log on a thread of its own: it may be long.
    async fn read_log(&self, loaders: &Semaphore) -> Result<Vec<CoordinatorRecord>, StorageError> {
        let _permit = loaders.acquire().await;
        let (store, index, runtime) = (self.store.clone(), self.index, Handle::current());
        let reading = spawn_blocking(move || runtime.block_on(store.load(index, Fence::default())));
        // The runtime shuts down: so does the store.
        reading.await.unwrap_or(Err(StorageError::Closed))
    }

    /// Does what is due, and takes what is to be persisted and when to come back.
    fn turn(&self) -> (Vec<Write>, Option<Instant>) {
        let mut state = self.state.lock();
        let now = now();
        if state.machines.next_timeout().is_some_and(|at| at <= now.at) {
            let effects = state.machines.on_timeout(now);
            self.enact(&mut state, effects);
        }
        state.wakes_at = state.machines.next_timeout();
        (std::mem::take(&mut state.to_persist), state.wakes_at)
    }

    /// Tells a group how its write went.
    fn settle(&self, (group, write, outcome): Outcome) {
        let event = match outcome {
            Ok(()) => GroupEvent::Persisted(write),
            Err(error) => {
                tracing::error!(shard = self.index.0, %group, %error, "the state of a group could not be persisted");
                GroupEvent::PersistFailed(write, told(&error))
            }
        };
        let mut state = self.state.lock();
        let effects = state.machines.handle(&group, event, now());
        self.enact(&mut state, effects);
    }

    /// Sends replies; leaves writes and timers to the task.
    fn enact(&self, state: &mut State, effects: Effects) {
        for (token, reply) in effects.replies {
            if let Some(waiting) = state.waiting.remove(&token) {
                // Whoever asked may be gone.
                let _ = waiting.send(reply);
            }
        }
        let due = state.machines.next_timeout();
        let earlier = due.is_some_and(|due| state.wakes_at.is_none_or(|wakes_at| due < wakes_at));
        if earlier || !effects.writes.is_empty() {
            state.to_persist.extend(effects.writes);
            self.wake.notify_one();
        }
    }
}

/// Topics of which a shard has offsets and which do not exist any more: they were deleted, and the broker went down
/// before the offsets were forgotten.
fn topics_gone(machines: &GroupShard, topics: &Topics) -> Vec<(TopicName, Uuid)> {
    let mut gone: Vec<(TopicName, Uuid)> = machines
        .topics()
        .filter(|(topic, id)| match topics.by_name(topic.as_str()) {
            Some(today) => !id.is_nil() && *id != today.id(),
            None => true,
        })
        .map(|(topic, id)| (topic.clone(), id))
        .collect();
    gone.sort();
    gone.dedup();
    gone
}

fn to_store(records: Vec<headwater_coordinator::GroupRecord>) -> Vec<CoordinatorRecord> {
    records.into_iter().map(|record| CoordinatorRecord { key: record.key, value: record.value }).collect()
}

/// What clients of a group are told when its state cannot be persisted, as Kafka tells it.
fn told(error: &StorageError) -> ErrorCode {
    match error {
        StorageError::BatchTooLarge { .. } => ErrorCode::InvalidCommitOffsetSize,
        StorageError::UnknownPartition { .. } => ErrorCode::CoordinatorNotAvailable,
        StorageError::Offline { .. }
        | StorageError::Io { .. }
        | StorageError::Corrupt { .. }
        | StorageError::Fenced { .. }
        | StorageError::Closed => ErrorCode::NotCoordinator,
        _ => ErrorCode::UnknownServerError,
    }
}

fn now() -> Now {
    let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Now { at: Instant::now(), wall_ms: i64::try_from(wall.as_millis()).unwrap_or(i64::MAX) }
}

/// How long a shard that cannot be loaded waits before it tries again.
const LOAD_AGAIN_AFTER: Duration = Duration::from_secs(1);

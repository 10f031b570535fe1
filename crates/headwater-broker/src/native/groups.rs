//! Groups of native clients, in the same coordinators as Kafka's.
//!
//! On this protocol the server assigns partitions, and members are told at their next request. So the broker joins and
//! syncs on behalf of each member: a rebalance begins when a member comes, goes or wants other topics, or when a topic
//! grows, and it is over when all were assigned anew. To Kafka's tools such a group is a consumer group with the assignor
//! `headwater-range`, which no Kafka consumer offers: the two kinds do not mix in one group.

mod range;
mod roster;

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use headwater_codec::{ErrorCode as KafkaCode, GroupId, Offset, Str, TopicName, Uuid};
use headwater_coordinator::{CommitRequest, GroupState, OffsetToCommit};
use headwater_native::{ErrorCode, messages::Failure};
use parking_lot::Mutex;
use tokio::time::{MissedTickBehavior, interval, sleep};

pub(super) use self::range::Assignment;
use self::roster::{Member, Roster};
use super::refusal::{self, Answer, refuse};
use crate::{config::Config, groups::Groups, stopping::Stopping, topics::Topics};

/// Every group that has native members. Cheap to clone.
#[derive(Clone)]
pub(super) struct NativeGroups {
    inner: Arc<Inner>,
}

struct Inner {
    config: Arc<Config>,
    groups: Groups,
    topics: Topics,
    by_id: Mutex<HashMap<GroupId, Arc<tokio::sync::Mutex<Roster>>>>,
}

/// One committed position.
#[derive(Clone, Debug)]
pub(super) struct Position {
    pub(super) topic: TopicName,
    pub(super) topic_id: Uuid,
    pub(super) partition: i32,
    pub(super) next: Offset,
}

/// Who commits.
#[derive(Clone, Copy, Debug)]
pub(super) enum Committer<'a> {
    /// A member of the group.
    Member(&'a Str),
    /// Somebody who reads for the group without having joined it.
    Outsider,
}

impl NativeGroups {
    pub(super) fn new(config: Arc<Config>, groups: Groups, topics: Topics) -> Self {
        Self { inner: Arc::new(Inner { config, groups, topics, by_id: Mutex::default() }) }
    }

    /// Waits until the group's coordinator has loaded its state, which takes a moment after a start. For so long and no
    /// longer: whoever asks then is told.
    pub(super) async fn loaded(&self, group: &GroupId) {
        self.when_loaded(|| self.inner.groups.describe(group).map(drop)).await;
    }

    /// Waits for the coordinators of all groups.
    pub(super) async fn all_loaded(&self) {
        self.when_loaded(|| self.inner.groups.list().1).await;
    }

    async fn when_loaded(&self, ask: impl Fn() -> Result<(), KafkaCode>) {
        for _ in 0..LOADING_ATTEMPTS {
            match ask() {
                Err(KafkaCode::CoordinatorLoadInProgress) => sleep(LOADING_PAUSE).await,
                _ => return,
            }
        }
    }

    /// Becomes a member, or stays one, and gives what it is to read.
    pub(super) async fn join(
        &self,
        group: &GroupId,
        member: &Str,
        topics: Vec<TopicName>,
        client_host: String,
    ) -> Answer<Assignment> {
        let roster = self.roster(group)?;
        let mut roster = roster.lock().await;
        let joined = self.join_roster(group, &mut roster, member, topics, client_host).await;
        self.forget_if_empty(group, &roster);
        joined
    }

    async fn join_roster(
        &self,
        group: &GroupId,
        roster: &mut Roster,
        member: &Str,
        topics: Vec<TopicName>,
        client_host: String,
    ) -> Answer<Assignment> {
        if roster.members.is_empty() {
            self.clear_the_way(group).await?;
        }
        let now = Instant::now();
        match roster.members.get_mut(member) {
            Some(known) if known.topics == topics => {
                known.seen = now;
                return Ok(known.assignment.clone());
            }
            Some(known) => {
                known.seen = now;
                known.topics = topics;
            }
            None => {
                let new = Member::new(topics, client_host, now);
                roster.members.insert(member.clone(), new);
            }
        }
        let rebalanced = roster.rebalance(group, Some(member), &self.inner).await;
        if let Err(failure) = rebalanced {
            roster.members.remove(member);
            return Err(failure);
        }
        Ok(roster.members.get(member).map(|member| member.assignment.clone()).unwrap_or_default())
    }

    /// Ends a membership.
    pub(super) async fn leave(&self, group: &GroupId, member: &Str) -> Answer<()> {
        let roster = self.known_roster(group).ok_or_else(|| unknown_member(member))?;
        let mut roster = roster.lock().await;
        let gone = roster.members.remove(member).ok_or_else(|| unknown_member(member))?;
        let left = roster.after_leaving(group, vec![gone], &self.inner).await;
        self.forget_if_empty(group, &roster);
        left
    }

    /// The member lives; what it is to read now.
    pub(super) async fn alive(&self, group: &GroupId, member: &Str) -> Answer<Assignment> {
        let roster = self.known_roster(group).ok_or_else(|| unknown_member(member))?;
        let mut roster = roster.lock().await;
        let known = roster.members.get_mut(member).ok_or_else(|| unknown_member(member))?;
        known.seen = Instant::now();
        Ok(known.assignment.clone())
    }

    /// Refuses somebody who reads for a group without having joined it while it has members.
    pub(super) async fn check_outsider(&self, group: &GroupId) -> Answer<()> {
        match self.inner.groups.describe(group).map_err(refusal::kafka)? {
            None => Ok(()),
            Some(described) if described.members.is_empty() => Ok(()),
            Some(_) if self.known_roster(group).is_some() => refuse(
                ErrorCode::GROUP_MEMBER_UNKNOWN,
                format!("group '{group}' has members; join it to read for it"),
            ),
            Some(_) => self.clear_the_way(group).await,
        }
    }

    /// Commits positions; they are durable when this returns.
    pub(super) async fn commit(
        &self,
        group: &GroupId,
        committer: Committer<'_>,
        positions: &[Position],
    ) -> Answer<()> {
        if positions.is_empty() {
            return Ok(());
        }
        let (member_id, generation) = match committer {
            Committer::Outsider => (Str::default(), -1),
            Committer::Member(member) => {
                let roster = self.known_roster(group).ok_or_else(|| unknown_member(member))?;
                let roster = roster.lock().await;
                let known = roster.members.get(member).ok_or_else(|| unknown_member(member))?;
                (known.id.clone(), roster.generation)
            }
        };
        let request = CommitRequest {
            member_id,
            instance_id: None,
            generation,
            knows_group_id_not_found: true,
            retention: None,
            offsets: positions.iter().map(to_commit).collect(),
        };
        let results = self.inner.groups.commit(group, request).await.map_err(refusal::kafka)?;
        match results.into_iter().find(|code| *code != KafkaCode::None) {
            None => Ok(()),
            Some(code) => Err(refusal::kafka(code)),
        }
    }

    /// The name under which a member is known here, by the id that the coordinator gave it.
    pub(super) async fn name_of(&self, group: &GroupId, coordinators_id: &Str) -> Option<Str> {
        let roster = self.known_roster(group)?;
        let roster = roster.lock().await;
        let found = roster.members.iter().find(|(_, member)| member.id == *coordinators_id);
        found.map(|(name, _)| name.clone())
    }

    /// Keeps memberships alive in the coordinator, ends those that were silent, and follows topics that grow.
    pub(super) async fn keep(self, stopping: Stopping) {
        let mut ticks = interval(self.session() / TICKS_IN_A_SESSION);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = ticks.tick() => {}
                () = stopping.begun() => return,
            }
            let all: Vec<_> =
                self.inner.by_id.lock().iter().map(|(id, roster)| (id.clone(), roster.clone())).collect();
            for (group, roster) in all {
                let mut roster = roster.lock().await;
                if let Err(failure) = roster.keep(&group, &self.inner, Instant::now()).await {
                    tracing::warn!(%group, reason = %failure.message, "a native group could not be kept");
                }
                self.forget_if_empty(&group, &roster);
            }
        }
    }

    /// Removes members that are left over from before the broker was restarted: their connections are gone. Refuses when
    /// the group has members of another kind.
    async fn clear_the_way(&self, group: &GroupId) -> Answer<()> {
        let Some(described) = self.inner.groups.describe(group).map_err(refusal::kafka)? else {
            return Ok(());
        };
        if described.state == GroupState::Dead || described.members.is_empty() {
            return Ok(());
        }
        let ghosts = self.inner.ghosts(group, &described);
        if ghosts.len() < described.members.len() {
            return refuse(ErrorCode::GROUP_CONFLICT, format!("group '{group}' has members of another kind"));
        }
        self.inner.leave(group, ghosts).await
    }

    fn roster(&self, group: &GroupId) -> Answer<Arc<tokio::sync::Mutex<Roster>>> {
        let mut by_id = self.inner.by_id.lock();
        if let Some(known) = by_id.get(group) {
            return Ok(known.clone());
        }
        if by_id.len() >= GROUPS_MAX {
            return refuse(ErrorCode::RATE_LIMITED, format!("there are {GROUPS_MAX} native groups already"));
        }
        Ok(by_id.entry(group.detached()).or_default().clone())
    }

    fn known_roster(&self, group: &GroupId) -> Option<Arc<tokio::sync::Mutex<Roster>>> {
        self.inner.by_id.lock().get(group).cloned()
    }

    fn forget_if_empty(&self, group: &GroupId, roster: &Roster) {
        if !roster.members.is_empty() {
            return;
        }
        let mut by_id = self.inner.by_id.lock();
        // Whoever waits for the lock holds the roster, and finds it empty or fills it again: it must stay known then.
        if by_id.get(group).is_some_and(|known| Arc::strong_count(known) <= HOLDERS) {
            by_id.remove(group);
        }
    }

    fn session(&self) -> Duration {
        Duration::from_millis(self.inner.config.native_group_session_timeout_ms.max(1))
    }
}

fn to_commit(position: &Position) -> OffsetToCommit {
    OffsetToCommit {
        topic: position.topic.clone(),
        topic_id: position.topic_id,
        partition: position.partition,
        offset: position.next.get(),
        leader_epoch: -1,
        metadata: None,
    }
}

fn unknown_member(member: &Str) -> Failure {
    let message = format!("'{member}' is no member of the group; it has to join again");
    Failure::new(ErrorCode::GROUP_MEMBER_UNKNOWN, message)
}

/// Groups that may have native members at a time.
const GROUPS_MAX: usize = 1024;
/// The map itself and the caller.
const HOLDERS: usize = 2;
/// How often memberships are looked at.
const TICKS_IN_A_SESSION: u32 = 6;
/// How often a coordinator that is loading is asked again.
const LOADING_ATTEMPTS: usize = 200;
/// How long to wait before it is.
const LOADING_PAUSE: Duration = Duration::from_millis(25);

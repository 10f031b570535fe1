//! One group: what it is, and what happens to an event.

mod commit;
mod describe;
mod forget;
mod heartbeat;
mod join;
mod leave;
mod protocols;
mod rebalance;
mod replay;
mod static_member;
mod sync;
mod timers;
mod writes;

#[cfg(test)]
mod invariants;
#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    sync::Arc,
    time::Instant,
};

pub use describe::{GroupDescription, MemberDescription};
use headwater_codec::{ErrorCode, GroupId, Str, TopicName};

use self::{timers::RebalanceTimer, writes::InFlight};
use crate::{
    CommittedOffset, Effects, GroupConfig, GroupEvent, GroupState, Now, deadlines::Deadlines, member::Member,
    offsets::Offsets,
};

/// One group: its members, its generation, its offsets.
///
/// A group that was never heard of behaves as one that does not exist; see [`Group::is_vacant`].
#[derive(Debug)]
pub struct Group {
    id: GroupId,
    config: Arc<GroupConfig>,
    state: GroupState,
    /// When the state was entered, milliseconds since the epoch; unknown in records of old.
    state_since_ms: Option<i64>,
    generation: i32,
    protocol_type: Option<Str>,
    protocol: Option<Str>,
    leader: Option<Str>,
    members: BTreeMap<Str, Member>,
    /// Ids of static members by their names (KIP-345).
    static_members: HashMap<Str, Str>,
    /// Ids that were given out and have not come back (KIP-394).
    pending: BTreeSet<Str>,
    arrivals: u64,
    /// Topics that the members of a consumer group read, when they can be told.
    subscribed: Option<BTreeSet<TopicName>>,
    /// Whether the rebalance under way is the first of an empty group (KIP-134).
    initial_rebalance: bool,
    /// Whether somebody came since that rebalance last looked.
    member_added: bool,
    /// Members of the generation that have not synced.
    pending_sync: BTreeSet<Str>,
    deadlines: Deadlines,
    rebalance_timer: Option<RebalanceTimer>,
    offsets: Offsets,
    /// Whether the log holds, or may hold, a record of the group itself.
    recorded: bool,
    in_flight: VecDeque<InFlight>,
    next_write: u64,
    parked: VecDeque<GroupEvent>,
}

impl Group {
    /// A group that was never heard of.
    pub fn new(id: GroupId, config: Arc<GroupConfig>) -> Self {
        Self {
            id,
            config,
            state: GroupState::Empty,
            state_since_ms: None,
            generation: 0,
            protocol_type: None,
            protocol: None,
            leader: None,
            members: BTreeMap::new(),
            static_members: HashMap::new(),
            pending: BTreeSet::new(),
            arrivals: 0,
            subscribed: None,
            initial_rebalance: false,
            member_added: false,
            pending_sync: BTreeSet::new(),
            deadlines: Deadlines::default(),
            rebalance_timer: None,
            offsets: Offsets::default(),
            recorded: false,
            in_flight: VecDeque::new(),
            next_write: 0,
            parked: VecDeque::new(),
        }
    }

    /// Takes one event. While a change of the membership is being persisted, further events wait for its outcome.
    pub fn handle(&mut self, event: GroupEvent, now: Now) -> Effects {
        let mut effects = Effects::default();
        match event {
            GroupEvent::Persisted(write) => self.resolve(write, Ok(()), now, &mut effects),
            GroupEvent::PersistFailed(write, error) => self.resolve(write, Err(error), now, &mut effects),
            event if !self.parked.is_empty() || self.must_wait(&event) => self.parked.push_back(event),
            event => self.dispatch(event, now, &mut effects),
        }
        effects
    }

    /// When [`Group::on_timeout`] has something to do; ask again after every call that takes `&mut self`.
    pub fn next_timeout(&self) -> Option<Instant> {
        if self.is_writing_membership() {
            return None;
        }
        let rebalance = self.rebalance_timer.as_ref().map(RebalanceTimer::deadline);
        [self.deadlines.first(), rebalance].into_iter().flatten().min()
    }

    /// Whether nothing is known of the group, so that it need not be kept: it does not exist for anybody.
    pub fn is_vacant(&self) -> bool {
        self.is_unheard_of() && self.in_flight.is_empty() && self.parked.is_empty()
    }

    /// The group's state; [`GroupState::Dead`] when it does not exist.
    pub fn state(&self) -> GroupState {
        if self.is_unheard_of() { GroupState::Dead } else { self.state }
    }

    /// The group's id.
    pub fn id(&self) -> &GroupId {
        &self.id
    }

    /// The offset committed for that partition.
    pub fn offset(&self, topic: &str, partition: i32) -> Option<&CommittedOffset> {
        self.offsets.get(topic, partition)
    }

    /// Every committed offset, topics in order, partitions in order.
    pub fn offsets(&self) -> impl Iterator<Item = (&TopicName, i32, &CommittedOffset)> {
        self.offsets.iter()
    }

    fn is_unheard_of(&self) -> bool {
        let never_joined = self.state == GroupState::Empty && self.generation == 0 && self.pending.is_empty();
        never_joined && !self.recorded && self.offsets.is_empty()
    }

    /// An event waits for a change of the membership under way; one that forgets offsets waits for commits as well.
    fn must_wait(&self, event: &GroupEvent) -> bool {
        self.is_writing_membership() || (event.needs_settled_offsets() && !self.in_flight.is_empty())
    }

    fn dispatch(&mut self, event: GroupEvent, now: Now, effects: &mut Effects) {
        match event {
            GroupEvent::Join(token, request) => self.join(token, &request, now, effects),
            GroupEvent::Sync(token, request) => self.sync(token, &request, now, effects),
            GroupEvent::Heartbeat(token, request) => self.heartbeat(token, &request, now, effects),
            GroupEvent::Leave(token, request) => self.leave(token, &request, now, effects),
            GroupEvent::Commit(token, request) => self.commit(token, request, now, effects),
            GroupEvent::DeleteOffsets(token, partitions) => {
                self.delete_offsets(token, &partitions, now, effects)
            }
            GroupEvent::Delete(token) => self.delete(token, now, effects),
            GroupEvent::TopicsDeleted(topics) => self.forget_topics(&topics, now, effects),
            GroupEvent::ExpireOffsets => self.expire_offsets(now, effects),
            // Outcomes never park: `handle` takes them first.
            GroupEvent::Persisted(_) | GroupEvent::PersistFailed(..) => {}
        }
    }

    /// Whether that member may speak for the group, and under that name (KIP-345).
    fn check_member(&self, member_id: &Str, instance_id: Option<&Str>) -> Result<(), ErrorCode> {
        if let Some(instance_id) = instance_id {
            match self.static_members.get(instance_id) {
                None => return Err(ErrorCode::UnknownMemberId),
                Some(current) if current != member_id => return Err(ErrorCode::FencedInstanceId),
                Some(_) => {}
            }
        }
        if self.members.contains_key(member_id) { Ok(()) } else { Err(ErrorCode::UnknownMemberId) }
    }

    fn enter(&mut self, state: GroupState, now: Now) {
        self.state = state;
        self.state_since_ms = Some(now.wall_ms);
    }

    fn is_leader(&self, member_id: &Str) -> bool {
        self.leader.as_ref() == Some(member_id)
    }
}

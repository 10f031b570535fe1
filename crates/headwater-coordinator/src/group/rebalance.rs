//! The rebalance: everybody joins, a generation stands, its leader assigns.

use headwater_codec::{ErrorCode, Str};

use super::{Group, timers::RebalanceTimer};
use crate::{Effects, GroupState, JoinReply, JoinedMember, Now, Reply, SyncReply};

impl Group {
    /// Begins a rebalance if none is under way; otherwise sees whether it is complete.
    pub(super) fn rebalance_or_complete(&mut self, now: Now, effects: &mut Effects) {
        if self.state == GroupState::PreparingRebalance {
            self.try_complete_join(now, effects);
        } else {
            self.prepare_rebalance(now, effects);
        }
    }

    /// What the group does when members are gone.
    pub(super) fn after_removal(&mut self, now: Now, effects: &mut Effects) {
        if self.state != GroupState::Empty {
            self.rebalance_or_complete(now, effects);
        }
    }

    /// Begins a rebalance. Whoever waits for an assignment has to join again.
    pub(super) fn prepare_rebalance(&mut self, now: Now, effects: &mut Effects) {
        if self.state == GroupState::CompletingRebalance {
            self.cancel_assignment(ErrorCode::RebalanceInProgress, now, effects);
        }
        self.pending_sync.clear();
        let waits_for_more = !self.members.values().any(|member| member.joins_at_once);
        self.initial_rebalance = self.state == GroupState::Empty && waits_for_more;
        self.member_added = false;
        self.enter(GroupState::PreparingRebalance, now);
        if self.initial_rebalance {
            let delay = self.config.initial_rebalance_delay;
            self.rebalance_timer = Some(RebalanceTimer::Initial {
                deadline: now.at + delay,
                delay,
                remaining: self.rebalance_timeout_max().saturating_sub(delay),
            });
        } else {
            self.rebalance_timer =
                Some(RebalanceTimer::Join { deadline: now.at + self.rebalance_timeout_max() });
            self.try_complete_join(now, effects);
        }
    }

    /// Completes the join phase if everybody is there. The first rebalance of an empty group always runs its time.
    pub(super) fn try_complete_join(&mut self, now: Now, effects: &mut Effects) {
        let everybody =
            || self.pending.is_empty() && self.members.values().all(|m| m.awaiting_join.is_some());
        if self.state == GroupState::PreparingRebalance && !self.initial_rebalance && everybody() {
            self.complete_join(now, effects);
        }
    }

    /// Ends the join phase: dynamic members that did not join are out, static ones stay until their session ends.
    pub(super) fn complete_join(&mut self, now: Now, effects: &mut Effects) {
        self.rebalance_timer = None;
        let absent = |m: &&crate::member::Member| m.awaiting_join.is_none() && m.instance_id.is_none();
        let absent: Vec<Str> = self.members.values().filter(absent).map(|member| member.id.clone()).collect();
        for member_id in &absent {
            self.remove_member(member_id, ErrorCode::UnknownMemberId, effects);
        }
        if self.members.is_empty() {
            self.become_empty(now, effects);
        } else if self.elect_joined_leader() {
            self.begin_generation(now, effects);
        } else {
            // Only silent static members are left: they have until their sessions end.
            self.rebalance_timer =
                Some(RebalanceTimer::Join { deadline: now.at + self.rebalance_timeout_max() });
        }
    }

    /// Removes a member. Whatever it waits for is answered with `error`. Whether there was such a member.
    pub(super) fn remove_member(&mut self, member_id: &Str, error: ErrorCode, effects: &mut Effects) -> bool {
        let Some(member) = self.members.remove(member_id) else { return false };
        self.deadlines.cancel(&member.id);
        self.pending_sync.remove(&member.id);
        if let Some(instance_id) = &member.instance_id {
            self.static_members.remove(instance_id);
        }
        if let Some(token) = member.awaiting_join {
            effects.reply(token, Reply::Join(JoinReply::failed(Str::default(), error)));
        }
        if let Some(token) = member.awaiting_sync {
            effects.reply(token, Reply::Sync(SyncReply::failed(error)));
        }
        if self.is_leader(&member.id) {
            self.leader =
                self.members.values().min_by_key(|member| member.arrival).map(|member| member.id.clone());
        }
        true
    }

    /// Answers everybody who waits for an assignment with `error`, and forgets the assignments.
    pub(super) fn cancel_assignment(&mut self, error: ErrorCode, now: Now, effects: &mut Effects) {
        for member in self.members.values_mut() {
            member.assignment.clear();
            if let Some(token) = member.awaiting_sync.take() {
                effects.reply(token, Reply::Sync(SyncReply::failed(error)));
                self.deadlines.set(&member.id, now.at + member.session_timeout);
            }
        }
    }

    /// The answer to a member that has joined the generation that stands.
    pub(super) fn joined(&self, member_id: &Str, with_members: bool) -> JoinReply {
        JoinReply {
            error: ErrorCode::None,
            generation: self.generation,
            protocol_type: self.protocol_type.clone(),
            protocol: self.protocol.clone(),
            leader: self.leader.clone().unwrap_or_default(),
            skip_assignment: false,
            member_id: member_id.clone(),
            members: if with_members { self.joined_members() } else { Vec::new() },
        }
    }

    fn joined_members(&self) -> Vec<JoinedMember> {
        let protocol = self.protocol.as_deref().unwrap_or_default();
        let joined = |member: &crate::member::Member| JoinedMember {
            member_id: member.id.clone(),
            instance_id: member.instance_id.clone(),
            metadata: member.metadata(protocol),
        };
        self.members.values().map(joined).collect()
    }

    fn begin_generation(&mut self, now: Now, effects: &mut Effects) {
        self.count_generation();
        self.protocol = super::protocols::choose(self.members.values());
        self.subscribed = self.subscribed_topics();
        self.initial_rebalance = false;
        self.enter(GroupState::CompletingRebalance, now);
        self.pending_sync = self.members.keys().cloned().collect();
        let mut waiting = Vec::new();
        for member in self.members.values_mut() {
            member.is_new = false;
            waiting.extend(member.awaiting_join.take().map(|token| (token, member.id.clone())));
            self.deadlines.set(&member.id, now.at + member.session_timeout);
        }
        for (token, member_id) in waiting {
            effects.reply(token, Reply::Join(self.joined(&member_id, self.is_leader(&member_id))));
        }
        self.rebalance_timer = Some(RebalanceTimer::Sync { deadline: now.at + self.rebalance_timeout_max() });
    }

    /// The last member is gone. Nobody is told, so nothing waits for the record but the events that come next.
    fn become_empty(&mut self, now: Now, effects: &mut Effects) {
        self.count_generation();
        self.protocol = None;
        self.leader = None;
        self.subscribed = self.subscribed_topics();
        self.initial_rebalance = false;
        self.pending_sync.clear();
        self.enter(GroupState::Empty, now);
        self.write_emptied(now, effects);
    }

    fn count_generation(&mut self) {
        self.generation = self.generation.checked_add(1).unwrap_or(1);
    }

    /// The leader has to be somebody who joined. Whether there is one.
    fn elect_joined_leader(&mut self) -> bool {
        let joined = |id: &Str| self.members.get(id).is_some_and(|member| member.awaiting_join.is_some());
        if self.leader.as_ref().is_some_and(joined) {
            return true;
        }
        let candidates = self.members.values().filter(|member| member.awaiting_join.is_some());
        let Some(elected) = candidates.min_by_key(|member| member.arrival) else { return false };
        self.leader = Some(elected.id.clone());
        true
    }

    /// How long the slowest member may take to join again.
    fn rebalance_timeout_max(&self) -> std::time::Duration {
        self.members.values().map(|member| member.rebalance_timeout).max().unwrap_or_default()
    }
}

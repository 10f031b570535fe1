//! Joining a group.

use headwater_codec::{ErrorCode, Str};

use super::{Group, protocols::PROTOCOLS_MAX};
use crate::{Effects, GroupState, JoinReply, JoinRequest, Now, Reply, Token, member::Member};

impl Group {
    pub(super) fn join(&mut self, token: Token, request: &JoinRequest, now: Now, effects: &mut Effects) {
        match self.admit(request) {
            Err(error) => refuse(token, request, error, effects),
            Ok(()) if request.member_id.is_empty() => self.join_new(token, request, now, effects),
            Ok(()) => self.join_again(token, request, now, effects),
        }
    }

    /// The checks that hold for every join, in Kafka's order.
    fn admit(&self, request: &JoinRequest) -> Result<(), ErrorCode> {
        let session = self.config.session_timeout_min..=self.config.session_timeout_max;
        if self.id.as_str().is_empty() {
            return Err(ErrorCode::InvalidGroupId);
        }
        if !session.contains(&request.session_timeout) {
            return Err(ErrorCode::InvalidSessionTimeout);
        }
        if request.protocols.len() > PROTOCOLS_MAX {
            return Err(ErrorCode::InvalidRequest);
        }
        if !request.member_id.is_empty() && self.is_unheard_of() {
            return Err(ErrorCode::UnknownMemberId);
        }
        if !self.has_room_for(&request.member_id) {
            return Err(ErrorCode::GroupMaxSizeReached);
        }
        if !self.supports(&request.protocol_type, &request.protocols) {
            return Err(ErrorCode::InconsistentGroupProtocol);
        }
        Ok(())
    }

    /// Whether the group's size allows that member (KIP-389).
    fn has_room_for(&self, member_id: &Str) -> bool {
        let max = self.config.members_max;
        match self.state {
            GroupState::Empty | GroupState::Dead => true,
            // Those who have not joined again may well be gone: only those who have count.
            GroupState::PreparingRebalance => {
                let joined = |member: &Member| member.awaiting_join.is_some();
                self.members.get(member_id).is_some_and(joined)
                    || self.members.values().filter(|member| joined(member)).count() < max
            }
            GroupState::CompletingRebalance | GroupState::Stable => {
                self.members.contains_key(member_id) || self.members.len() < max
            }
        }
    }

    fn join_new(&mut self, token: Token, request: &JoinRequest, now: Now, effects: &mut Effects) {
        let member_id = fresh_member_id(request);
        if let Some(instance_id) = &request.instance_id {
            match self.static_members.get(instance_id).cloned() {
                Some(current) => {
                    self.replace_static_member(token, request, &current, member_id, now, effects)
                }
                None => self.add_member(token, request, member_id, now, effects),
            }
        } else if request.requires_known_member_id && self.pending.len() >= PENDING_MAX {
            refuse(token, request, ErrorCode::CoordinatorNotAvailable, effects);
        } else if request.requires_known_member_id {
            self.deadlines.set(&member_id, now.at + request.session_timeout);
            self.pending.insert(member_id.clone());
            refuse_with_id(token, member_id, ErrorCode::MemberIdRequired, effects);
        } else {
            self.add_member(token, request, member_id, now, effects);
        }
    }

    fn join_again(&mut self, token: Token, request: &JoinRequest, now: Now, effects: &mut Effects) {
        let member_id = &request.member_id;
        if self.pending.contains(member_id) {
            // Static members are never sent for an id, so this name cannot belong to that id.
            if request.instance_id.is_some() {
                return refuse(token, request, ErrorCode::UnknownMemberId, effects);
            }
            self.pending.remove(member_id);
            let member_id = member_id.detached();
            return self.add_member(token, request, member_id, now, effects);
        }
        if let Err(error) = self.check_member(member_id, request.instance_id.as_ref()) {
            return refuse(token, request, error, effects);
        }
        let unchanged = self.members.get(member_id).is_some_and(|m| m.speaks_exactly(&request.protocols));
        let is_leader = self.is_leader(member_id);
        match self.state {
            // A lost answer: the same one again.
            GroupState::CompletingRebalance if unchanged => {
                effects.reply(token, Reply::Join(self.joined(member_id, is_leader)));
            }
            // A leader that joins again wants a rebalance; a follower that says nothing new is answered as before.
            GroupState::Stable if unchanged && !is_leader => {
                effects.reply(token, Reply::Join(self.joined(member_id, false)));
            }
            GroupState::PreparingRebalance | GroupState::CompletingRebalance | GroupState::Stable => {
                self.park_join(member_id, token, Some(request), effects);
                self.rebalance_or_complete(now, effects);
            }
            GroupState::Empty | GroupState::Dead => {
                refuse(token, request, ErrorCode::UnknownMemberId, effects)
            }
        }
    }

    fn add_member(
        &mut self,
        token: Token,
        request: &JoinRequest,
        member_id: Str,
        now: Now,
        effects: &mut Effects,
    ) {
        if self.members.is_empty() {
            self.protocol_type = Some(request.protocol_type.detached());
        }
        if self.state == GroupState::PreparingRebalance && self.initial_rebalance {
            self.member_added = true;
        }
        self.arrivals += 1;
        let mut member = Member::new(member_id, request, self.arrivals);
        member.awaiting_join = Some(token);
        let member_id = member.id.clone();
        if let Some(instance_id) = &member.instance_id {
            self.static_members.insert(instance_id.clone(), member_id.clone());
        }
        self.leader.get_or_insert_with(|| member_id.clone());
        self.members.insert(member_id.clone(), member);
        // A new member cannot send heartbeats before it has its answer, and a client that gave up leaves no trace but
        // its silence: the parked join itself is given a time.
        self.deadlines.set(&member_id, now.at + self.config.new_member_join_timeout);
        self.rebalance_or_complete(now, effects);
    }

    /// Parks the join of a member until the rebalance is complete. While it waits it needs no heartbeats, unless it is new.
    pub(super) fn park_join(
        &mut self,
        member_id: &Str,
        token: Token,
        request: Option<&JoinRequest>,
        effects: &mut Effects,
    ) {
        let Some(member) = self.members.get_mut(member_id) else { return };
        if let Some(request) = request {
            member.update(request);
        }
        if let Some(earlier) = member.awaiting_join.replace(token) {
            let superseded = JoinReply::failed(member.id.clone(), ErrorCode::RebalanceInProgress);
            effects.reply(earlier, Reply::Join(superseded));
        }
        if !member.is_new {
            self.deadlines.cancel(member_id);
        }
    }
}

/// Kafka's form: the instance's or the client's name, then chance.
fn fresh_member_id(request: &JoinRequest) -> Str {
    let name = request.instance_id.as_ref().unwrap_or(&request.client_id);
    Str::from(format!("{name}-{}", request.fresh_id.hyphenated()))
}

fn refuse(token: Token, request: &JoinRequest, error: ErrorCode, effects: &mut Effects) {
    let member_id =
        if error == ErrorCode::GroupMaxSizeReached { Str::default() } else { request.member_id.detached() };
    refuse_with_id(token, member_id, error, effects);
}

fn refuse_with_id(token: Token, member_id: Str, error: ErrorCode, effects: &mut Effects) {
    effects.reply(token, Reply::Join(JoinReply::failed(member_id, error)));
}

/// How many ids may be given out at a time that have not come back; one more is told to try again.
const PENDING_MAX: usize = 10_000;

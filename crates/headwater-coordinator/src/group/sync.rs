//! Asking for an assignment; for the leader, bringing everybody's.

use std::collections::HashMap;

use bytes::Bytes;
use headwater_codec::{ErrorCode, Str};

use super::Group;
use crate::{Effects, GroupState, Now, Reply, SyncAssignment, SyncReply, SyncRequest, Token};

impl Group {
    pub(super) fn sync(&mut self, token: Token, request: &SyncRequest, now: Now, effects: &mut Effects) {
        if let Err(error) = self.check_sync(request) {
            return effects.reply(token, Reply::Sync(SyncReply::failed(error)));
        }
        let member_id = &request.member_id;
        self.pending_sync.remove(member_id);
        if self.pending_sync.is_empty() {
            self.rebalance_timer = None;
        }
        if self.state == GroupState::Stable {
            self.renew_session(member_id, now);
            return effects.reply(token, Reply::Sync(self.synced(member_id)));
        }
        if let Some(member) = self.members.get_mut(member_id)
            && let Some(earlier) = member.awaiting_sync.replace(token)
        {
            effects.reply(earlier, Reply::Sync(SyncReply::failed(ErrorCode::RebalanceInProgress)));
        }
        // Who waits needs no heartbeats.
        self.deadlines.cancel(member_id);
        if self.is_leader(member_id) {
            self.write_assignments(self.assignments(&request.assignments), now, effects);
        }
    }

    fn check_sync(&self, request: &SyncRequest) -> Result<(), ErrorCode> {
        self.check_member(&request.member_id, request.instance_id.as_ref())?;
        if request.generation != self.generation {
            return Err(ErrorCode::IllegalGeneration);
        }
        let differs = |said: &Option<Str>, is: &Option<Str>| said.is_some() && said != is;
        if differs(&request.protocol_type, &self.protocol_type) || differs(&request.protocol, &self.protocol)
        {
            return Err(ErrorCode::InconsistentGroupProtocol);
        }
        match self.state {
            GroupState::Empty | GroupState::Dead => Err(ErrorCode::UnknownMemberId),
            GroupState::PreparingRebalance => Err(ErrorCode::RebalanceInProgress),
            GroupState::CompletingRebalance | GroupState::Stable => Ok(()),
        }
    }

    /// What the leader assigns to each member; who is left out gets nothing, and nobody else gets anything.
    fn assignments(&self, sent: &[SyncAssignment]) -> HashMap<Str, Bytes> {
        let mut assignments: HashMap<Str, Bytes> =
            self.members.keys().map(|member_id| (member_id.clone(), Bytes::new())).collect();
        for SyncAssignment { member_id, assignment } in sent {
            if let Some(assigned) = assignments.get_mut(member_id) {
                *assigned = Bytes::copy_from_slice(assignment);
            }
        }
        assignments
    }

    /// The assignment is durable: everybody gets theirs.
    pub(super) fn assignments_persisted(
        &mut self,
        mut assignments: HashMap<Str, Bytes>,
        now: Now,
        effects: &mut Effects,
    ) {
        self.enter(GroupState::Stable, now);
        let mut waiting = Vec::new();
        for member in self.members.values_mut() {
            member.assignment = assignments.remove(&member.id).unwrap_or_default();
            if let Some(token) = member.awaiting_sync.take() {
                self.deadlines.set(&member.id, now.at + member.session_timeout);
                waiting.push((token, member.id.clone()));
            }
        }
        for (token, member_id) in waiting {
            effects.reply(token, Reply::Sync(self.synced(&member_id)));
        }
    }

    fn synced(&self, member_id: &Str) -> SyncReply {
        SyncReply {
            error: ErrorCode::None,
            protocol_type: self.protocol_type.clone(),
            protocol: self.protocol.clone(),
            assignment: self
                .members
                .get(member_id)
                .map(|member| member.assignment.clone())
                .unwrap_or_default(),
        }
    }
}

//! What is on its way to the log, and what takes effect when it is there.

use std::collections::HashMap;

use bytes::Bytes;
use headwater_codec::{
    EncodeError, ErrorCode, Str,
    records::{GroupMetadataValue, group_metadata_value::MemberMetadata},
};

use super::{Group, commit::PendingOffset, forget::Forgotten};
use crate::{
    Effects, GroupRecord, JoinReply, LeaveReply, Now, Reply, Token, Write, WriteId, member::Member, records,
};

/// One write, from the moment it is asked for until its turn to take effect.
#[derive(Debug)]
pub(super) struct InFlight {
    id: WriteId,
    action: Action,
    outcome: Option<Result<(), ErrorCode>>,
}

/// What a write does when it is durable.
#[derive(Debug)]
pub(super) enum Action {
    /// Offsets are committed.
    Commit { token: Token, results: Vec<ErrorCode>, offsets: Vec<PendingOffset> },
    /// Offsets, or the group, are forgotten.
    Forget { forgotten: Forgotten, reply: Option<(Token, Reply)> },
    /// The generation gets its assignments and is stable.
    Assign(HashMap<Str, Bytes>),
    /// A static member goes on under a new id.
    Replace(Box<StaticReplacement>),
    /// The group has become empty already; those whose leaving did it are answered.
    Emptied(Vec<(Token, LeaveReply)>),
}

/// A static member that came back.
#[derive(Debug)]
pub(super) struct StaticReplacement {
    pub(super) current: Str,
    pub(super) member: Member,
    pub(super) token: Token,
    pub(super) supports_skip: bool,
}

impl Group {
    /// Whether the outcome of a change is awaited before which no other may begin. Commits change nothing but offsets.
    pub(super) fn is_writing_membership(&self) -> bool {
        self.in_flight.iter().any(|write| !matches!(write.action, Action::Commit { .. }))
    }

    /// Asks for records to be persisted; `action` takes effect when they are, after those of all earlier writes.
    pub(super) fn write(
        &mut self,
        records: Result<Vec<GroupRecord>, EncodeError>,
        action: Action,
        now: Now,
        effects: &mut Effects,
    ) {
        // Records fail to encode only for names of more than 32767 bytes: nothing that trying again would mend.
        let Ok(records) = records else {
            return self.failed(action, ErrorCode::UnknownServerError, now, effects);
        };
        self.next_write += 1;
        let id = WriteId(self.next_write);
        self.in_flight.push_back(InFlight { id, action, outcome: None });
        effects.writes.push(Write { group: self.id.clone(), id, records });
    }

    pub(super) fn write_assignments(
        &mut self,
        assignments: HashMap<Str, Bytes>,
        now: Now,
        effects: &mut Effects,
    ) {
        let members = self.members.values().map(|member| {
            let assignment = assignments.get(&member.id).cloned().unwrap_or_default();
            member_metadata(member, self.protocol.as_ref(), assignment)
        });
        let record = self.metadata_record(self.leader.clone(), members.collect(), now);
        self.recorded = true;
        self.write(record.map(|record| vec![record]), Action::Assign(assignments), now, effects);
    }

    pub(super) fn write_replacement(
        &mut self,
        replacement: StaticReplacement,
        now: Now,
        effects: &mut Effects,
    ) {
        let StaticReplacement { current, member, .. } = &replacement;
        let leader = if self.is_leader(current) { Some(member.id.clone()) } else { self.leader.clone() };
        let others = self.members.values().filter(|other| other.id != *current);
        let members = others
            .chain([member])
            .map(|member| member_metadata(member, self.protocol.as_ref(), member.assignment.clone()))
            .collect();
        let record = self.metadata_record(leader, members, now);
        self.recorded = true;
        self.write(record.map(|record| vec![record]), Action::Replace(Box::new(replacement)), now, effects);
    }

    pub(super) fn write_emptied(&mut self, now: Now, effects: &mut Effects) {
        let record = self.metadata_record(None, Vec::new(), now);
        self.recorded = true;
        self.write(record.map(|record| vec![record]), Action::Emptied(Vec::new()), now, effects);
    }

    /// Answers a leave; if it emptied the group, when that is durable.
    pub(super) fn reply_to_leave(&mut self, token: Token, reply: LeaveReply, effects: &mut Effects) {
        match self.in_flight.back_mut() {
            Some(InFlight { action: Action::Emptied(leaves), .. }) => leaves.push((token, reply)),
            _ => effects.reply(token, Reply::Leave(reply)),
        }
    }

    /// Notes the outcome of a write. Writes take effect in the order in which they were asked for, whatever the order of
    /// their outcomes; then whatever waited for them goes on.
    pub(super) fn resolve(
        &mut self,
        id: WriteId,
        outcome: Result<(), ErrorCode>,
        now: Now,
        effects: &mut Effects,
    ) {
        let Some(write) = self.in_flight.iter_mut().find(|write| write.id == id) else { return };
        write.outcome = Some(outcome);
        while self.in_flight.front().is_some_and(|write| write.outcome.is_some()) {
            let Some(write) = self.in_flight.pop_front() else { break };
            match write.outcome {
                Some(Err(error)) => self.failed(write.action, error, now, effects),
                _ => self.persisted(write.action, now, effects),
            }
        }
        while let Some(event) = self.parked.pop_front() {
            if self.must_wait(&event) {
                self.parked.push_front(event);
                break;
            }
            self.dispatch(event, now, effects);
        }
    }

    fn persisted(&mut self, action: Action, now: Now, effects: &mut Effects) {
        match action {
            Action::Commit { token, results, offsets } => {
                self.offsets_persisted(token, results, offsets, effects)
            }
            Action::Forget { forgotten, reply } => {
                self.forgotten_persisted(&forgotten);
                effects.replies.extend(reply);
            }
            Action::Assign(assignments) => self.assignments_persisted(assignments, now, effects),
            Action::Replace(replacement) => self.replacement_persisted(*replacement, now, effects),
            Action::Emptied(leaves) => {
                effects.replies.extend(leaves.into_iter().map(|(token, reply)| (token, Reply::Leave(reply))));
            }
        }
    }

    fn failed(&mut self, action: Action, error: ErrorCode, now: Now, effects: &mut Effects) {
        let is_commit = matches!(action, Action::Commit { .. });
        // Only a commit can be told that what it commits is too large.
        let too_large = error == ErrorCode::InvalidCommitOffsetSize;
        let error = if too_large && !is_commit { ErrorCode::UnknownServerError } else { error };
        match action {
            Action::Commit { token, results, .. } => {
                let told = |result| if result == ErrorCode::None { error } else { result };
                effects.reply(token, Reply::Commit(results.into_iter().map(told).collect()));
            }
            Action::Forget { reply, .. } => effects.replies.extend(reply.map(|(token, reply)| {
                let failed = match reply {
                    Reply::DeleteOffsets(_) => Reply::DeleteOffsets(Err(error)),
                    _ => Reply::Delete(error),
                };
                (token, failed)
            })),
            Action::Assign(_) => {
                self.cancel_assignment(error, now, effects);
                self.prepare_rebalance(now, effects);
            }
            Action::Replace(replacement) => {
                let refused = JoinReply::failed(Str::default(), error);
                effects.reply(replacement.token, Reply::Join(refused));
            }
            Action::Emptied(leaves) => effects.replies.extend(
                leaves
                    .into_iter()
                    .map(|(token, _)| (token, Reply::Leave(LeaveReply { error, members: Vec::new() }))),
            ),
        }
    }

    fn metadata_record(
        &self,
        leader: Option<Str>,
        members: Vec<MemberMetadata>,
        now: Now,
    ) -> Result<GroupRecord, EncodeError> {
        let value = GroupMetadataValue {
            protocol_type: self.protocol_type.clone().unwrap_or_default(),
            generation: self.generation,
            protocol: self.protocol.clone(),
            leader,
            current_state_timestamp: self.state_since_ms.unwrap_or(now.wall_ms),
            members,
            ..GroupMetadataValue::default()
        };
        records::group_metadata(&self.id, &value)
    }
}

fn member_metadata(member: &Member, protocol: Option<&Str>, assignment: Bytes) -> MemberMetadata {
    let millis = |timeout: std::time::Duration| i32::try_from(timeout.as_millis()).unwrap_or(i32::MAX);
    MemberMetadata {
        member_id: member.id.clone(),
        group_instance_id: member.instance_id.clone(),
        client_id: member.client_id.clone(),
        client_host: member.client_host.clone(),
        rebalance_timeout: millis(member.rebalance_timeout),
        session_timeout: millis(member.session_timeout),
        subscription: member.metadata(protocol.map(Str::as_str).unwrap_or_default()),
        assignment,
        ..MemberMetadata::default()
    }
}

//! A static member that comes back with a new process and without its id (KIP-345, KIP-814).

use headwater_codec::{ErrorCode, Str};

use super::{Group, protocols, writes::StaticReplacement};
use crate::{Effects, GroupState, JoinReply, JoinRequest, Now, Reply, SyncReply, Token, member::Member};

impl Group {
    /// Gives the member named by the request a new id. In a stable group nobody else notices, if the chosen protocol
    /// stays; otherwise there is a rebalance.
    pub(super) fn replace_static_member(
        &mut self,
        token: Token,
        request: &JoinRequest,
        current: &Str,
        member_id: Str,
        now: Now,
        effects: &mut Effects,
    ) {
        let Some(mut member) = self.members.get(current).cloned() else { return };
        member.id = member_id;
        member.update(request);
        if self.state == GroupState::Stable {
            let others = self.members.values().filter(|other| other.id != *current);
            if protocols::choose(others.chain([&member])) == self.protocol {
                let supports_skip = request.supports_skip_assignment;
                let replacement =
                    StaticReplacement { current: current.clone(), member, token, supports_skip };
                return self.write_replacement(replacement, now, effects);
            }
        }
        let member_id = member.id.clone();
        self.swap_static_member(current, member, now, effects);
        self.park_join(&member_id, token, None, effects);
        if self.state == GroupState::CompletingRebalance {
            // The leader may be assigning to the old id: it has to be told of the new one.
            self.prepare_rebalance(now, effects);
        } else {
            self.rebalance_or_complete(now, effects);
        }
    }

    /// The replacement is durable: it takes effect, and the member goes on where the old one stopped.
    pub(super) fn replacement_persisted(
        &mut self,
        replacement: StaticReplacement,
        now: Now,
        effects: &mut Effects,
    ) {
        let StaticReplacement { current, member, token, supports_skip } = replacement;
        let old_leader = self.leader.clone().unwrap_or_default();
        let member_id = member.id.clone();
        self.swap_static_member(&current, member, now, effects);
        self.subscribed = self.subscribed_topics();
        let is_leader = self.is_leader(&member_id);
        let mut reply = self.joined(&member_id, is_leader && supports_skip);
        if supports_skip {
            reply.skip_assignment = is_leader;
        } else {
            // Told of its own id as the leader's, an older client would assign anew; with the old id it follows.
            reply.leader = old_leader;
        }
        effects.reply(token, Reply::Join(reply));
    }

    /// Puts `member` in the place of `current`. Whoever still speaks for the old id is fenced.
    fn swap_static_member(&mut self, current: &Str, mut member: Member, now: Now, effects: &mut Effects) {
        self.deadlines.cancel(current);
        let old = self.members.remove(current);
        let (join, sync) = old.map(|old| (old.awaiting_join, old.awaiting_sync)).unwrap_or_default();
        let fenced = ErrorCode::FencedInstanceId;
        effects
            .replies
            .extend(join.map(|token| (token, Reply::Join(JoinReply::failed(current.clone(), fenced)))));
        effects.replies.extend(sync.map(|token| (token, Reply::Sync(SyncReply::failed(fenced)))));
        (member.awaiting_join, member.awaiting_sync) = (None, None);
        if self.is_leader(current) {
            self.leader = Some(member.id.clone());
        }
        if self.pending_sync.remove(current) {
            self.pending_sync.insert(member.id.clone());
        }
        if let Some(instance_id) = &member.instance_id {
            self.static_members.insert(instance_id.clone(), member.id.clone());
        }
        let patience =
            if member.is_new { self.config.new_member_join_timeout } else { member.session_timeout };
        self.deadlines.set(&member.id, now.at + patience);
        self.members.insert(member.id.clone(), member);
    }
}

//! A member says that it lives.

use headwater_codec::ErrorCode;

use super::Group;
use crate::{Effects, GroupState, HeartbeatRequest, Now, Reply, Token};

impl Group {
    pub(super) fn heartbeat(
        &mut self,
        token: Token,
        request: &HeartbeatRequest,
        now: Now,
        effects: &mut Effects,
    ) {
        let error = match self.check_heartbeat(request) {
            Err(error) => error,
            Ok(()) => self.alive(request, now),
        };
        effects.reply(token, Reply::Heartbeat(error));
    }

    fn check_heartbeat(&self, request: &HeartbeatRequest) -> Result<(), ErrorCode> {
        self.check_member(&request.member_id, request.instance_id.as_ref())?;
        if request.generation == self.generation { Ok(()) } else { Err(ErrorCode::IllegalGeneration) }
    }

    /// Renews the session of a member that does not wait for an answer anyway, and tells it of a rebalance.
    fn alive(&mut self, request: &HeartbeatRequest, now: Now) -> ErrorCode {
        self.renew_session_of_idle(&request.member_id, now);
        match self.state {
            GroupState::Empty | GroupState::Dead => ErrorCode::UnknownMemberId,
            GroupState::PreparingRebalance => ErrorCode::RebalanceInProgress,
            GroupState::CompletingRebalance | GroupState::Stable => ErrorCode::None,
        }
    }

    /// A member whose join or sync is parked has no session that could end.
    pub(super) fn renew_session_of_idle(&mut self, member_id: &headwater_codec::Str, now: Now) {
        let idle =
            |member: &crate::member::Member| member.awaiting_join.is_none() && member.awaiting_sync.is_none();
        if self.members.get(member_id).is_some_and(idle) {
            self.renew_session(member_id, now);
        }
    }
}

//! Leaving a group, or being removed from it (KIP-345, KIP-800).

use headwater_codec::{ErrorCode, Str};

use super::Group;
use crate::{Effects, LeaveMember, LeaveReply, LeaveRequest, LeftMember, Now, Token};

impl Group {
    pub(super) fn leave(&mut self, token: Token, request: &LeaveRequest, now: Now, effects: &mut Effects) {
        let mut members = Vec::with_capacity(request.members.len());
        let mut removed = false;
        for leaving in &request.members {
            let error = match self.leave_one(leaving, effects) {
                Ok(()) => ErrorCode::None,
                Err(error) => error,
            };
            removed |= error == ErrorCode::None;
            members.push(LeftMember {
                member_id: leaving.member_id.clone(),
                instance_id: leaving.instance_id.clone(),
                error,
            });
        }
        let reply = LeaveReply { error: ErrorCode::None, members };
        if removed {
            self.after_removal(now, effects);
        }
        self.reply_to_leave(token, reply, effects);
    }

    fn leave_one(&mut self, leaving: &LeaveMember, effects: &mut Effects) -> Result<(), ErrorCode> {
        let member_id = self.leaver(leaving)?;
        if self.pending.remove(&member_id) {
            self.deadlines.cancel(&member_id);
        } else {
            self.remove_member(&member_id, ErrorCode::UnknownMemberId, effects);
        }
        Ok(())
    }

    /// The id of the member that leaves. An operator names static members without knowing their ids.
    fn leaver(&self, leaving: &LeaveMember) -> Result<Str, ErrorCode> {
        if leaving.member_id.is_empty() {
            let named =
                leaving.instance_id.as_ref().and_then(|instance_id| self.static_members.get(instance_id));
            return named.cloned().ok_or(ErrorCode::UnknownMemberId);
        }
        if !self.pending.contains(&leaving.member_id) {
            self.check_member(&leaving.member_id, leaving.instance_id.as_ref())?;
        }
        Ok(leaving.member_id.clone())
    }
}

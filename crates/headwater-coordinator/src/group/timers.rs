//! What time does to a group: sessions end, rebalances end.

use std::time::{Duration, Instant};

use headwater_codec::{ErrorCode, Str};

use super::Group;
use crate::{Effects, GroupState, Now};

/// The one timer of the rebalance under way.
#[derive(Clone, Debug)]
pub(super) enum RebalanceTimer {
    /// An empty group waits for more members. While they come it waits on, `remaining` at most (KIP-134).
    Initial { deadline: Instant, delay: Duration, remaining: Duration },
    /// Members have until then to join.
    Join { deadline: Instant },
    /// Members have until then to sync.
    Sync { deadline: Instant },
}

impl RebalanceTimer {
    pub(super) fn deadline(&self) -> Instant {
        match self {
            Self::Initial { deadline, .. } | Self::Join { deadline } | Self::Sync { deadline } => *deadline,
        }
    }
}

impl Group {
    /// Does what is due by `now`: members whose session ended are removed, rebalances end.
    pub fn on_timeout(&mut self, now: Now) -> Effects {
        let mut effects = Effects::default();
        while !self.is_writing_membership() {
            if let Some(member_id) = self.deadlines.take_due(now.at) {
                self.expire_session(&member_id, now, &mut effects);
            } else if let Some(timer) = self.rebalance_timer.take_if(|timer| timer.deadline() <= now.at) {
                self.rebalance_timeout(&timer, now, &mut effects);
            } else {
                break;
            }
        }
        effects
    }

    /// The member is alive: its session starts anew.
    pub(super) fn renew_session(&mut self, member_id: &Str, now: Now) {
        if let Some(member) = self.members.get(member_id) {
            self.deadlines.set(&member.id, now.at + member.session_timeout);
        }
    }

    fn expire_session(&mut self, member_id: &Str, now: Now, effects: &mut Effects) {
        if self.pending.remove(member_id) {
            self.try_complete_join(now, effects);
        } else if self.remove_member(member_id, ErrorCode::UnknownMemberId, effects) {
            self.after_removal(now, effects);
        }
    }

    fn rebalance_timeout(&mut self, timer: &RebalanceTimer, now: Now, effects: &mut Effects) {
        match *timer {
            RebalanceTimer::Initial { delay, remaining, .. } if self.member_added && !remaining.is_zero() => {
                self.member_added = false;
                let longer = delay.min(remaining);
                self.rebalance_timer = Some(RebalanceTimer::Initial {
                    deadline: now.at + longer,
                    delay: longer,
                    remaining: remaining.saturating_sub(delay),
                });
            }
            RebalanceTimer::Initial { .. } | RebalanceTimer::Join { .. } => self.complete_join(now, effects),
            RebalanceTimer::Sync { .. } => self.expire_pending_sync(now, effects),
        }
    }

    /// Members that joined the generation and never asked for their assignment hold everybody up.
    fn expire_pending_sync(&mut self, now: Now, effects: &mut Effects) {
        let generation_stands = matches!(self.state, GroupState::CompletingRebalance | GroupState::Stable);
        if !generation_stands || self.pending_sync.is_empty() {
            return;
        }
        for member_id in std::mem::take(&mut self.pending_sync) {
            self.remove_member(&member_id, ErrorCode::UnknownMemberId, effects);
        }
        self.prepare_rebalance(now, effects);
    }
}

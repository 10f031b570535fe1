//! What holds of every group between events. For tests.

use super::Group;
use crate::GroupState;

impl Group {
    pub(crate) fn check_invariants(&self) {
        let waits =
            |member: &crate::member::Member| member.awaiting_join.is_some() || member.awaiting_sync.is_some();
        for (id, member) in &self.members {
            assert_eq!(*id, member.id);
            // Nobody waits for ever, and nobody stays for ever.
            let has_timer = self.deadlines.has(id);
            assert!(
                has_timer
                    || (waits(member) && (self.rebalance_timer.is_some() || self.is_writing_membership()))
            );
            if let Some(instance_id) = &member.instance_id {
                assert_eq!(self.static_members.get(instance_id), Some(id));
            }
            let joining = self.state == GroupState::PreparingRebalance;
            assert!(member.awaiting_join.is_none() || joining, "a join is parked in {}", self.state);
            let completing = self.state == GroupState::CompletingRebalance;
            assert!(member.awaiting_sync.is_none() || completing, "a sync is parked in {}", self.state);
        }
        for id in &self.pending {
            assert!(self.deadlines.has(id) && !self.members.contains_key(id));
        }
        assert_eq!(
            self.static_members.len(),
            self.members.values().filter(|m| m.instance_id.is_some()).count()
        );
        assert_eq!(self.members.is_empty(), self.leader.is_none());
        assert!(self.leader.iter().all(|leader| self.members.contains_key(leader)));
        assert!(self.pending_sync.iter().all(|id| self.members.contains_key(id)));
        match self.state {
            GroupState::Empty => assert!(self.members.is_empty() && self.rebalance_timer.is_none()),
            GroupState::PreparingRebalance => assert!(self.rebalance_timer.is_some()),
            GroupState::CompletingRebalance | GroupState::Stable => {
                assert!(!self.members.is_empty() && self.protocol.is_some());
                let protocol = self.protocol.as_ref().unwrap();
                assert!(self.members.values().all(|member| member.speaks(protocol)));
            }
            GroupState::Dead => panic!("a group that exists is not dead"),
        }
        assert!(self.parked.is_empty() || !self.in_flight.is_empty(), "events wait for nothing");
    }
}

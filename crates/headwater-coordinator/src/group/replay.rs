//! Rebuilding a group from its records.

use std::time::Duration;

use bytes::Bytes;
use headwater_codec::{
    Str, TopicName,
    records::{GroupMetadataValue, group_metadata_value::MemberMetadata},
};

use super::Group;
use crate::{CommittedOffset, Effects, GroupState, Now, Protocol, member::Member};

impl Group {
    /// Takes over a record of an offset: the newest one counts.
    pub(crate) fn replay_offset(
        &mut self,
        topic: &TopicName,
        partition: i32,
        value: Option<CommittedOffset>,
    ) {
        match value {
            Some(offset) => self.offsets.insert(topic, partition, offset),
            None => self.offsets.remove(topic.as_str(), partition),
        }
    }

    /// Takes over a record of the group itself: the newest one counts.
    pub(crate) fn replay_metadata(&mut self, value: Option<GroupMetadataValue>) {
        let offsets = std::mem::take(&mut self.offsets);
        *self = Self::new(self.id.clone(), self.config.clone());
        self.offsets = offsets;
        let Some(value) = value else { return };
        self.recorded = true;
        self.generation = value.generation;
        self.protocol_type = Some(value.protocol_type.detached()).filter(|kind| !kind.is_empty());
        self.protocol = value.protocol.as_ref().map(Str::detached);
        self.leader = value.leader.as_ref().map(Str::detached).filter(|_| !value.members.is_empty());
        self.state = if value.members.is_empty() { GroupState::Empty } else { GroupState::Stable };
        self.state_since_ms = Some(value.current_state_timestamp).filter(|since| *since >= 0);
        for metadata in &value.members {
            self.arrivals += 1;
            let member = member(metadata, self.protocol.as_ref(), self.arrivals);
            if let Some(instance_id) = &member.instance_id {
                self.static_members.insert(instance_id.clone(), member.id.clone());
            }
            self.members.insert(member.id.clone(), member);
        }
        self.subscribed = self.subscribed_topics();
    }

    /// Everything is replayed: sessions begin at `now`, and a group that is larger than allowed today rebalances.
    pub(crate) fn loaded(&mut self, now: Now) -> Effects {
        let mut effects = Effects::default();
        let member_ids: Vec<Str> = self.members.keys().cloned().collect();
        for member_id in &member_ids {
            self.renew_session(member_id, now);
        }
        if !self.leader.as_ref().is_none_or(|leader| self.members.contains_key(leader)) {
            self.leader = None;
        }
        if self.leader.is_none() {
            self.leader =
                self.members.values().min_by_key(|member| member.arrival).map(|member| member.id.clone());
        }
        if self.members.len() > self.config.members_max {
            self.prepare_rebalance(now, &mut effects);
        }
        effects
    }
}

fn member(metadata: &MemberMetadata, protocol: Option<&Str>, arrival: u64) -> Member {
    let millis = |timeout: i32| Duration::from_millis(u64::try_from(timeout).unwrap_or(0).max(1));
    let subscription = Bytes::copy_from_slice(&metadata.subscription);
    let protocols = protocol.map(|name| vec![Protocol { name: name.clone(), metadata: subscription }]);
    let rebalance_timeout =
        if metadata.rebalance_timeout < 0 { metadata.session_timeout } else { metadata.rebalance_timeout };
    Member {
        id: metadata.member_id.detached(),
        instance_id: metadata.group_instance_id.as_ref().map(Str::detached),
        client_id: metadata.client_id.detached(),
        client_host: metadata.client_host.detached(),
        session_timeout: millis(metadata.session_timeout),
        rebalance_timeout: millis(rebalance_timeout),
        protocols: protocols.unwrap_or_default(),
        assignment: Bytes::copy_from_slice(&metadata.assignment),
        arrival,
        is_new: false,
        joins_at_once: false,
        awaiting_join: None,
        awaiting_sync: None,
    }
}

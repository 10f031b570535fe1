//! JOIN_GROUP, LEAVE_GROUP, GROUP_HEARTBEAT, and what operators ask of groups.
//!
//! - A member without an id gets the connection's. A member that is not known any more is GROUP_MEMBER_UNKNOWN (12) and
//!   has to join again. A group with members that came through Kafka's protocol is GROUP_CONFLICT (13).
//! - Lists and descriptions show groups of both protocols.

use std::net::SocketAddr;

use headwater_codec::{
    ErrorCode as KafkaCode, GroupId, Offset, Str, TopicName,
    records::{ConsumerProtocolAssignment, decode_versioned_leniently},
};
use headwater_coordinator::{GroupState, MemberDescription};
use headwater_native::{
    ErrorCode, PartitionId, limits,
    messages::{
        GroupAssignment, GroupDescription, GroupList, GroupMember, GroupOffset, GroupSummary, JoinGroup,
        TopicAssignment,
    },
};

use super::{
    consume::Consumer,
    door::Native,
    groups::Assignment,
    refusal::{self, Answer, refuse},
};
use crate::security::{Operation, Principal, Resource};

impl Native {
    pub(super) async fn join_group(
        &self,
        principal: &Principal,
        consumer: &mut Consumer,
        address: SocketAddr,
        short_id: &str,
        request: JoinGroup,
    ) -> Answer<GroupAssignment> {
        let JoinGroup { group, member, topics } = request;
        for topic in &topics {
            self.readable(principal, topic, &group)?;
        }
        let member = if member.is_empty() { Str::from(short_id) } else { member.detached() };
        let topics = topics.iter().map(TopicName::detached).collect();
        // Java's way to write an address, as tools expect it.
        let host = format!("/{}", address.ip());
        let assignment = self.groups().join(&group, &member, topics, host).await?;
        consumer.member = Some(member.clone());
        Ok(GroupAssignment { member, assignment: on_wire(assignment) })
    }

    pub(super) async fn leave_group(
        &self,
        consumer: &mut Consumer,
        group: &GroupId,
        member: &Str,
    ) -> Answer<()> {
        self.groups().leave(group, member).await?;
        if consumer.member.as_ref() == Some(member) {
            consumer.member = None;
        }
        Ok(())
    }

    pub(super) fn list_groups(&self, principal: &Principal) -> Answer<GroupList> {
        let (listed, complete) = self.services().groups.list();
        complete.map_err(refusal::kafka)?;
        let mut groups: Vec<GroupSummary> = listed
            .into_iter()
            .filter(|listed| {
                principal.authorize(Operation::Describe, Resource::Group(&listed.group_id)).is_ok()
            })
            // An id that this wire has no room for can be seen by Kafka's tools alone.
            .filter(|listed| listed.group_id.as_str().len() <= limits::GROUP_BYTES_MAX)
            .map(|listed| {
                let described = self.services().groups.describe(&listed.group_id).ok().flatten();
                let members = described.map_or(0, |described| described.members.len());
                GroupSummary {
                    group: listed.group_id,
                    state: state(listed.state),
                    members: u32::try_from(members).unwrap_or(u32::MAX),
                }
            })
            .collect();
        groups.sort_unstable_by(|one, other| one.group.as_str().cmp(other.group.as_str()));
        groups.truncate(limits::GROUPS_MAX);
        Ok(GroupList { groups })
    }

    pub(super) async fn describe_group(
        &self,
        principal: &Principal,
        group: &GroupId,
    ) -> Answer<GroupDescription> {
        principal.authorize(Operation::Describe, Resource::Group(group)).map_err(refusal::kafka)?;
        let groups = &self.services().groups;
        let Some(described) = groups.describe(group).map_err(refusal::kafka)? else {
            return refuse(ErrorCode::GROUP_MISSING, format!("there is no group '{group}'"));
        };
        let mut members = Vec::with_capacity(described.members.len());
        for member in &described.members {
            let name = self.groups().name_of(group, &member.member_id).await;
            let member = GroupMember {
                member: name.unwrap_or_else(|| member.member_id.clone()),
                assignment: on_wire(assignment_of(member)),
            };
            members.push(member);
        }
        let offsets = groups.all_offsets(group).map_err(refusal::kafka)?;
        let offsets = offsets.into_iter().filter_map(|(topic, partition, committed)| {
            Some(GroupOffset {
                topic,
                partition: PartitionId::from_index(headwater_codec::PartitionIndex::new(partition))?,
                offset: Offset::new(committed.offset)?,
            })
        });
        Ok(GroupDescription {
            group: group.clone(),
            state: state(described.state),
            members,
            offsets: offsets.collect(),
        })
    }

    pub(super) async fn delete_group(&self, principal: &Principal, group: &GroupId) -> Answer<()> {
        principal.authorize(Operation::Delete, Resource::Group(group)).map_err(refusal::kafka)?;
        match self.services().groups.delete(group).await {
            KafkaCode::None => Ok(()),
            code => Err(refusal::kafka(code)),
        }
    }
}

/// What a member is assigned, as far as it can be told: a Kafka consumer's is in its own protocol.
fn assignment_of(member: &MemberDescription) -> Assignment {
    if member.assignment.is_empty() {
        return Assignment::new();
    }
    let decoded = decode_versioned_leniently::<ConsumerProtocolAssignment>(member.assignment.clone());
    let topics = decoded.map(|(_, assignment)| assignment.assigned_partitions).unwrap_or_default();
    topics.into_iter().map(|topic| (topic.topic, topic.partitions)).collect()
}

fn on_wire(assignment: Assignment) -> Vec<TopicAssignment> {
    let number = |index| PartitionId::from_index(headwater_codec::PartitionIndex::new(index));
    let topics = assignment.into_iter().map(|(topic, partitions)| TopicAssignment {
        topic,
        partitions: partitions.into_iter().filter_map(number).collect(),
    });
    topics.collect()
}

fn state(state: GroupState) -> Str {
    Str::from_static(match state {
        GroupState::Empty => "empty",
        GroupState::PreparingRebalance => "preparing_rebalance",
        GroupState::CompletingRebalance => "completing_rebalance",
        GroupState::Stable => "stable",
        GroupState::Dead => "dead",
    })
}

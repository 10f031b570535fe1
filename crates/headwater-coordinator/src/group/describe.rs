//! What an operator is told of a group.

use bytes::Bytes;
use headwater_codec::Str;

use super::Group;
use crate::GroupState;

/// A group as DescribeGroups tells it.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupDescription {
    /// Its state.
    pub state: GroupState,
    /// Its kind, empty when nobody ever joined.
    pub protocol_type: Str,
    /// The chosen protocol of a stable group, else empty.
    pub protocol: Str,
    /// Its members.
    pub members: Vec<MemberDescription>,
}

/// A member as DescribeGroups tells it.
#[derive(Clone, Debug, PartialEq)]
pub struct MemberDescription {
    /// Its id.
    pub member_id: Str,
    /// Its name, if it is a static member.
    pub instance_id: Option<Str>,
    /// The name that the client gives itself.
    pub client_id: Str,
    /// The client's address.
    pub client_host: Str,
    /// Its metadata under the chosen protocol; empty unless the group is stable.
    pub metadata: Bytes,
    /// Its assignment; empty unless the group is stable.
    pub assignment: Bytes,
}

impl Group {
    /// What there is to tell of the group; `None` when it does not exist.
    pub fn describe(&self) -> Option<GroupDescription> {
        let state = self.state();
        if state == GroupState::Dead {
            return None;
        }
        let protocol = self.protocol.clone().filter(|_| state == GroupState::Stable);
        let described = |member: &crate::member::Member| MemberDescription {
            member_id: member.id.clone(),
            instance_id: member.instance_id.clone(),
            client_id: member.client_id.clone(),
            client_host: member.client_host.clone(),
            metadata: protocol.as_ref().map(|protocol| member.metadata(protocol)).unwrap_or_default(),
            assignment: protocol.as_ref().map(|_| member.assignment.clone()).unwrap_or_default(),
        };
        let members = self.members.values().map(described).collect();
        let protocol_type = self.protocol_type.clone().unwrap_or_default();
        Some(GroupDescription { state, protocol_type, protocol: protocol.unwrap_or_default(), members })
    }

    /// The group's kind, empty when nobody ever joined.
    pub fn protocol_type(&self) -> Str {
        self.protocol_type.clone().unwrap_or_default()
    }
}

//! DescribeGroups (key 15, versions 0-6). Tells the state and the members of groups.
//!
//! - GROUP_AUTHORIZATION_FAILED (30) and COORDINATOR_LOAD_IN_PROGRESS (14) concern one group.
//! - A group that does not exist is Dead and no error before version 6; from then on GROUP_ID_NOT_FOUND (69) with a
//!   message (KIP-1043).
//! - Protocol, metadata and assignments are told of a stable group; else they are empty, never null.
//! - Allowed operations are told only when asked for (version 3 and above, KIP-430).

use headwater_codec::{
    ErrorCode, GroupId, Str,
    messages::describe_groups::{
        DescribeGroupsRequest, DescribeGroupsResponse, DescribedGroup, DescribedGroupMember,
    },
};
use headwater_coordinator::{GroupDescription, GroupState, MemberDescription};

use crate::{
    context::Context,
    security::{GROUP_OPERATIONS, OPERATIONS_NOT_ASKED, Operation, Resource},
};

pub(super) async fn handle(cx: &Context, request: DescribeGroupsRequest) -> DescribeGroupsResponse {
    let authorized_operations =
        if request.include_authorized_operations { GROUP_OPERATIONS } else { OPERATIONS_NOT_ASKED };
    let describe = |group_id: GroupId| {
        let mut group = describe(cx, group_id);
        if group.error_code == ErrorCode::None {
            group.authorized_operations = authorized_operations;
        }
        group
    };
    DescribeGroupsResponse {
        groups: request.groups.into_iter().map(describe).collect(),
        ..Default::default()
    }
}

fn describe(cx: &Context, group_id: GroupId) -> DescribedGroup {
    let may = cx.authorize(Operation::Describe, Resource::Group(&group_id));
    match may.and_then(|()| cx.groups().describe(&group_id)) {
        Ok(Some(group)) => described(group_id, group),
        Ok(None) => unknown(cx, group_id),
        Err(error_code) => DescribedGroup { error_code, group_id, ..Default::default() },
    }
}

fn described(group_id: GroupId, group: GroupDescription) -> DescribedGroup {
    let member = |member: MemberDescription| DescribedGroupMember {
        member_id: member.member_id,
        group_instance_id: member.instance_id,
        client_id: member.client_id,
        client_host: member.client_host,
        member_metadata: member.metadata,
        member_assignment: member.assignment,
        ..Default::default()
    };
    DescribedGroup {
        group_id,
        group_state: Str::from_static(group.state.name()),
        protocol_type: group.protocol_type,
        protocol_data: group.protocol,
        members: group.members.into_iter().map(member).collect(),
        ..Default::default()
    }
}

fn unknown(cx: &Context, group_id: GroupId) -> DescribedGroup {
    let group_state = Str::from_static(GroupState::Dead.name());
    if cx.api_version() < NOT_FOUND_SINCE {
        return DescribedGroup { group_id, group_state, ..Default::default() };
    }
    let error_message = Some(Str::from(format!("Group {group_id} not found.")));
    DescribedGroup {
        error_code: ErrorCode::GroupIdNotFound,
        error_message,
        group_id,
        group_state,
        ..Default::default()
    }
}

/// The version from which on a group that does not exist is an error (KIP-1043).
const NOT_FOUND_SINCE: i16 = 6;

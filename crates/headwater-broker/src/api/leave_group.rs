//! LeaveGroup (key 13, versions 0-5). Members leave, or an operator removes static ones (KIP-345, KIP-800).
//!
//! - GROUP_AUTHORIZATION_FAILED (30) and INVALID_GROUP_ID (24) concern the request as a whole.
//! - Versions 0 to 2 name one member, whose error is the answer's. From 3 on there are several, each with its own:
//!   UNKNOWN_MEMBER_ID (25), FENCED_INSTANCE_ID (82). An empty member id with an instance id removes that static member.
//! - Version 5 brings reasons; they are logged.

use headwater_codec::{
    ErrorCode,
    messages::leave_group::{LeaveGroupRequest, LeaveGroupResponse, MemberIdentity, MemberResponse},
};
use headwater_coordinator::{LeaveMember, LeaveReply, LeaveRequest, LeftMember};

use crate::{
    context::Context,
    security::{Operation, Resource},
};

pub(super) async fn handle(cx: &Context, request: LeaveGroupRequest) -> LeaveGroupResponse {
    match leave(cx, request).await {
        Ok(reply) if cx.api_version() < SEVERAL_MEMBERS_SINCE => {
            let member = reply.members.first().map_or(ErrorCode::None, |member| member.error);
            let error_code = if reply.error == ErrorCode::None { member } else { reply.error };
            LeaveGroupResponse { error_code, ..Default::default() }
        }
        Ok(reply) => LeaveGroupResponse {
            error_code: reply.error,
            members: reply.members.into_iter().map(left).collect(),
            ..Default::default()
        },
        Err(error_code) => LeaveGroupResponse { error_code, ..Default::default() },
    }
}

async fn leave(cx: &Context, request: LeaveGroupRequest) -> Result<LeaveReply, ErrorCode> {
    cx.authorize(Operation::Read, Resource::Group(&request.group_id))?;
    let members = if cx.api_version() < SEVERAL_MEMBERS_SINCE {
        vec![MemberIdentity { member_id: request.member_id, ..Default::default() }]
    } else {
        request.members
    };
    let leaving = |member: MemberIdentity| LeaveMember {
        member_id: member.member_id,
        instance_id: member.group_instance_id,
        reason: member.reason,
    };
    let members: Vec<LeaveMember> = members.into_iter().map(leaving).collect();
    for LeaveMember { member_id, instance_id, reason } in &members {
        let (instance_id, reason) = (instance_id.as_deref(), reason.as_deref());
        tracing::info!(group = %request.group_id, %member_id, instance_id, reason, "a member leaves");
    }
    cx.groups().leave(&request.group_id, LeaveRequest { members }).await
}

fn left(member: LeftMember) -> MemberResponse {
    MemberResponse {
        member_id: member.member_id,
        group_instance_id: member.instance_id,
        error_code: member.error,
        ..Default::default()
    }
}

/// The version from which on several members can leave at once (KIP-345).
const SEVERAL_MEMBERS_SINCE: i16 = 3;

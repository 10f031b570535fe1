//! SyncGroup (key 14, versions 0-5). A member asks for its assignment; the leader brings everybody's.
//!
//! - GROUP_AUTHORIZATION_FAILED (30), then from version 5 on INCONSISTENT_GROUP_PROTOCOL (23) when protocol type or name
//!   are missing (KIP-559), INVALID_GROUP_ID (24), UNKNOWN_MEMBER_ID (25), FENCED_INSTANCE_ID (82),
//!   ILLEGAL_GENERATION (22), INCONSISTENT_GROUP_PROTOCOL (23) when they are not the group's, and
//!   REBALANCE_IN_PROGRESS (27) when the generation is given up.
//! - Everybody is answered when the assignment is durable. Who comes later gets the one that was kept.
//! - Who is left out gets an assignment of no bytes, and so does who gets an error; never null.
//! - Version 5 tells the group's kind and its chosen protocol.

use headwater_codec::{
    ErrorCode,
    messages::sync_group::{SyncGroupRequest, SyncGroupResponse},
};
use headwater_coordinator::{SyncAssignment, SyncReply, SyncRequest};

use crate::{
    context::Context,
    security::{Operation, Resource},
};

pub(super) async fn handle(cx: &Context, request: SyncGroupRequest) -> SyncGroupResponse {
    match sync(cx, request).await {
        Ok(reply) => SyncGroupResponse {
            error_code: reply.error,
            protocol_type: reply.protocol_type,
            protocol_name: reply.protocol,
            assignment: reply.assignment,
            ..Default::default()
        },
        Err(error_code) => SyncGroupResponse { error_code, ..Default::default() },
    }
}

async fn sync(cx: &Context, request: SyncGroupRequest) -> Result<SyncReply, ErrorCode> {
    cx.authorize(Operation::Read, Resource::Group(&request.group_id))?;
    let says_protocol = request.protocol_type.is_some() && request.protocol_name.is_some();
    if cx.api_version() >= PROTOCOL_REQUIRED_SINCE && !says_protocol {
        return Err(ErrorCode::InconsistentGroupProtocol);
    }
    let assignments = request.assignments.into_iter();
    let sync = SyncRequest {
        member_id: request.member_id,
        instance_id: request.group_instance_id,
        generation: request.generation_id,
        protocol_type: request.protocol_type,
        protocol: request.protocol_name,
        assignments: assignments
            .map(|one| SyncAssignment { member_id: one.member_id, assignment: one.assignment })
            .collect(),
    };
    cx.groups().sync(&request.group_id, sync).await
}

/// The version from which on a member must say which protocol it means (KIP-559).
const PROTOCOL_REQUIRED_SINCE: i16 = 5;

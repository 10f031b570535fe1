//! JoinGroup (key 11, versions 0-9). A member joins, or joins again, and waits for the generation (KIP-62).
//!
//! - GROUP_AUTHORIZATION_FAILED (30), then INVALID_GROUP_ID (24) for an empty id, INVALID_SESSION_TIMEOUT (26) outside
//!   `group.min/max.session.timeout.ms`, UNKNOWN_MEMBER_ID (25), GROUP_MAX_SIZE_REACHED (81, KIP-389),
//!   INCONSISTENT_GROUP_PROTOCOL (23) for another kind, nothing in common or nothing at all, FENCED_INSTANCE_ID (82).
//! - Version 0 has one timeout for both purposes.
//! - From version 4 on a new dynamic member gets its id and MEMBER_ID_REQUIRED (79) first, and comes back (KIP-394).
//!   Version 5 brings static members, which do not (KIP-345).
//! - An empty group waits `group.initial.rebalance.delay.ms` for more members (KIP-134).
//! - Only the leader is told of the members. Version 9 can tell a leader that came back to skip the assignment
//!   (KIP-814).
//! - The protocol is null after an error from version 7 on, empty before.

use std::time::Duration;

use headwater_codec::{
    ErrorCode, Str, Uuid,
    messages::join_group::{JoinGroupRequest, JoinGroupResponse, JoinGroupResponseMember},
};
use headwater_coordinator::{JoinReply, JoinRequest, Protocol};

use crate::{
    context::Context,
    security::{Operation, Resource},
};

pub(super) async fn handle(cx: &Context, request: JoinGroupRequest) -> JoinGroupResponse {
    let member_id = request.member_id.clone();
    let mut response = match join(cx, request).await {
        Ok(reply) => respond(reply),
        Err(error_code) => {
            JoinGroupResponse { error_code, member_id, protocol_name: None, ..Default::default() }
        }
    };
    if cx.api_version() < NULL_PROTOCOL_SINCE {
        response.protocol_name.get_or_insert_default();
    }
    response
}

async fn join(cx: &Context, request: JoinGroupRequest) -> Result<JoinReply, ErrorCode> {
    cx.authorize(Operation::Read, Resource::Group(&request.group_id))?;
    let version = cx.api_version();
    let rebalance_timeout_ms =
        if version == 0 { request.session_timeout_ms } else { request.rebalance_timeout_ms };
    let protocols = request.protocols.into_iter();
    let join = JoinRequest {
        member_id: request.member_id,
        instance_id: request.group_instance_id,
        client_id: Str::from(cx.client_id()),
        // Java's way to write an address, as tools expect it.
        client_host: Str::from(format!("/{}", cx.peer_address().ip())),
        session_timeout: millis(request.session_timeout_ms),
        rebalance_timeout: millis(rebalance_timeout_ms),
        protocol_type: request.protocol_type,
        protocols: protocols
            .map(|spoken| Protocol { name: spoken.name, metadata: spoken.metadata })
            .collect(),
        requires_known_member_id: version >= KNOWN_MEMBER_ID_SINCE,
        supports_skip_assignment: version >= SKIP_ASSIGNMENT_SINCE,
        joins_at_once: false,
        fresh_id: Uuid::from_u128(rand::random()),
    };
    cx.groups().join(&request.group_id, join).await
}

fn respond(reply: JoinReply) -> JoinGroupResponse {
    let member = |member: headwater_coordinator::JoinedMember| JoinGroupResponseMember {
        member_id: member.member_id,
        group_instance_id: member.instance_id,
        metadata: member.metadata,
        ..Default::default()
    };
    JoinGroupResponse {
        error_code: reply.error,
        generation_id: reply.generation,
        protocol_type: reply.protocol_type,
        protocol_name: reply.protocol,
        leader: reply.leader,
        skip_assignment: reply.skip_assignment,
        member_id: reply.member_id,
        members: reply.members.into_iter().map(member).collect(),
        ..Default::default()
    }
}

/// A negative time is none.
fn millis(ms: i32) -> Duration {
    Duration::from_millis(u64::try_from(ms).unwrap_or(0))
}

/// The version from which on a dynamic member must know its id (KIP-394).
const KNOWN_MEMBER_ID_SINCE: i16 = 4;
/// The version from which on the protocol may be null.
const NULL_PROTOCOL_SINCE: i16 = 7;
/// The version from which on a leader can be told to skip the assignment (KIP-814).
const SKIP_ASSIGNMENT_SINCE: i16 = 9;

//! Heartbeat (key 12, versions 0-4). A member says that it lives, and hears whether it has to join again.
//!
//! - GROUP_AUTHORIZATION_FAILED (30), INVALID_GROUP_ID (24), UNKNOWN_MEMBER_ID (25), from version 3 on
//!   FENCED_INSTANCE_ID (82, KIP-345), ILLEGAL_GENERATION (22).
//! - REBALANCE_IN_PROGRESS (27) while members join; the session goes on all the same.

use headwater_codec::{
    ErrorCode,
    messages::heartbeat::{HeartbeatRequest, HeartbeatResponse},
};

use crate::{
    context::Context,
    security::{Operation, Resource},
};

pub(super) async fn handle(cx: &Context, request: HeartbeatRequest) -> HeartbeatResponse {
    HeartbeatResponse { error_code: heartbeat(cx, request).await, ..Default::default() }
}

async fn heartbeat(cx: &Context, request: HeartbeatRequest) -> ErrorCode {
    if let Err(error) = cx.authorize(Operation::Read, Resource::Group(&request.group_id)) {
        return error;
    }
    let heartbeat = headwater_coordinator::HeartbeatRequest {
        member_id: request.member_id,
        instance_id: request.group_instance_id,
        generation: request.generation_id,
    };
    cx.groups().heartbeat(&request.group_id, heartbeat).await
}

//! FindCoordinator (key 10, versions 0-6). Tells which broker serves a group (KIP-699 for several at a time).
//!
//! - The only broker is the coordinator of every group, under the endpoint of the listener that the client came through.
//! - The first request creates `__consumer_offsets`; until it exists, COORDINATOR_NOT_AVAILABLE (15).
//! - Key type 0 is a group. Type 1, a transactional id, is not served: UNSUPPORTED_VERSION (35) at once, never a hang.
//!   Any other type: INVALID_REQUEST (42).
//! - Versions 0 to 3 ask for one key and are answered at the top; from 4 on for several, each with its own error.
//! - An error comes with node -1, an empty host and port -1.

use headwater_codec::{
    BrokerId, ErrorCode, GroupId, Str,
    messages::find_coordinator::{Coordinator, FindCoordinatorRequest, FindCoordinatorResponse},
};

use crate::{
    context::Context,
    security::{Operation, Resource},
};

pub(super) async fn handle(cx: &Context, request: FindCoordinatorRequest) -> FindCoordinatorResponse {
    if cx.api_version() >= SEVERAL_KEYS_SINCE {
        let mut coordinators = Vec::with_capacity(request.coordinator_keys.len());
        for key in request.coordinator_keys {
            coordinators.push(coordinator(cx, key, request.key_type).await);
        }
        return FindCoordinatorResponse { coordinators, ..Default::default() };
    }
    let found = coordinator(cx, request.key, request.key_type).await;
    FindCoordinatorResponse {
        error_code: found.error_code,
        error_message: found.error_message,
        node_id: found.node_id,
        host: found.host,
        port: found.port,
        ..Default::default()
    }
}

async fn coordinator(cx: &Context, key: Str, key_type: i8) -> Coordinator {
    match judge(cx, &key, key_type).await {
        Ok(()) => Coordinator {
            key,
            node_id: cx.cluster().node_id(),
            host: cx.endpoint().host.clone(),
            port: cx.endpoint().port.into(),
            ..Default::default()
        },
        Err(error_code) => Coordinator {
            key,
            node_id: BrokerId::NONE,
            port: -1,
            error_code,
            error_message: Some(Str::from_static(error_code.text())),
            ..Default::default()
        },
    }
}

async fn judge(cx: &Context, key: &Str, key_type: i8) -> Result<(), ErrorCode> {
    match key_type {
        GROUP => {
            cx.authorize(Operation::Describe, Resource::Group(&GroupId::new(key.clone())))?;
            cx.groups().prepare().await
        }
        TRANSACTION => Err(ErrorCode::UnsupportedVersion),
        _ => Err(ErrorCode::InvalidRequest),
    }
}

/// The key type of a group.
const GROUP: i8 = 0;
/// The key type of a transactional id.
const TRANSACTION: i8 = 1;
/// The version from which on several keys can be asked for (KIP-699).
const SEVERAL_KEYS_SINCE: i16 = 4;

//! DeleteGroups (key 42, versions 0-2). Forgets groups with their offsets (KIP-229).
//!
//! - For each group: GROUP_AUTHORIZATION_FAILED (30), GROUP_ID_NOT_FOUND (69), NON_EMPTY_GROUP (68) while it has members.
//! - It is answered when the group is durably forgotten.

use headwater_codec::{
    ErrorCode, GroupId,
    messages::delete_groups::{DeletableGroupResult, DeleteGroupsRequest, DeleteGroupsResponse},
};

use crate::{
    context::Context,
    security::{Operation, Resource},
};

pub(super) async fn handle(cx: &Context, request: DeleteGroupsRequest) -> DeleteGroupsResponse {
    let mut results: Vec<DeletableGroupResult> = Vec::with_capacity(request.groups_names.len());
    for group_id in request.groups_names {
        let error_code = delete(cx, &group_id).await;
        results.push(DeletableGroupResult { group_id, error_code, ..Default::default() });
    }
    DeleteGroupsResponse { results, ..Default::default() }
}

async fn delete(cx: &Context, group_id: &GroupId) -> ErrorCode {
    match cx.authorize(Operation::Delete, Resource::Group(group_id)) {
        Ok(()) => cx.groups().delete(group_id).await,
        Err(error) => error,
    }
}

//! ListGroups (key 16, versions 0-5). Tells which groups exist.
//!
//! - From version 4 on only those in one of the states asked for, if any are (KIP-518); from 5 on only those of one of
//!   the types asked for (KIP-848). Both without regard to case; every group is `classic`.
//! - COORDINATOR_LOAD_IN_PROGRESS (14) when groups may be missing because they are not loaded.
//! - Without the right to describe the cluster, only groups that the principal may describe.

use headwater_codec::{
    ErrorCode, Str,
    messages::list_groups::{ListGroupsRequest, ListGroupsResponse, ListedGroup},
};

use crate::{
    context::Context,
    security::{Operation, Resource},
};

pub(super) async fn handle(cx: &Context, request: ListGroupsRequest) -> ListGroupsResponse {
    let (groups, complete) = cx.groups().list();
    if let Err(error_code) = complete {
        return ListGroupsResponse { error_code, ..Default::default() };
    }
    let wanted = |filter: &[Str], name: &str| {
        filter.is_empty() || filter.iter().any(|asked| asked.eq_ignore_ascii_case(name))
    };
    let may_list_all = cx.authorize(Operation::Describe, Resource::Cluster).is_ok();
    let groups = groups
        .into_iter()
        .filter(|group| {
            wanted(&request.states_filter, group.state.name()) && wanted(&request.types_filter, CLASSIC)
        })
        .filter(|group| {
            may_list_all || cx.authorize(Operation::Describe, Resource::Group(&group.group_id)).is_ok()
        })
        .map(|group| ListedGroup {
            group_id: group.group_id,
            protocol_type: group.protocol_type,
            group_state: Str::from_static(group.state.name()),
            group_type: Str::from_static(CLASSIC),
            ..Default::default()
        });
    ListGroupsResponse { groups: groups.collect(), error_code: ErrorCode::None, ..Default::default() }
}

/// The type of every group that is served.
const CLASSIC: &str = "classic";

//! DescribeCluster (key 60, versions 0-2). Tells of the cluster and its brokers (KIP-700, KIP-919, KIP-1073).
//!
//! - `endpoint_type` 1 asks for brokers. 2 asks for controllers, of which none listens: MISMATCHED_ENDPOINT_TYPE (114).
//!   Anything else: UNSUPPORTED_ENDPOINT_TYPE (115).
//! - The endpoint is the one of the listener that the client came through.
//! - Allowed operations are told only when asked for (KIP-430).

use headwater_codec::{
    BrokerId, ErrorCode, Str,
    messages::describe_cluster::{DescribeClusterBroker, DescribeClusterRequest, DescribeClusterResponse},
};

use crate::{
    context::Context,
    security::{CLUSTER_OPERATIONS, OPERATIONS_NOT_ASKED},
};

pub(super) async fn handle(cx: &Context, request: DescribeClusterRequest) -> DescribeClusterResponse {
    match request.endpoint_type {
        BROKERS => {}
        CONTROLLERS => {
            let message = "this is a listener for clients; no controller listens";
            return refused(ErrorCode::MismatchedEndpointType, message);
        }
        _ => return refused(ErrorCode::UnsupportedEndpointType, "no such endpoint type"),
    }
    DescribeClusterResponse {
        endpoint_type: BROKERS,
        cluster_id: cx.cluster().cluster_id().clone(),
        controller_id: cx.cluster().node_id(),
        brokers: vec![DescribeClusterBroker {
            broker_id: cx.cluster().node_id(),
            host: cx.endpoint().host.clone(),
            port: i32::from(cx.endpoint().port),
            rack: cx.cluster().rack().cloned(),
            is_fenced: false,
            ..Default::default()
        }],
        cluster_authorized_operations: if request.include_cluster_authorized_operations {
            CLUSTER_OPERATIONS
        } else {
            OPERATIONS_NOT_ASKED
        },
        ..Default::default()
    }
}

fn refused(error_code: ErrorCode, message: &'static str) -> DescribeClusterResponse {
    DescribeClusterResponse {
        error_code,
        error_message: Some(Str::from_static(message)),
        endpoint_type: BROKERS,
        controller_id: BrokerId::NONE,
        ..Default::default()
    }
}

const BROKERS: i8 = 1;
const CONTROLLERS: i8 = 2;

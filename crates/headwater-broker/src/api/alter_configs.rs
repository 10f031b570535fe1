//! AlterConfigs (key 33, versions 0-2). Replaces all configs of a resource (KIP-133).
//!
//! A config that the resource has and the request does not name returns to its default, but for
//! `headwater.record.format`, which stays as it was when the topic was created. Everything else is as
//! IncrementalAlterConfigs has it, with each config a SET.

use std::collections::BTreeMap;

use headwater_codec::messages::alter_configs::{
    AlterConfigsRequest, AlterConfigsResource, AlterConfigsResourceResponse, AlterConfigsResponse,
};

use headwater_storage::RecordFormat;

use super::{
    config_resource::Target,
    incremental_alter_configs::{apply, given_twice, outcome},
    refusal::Refusal,
};
use crate::{
    context::Context,
    security::Operation,
    topic_config::{ConfigOp, OpKind},
};

pub(super) async fn handle(cx: &Context, request: AlterConfigsRequest) -> AlterConfigsResponse {
    let twice = given_twice(request.resources.iter().map(|of| (of.resource_type, of.resource_name.clone())));
    let mut responses = Vec::with_capacity(request.resources.len());
    for resource in request.resources {
        let result = if twice.contains(&(resource.resource_type, resource.resource_name.clone())) {
            Err(Refusal::invalid_request("the resource is in the request more than once"))
        } else {
            replace(cx, &resource, request.validate_only).await
        };
        let (error_code, error_message) = outcome(result);
        responses.push(AlterConfigsResourceResponse {
            error_code,
            error_message,
            resource_type: resource.resource_type,
            resource_name: resource.resource_name,
            ..Default::default()
        });
    }
    AlterConfigsResponse { responses, ..Default::default() }
}

async fn replace(cx: &Context, resource: &AlterConfigsResource, validate_only: bool) -> Result<(), Refusal> {
    let target = Target::parse(cx, resource.resource_type, &resource.resource_name, Operation::AlterConfigs)?;
    let mut ops: Vec<ConfigOp> = resource
        .configs
        .iter()
        .map(|config| ConfigOp {
            name: config.name.as_str().to_owned(),
            kind: OpKind::Set,
            value: config.value.as_ref().map(|value| value.as_str().to_owned()),
        })
        .collect();
    let with_deletions = |own: &BTreeMap<String, String>| {
        let is_gone =
            |name: &&String| *name != RecordFormat::CONFIG && !ops.iter().any(|op| op.name == **name);
        let gone: Vec<&String> = own.keys().filter(is_gone).collect();
        ops.extend(gone.into_iter().map(|name| ConfigOp {
            name: name.clone(),
            kind: OpKind::Delete,
            value: None,
        }));
        ops
    };
    apply(cx, &target, with_deletions, validate_only).await
}

//! IncrementalAlterConfigs (key 44, versions 0-1). Changes single configs and leaves the others alone (KIP-339).
//!
//! - A resource that is there twice, a config that is there twice, null for anything but a deletion, an operation that
//!   does not exist: INVALID_REQUEST (42).
//! - Topics: unknown UNKNOWN_TOPIC_OR_PARTITION (3); unknown config, bad value, APPEND or SUBTRACT on what is no list:
//!   INVALID_CONFIG (40).
//! - APPEND and SUBTRACT start from the present value, else from the default; words are separated by commas, none is
//!   there twice, taking out what is not there is fine. DELETE returns to the default.
//! - `headwater.record.format` is fixed when the topic is created: another value is INVALID_CONFIG (40).
//! - Brokers (this one, or all of them by the empty name): only keys that take effect without a restart, otherwise 42.
//! - One operation that fails refuses all of its resource; other resources go on.
//! - `validate_only` answers the same and changes nothing.

use std::collections::{BTreeMap, BTreeSet};

use headwater_codec::{
    ErrorCode, Str,
    messages::incremental_alter_configs::{
        AlterConfigsResource, AlterConfigsResourceResponse, IncrementalAlterConfigsRequest,
        IncrementalAlterConfigsResponse,
    },
};

use super::{config_resource::Target, refusal::Refusal};
use crate::{
    context::Context,
    security::Operation,
    topic_config::{self, BrokerLayers, ConfigOp, OpKind},
};

pub(super) async fn handle(
    cx: &Context,
    request: IncrementalAlterConfigsRequest,
) -> IncrementalAlterConfigsResponse {
    let twice = given_twice(request.resources.iter().map(|of| (of.resource_type, of.resource_name.clone())));
    let mut responses = Vec::with_capacity(request.resources.len());
    for resource in request.resources {
        let result = if twice.contains(&(resource.resource_type, resource.resource_name.clone())) {
            Err(Refusal::invalid_request("the resource is in the request more than once"))
        } else {
            alter(cx, &resource, request.validate_only).await
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
    IncrementalAlterConfigsResponse { responses, ..Default::default() }
}

async fn alter(cx: &Context, resource: &AlterConfigsResource, validate_only: bool) -> Result<(), Refusal> {
    let target = Target::parse(cx, resource.resource_type, &resource.resource_name, Operation::AlterConfigs)?;
    let ops = resource.configs.iter().map(|config| {
        let kind = OpKind::from_code(config.config_operation).ok_or_else(|| {
            let (name, code) = (&config.name, config.config_operation);
            Refusal::invalid_request(format!("config {name}: there is no operation {code}"))
        })?;
        let value = config.value.as_ref().map(|value| value.as_str().to_owned());
        Ok(ConfigOp { name: config.name.as_str().to_owned(), kind, value })
    });
    let ops = ops.collect::<Result<Vec<_>, Refusal>>()?;
    apply(cx, &target, |_| ops, validate_only).await
}

/// Judges operations, made from the configs that the resource has, and unless they are only to be judged, does them.
pub(super) async fn apply(
    cx: &Context,
    target: &Target,
    ops: impl FnOnce(&BTreeMap<String, String>) -> Vec<ConfigOp>,
    validate_only: bool,
) -> Result<(), Refusal> {
    let Some(resource) = target.in_metadata(cx) else {
        return Err(Refusal::invalid_request("loggers cannot be changed by clients"));
    };
    let changes = {
        let image = cx.topics().image();
        let layers = BrokerLayers::of(cx.config(), &image);
        match target {
            Target::Topic(name) => {
                let topic = cx.topics().by_name(name.as_str()).ok_or(ErrorCode::UnknownTopicOrPartition)?;
                let own = &topic.known().configs;
                let mut ops = ops(own);
                topic_config::check_format_stays(own, &mut ops)?;
                topic_config::alter(&layers, own, &ops)?
            }
            Target::Broker | Target::Cluster | Target::BrokerLogger => {
                let own = image.configs(&resource).cloned().unwrap_or_default();
                topic_config::alter_broker(&layers, &own, &ops(&own))?
            }
        }
    };
    if !validate_only && !changes.is_empty() {
        cx.topics().alter_configs(resource, changes).await?;
    }
    Ok(())
}

/// What is there more than once.
pub(super) fn given_twice(resources: impl Iterator<Item = (i8, Str)>) -> BTreeSet<(i8, Str)> {
    let mut seen = BTreeSet::new();
    resources.filter(|resource| !seen.insert(resource.clone())).collect()
}

/// A result as answers have it.
pub(super) fn outcome(result: Result<(), Refusal>) -> (ErrorCode, Option<Str>) {
    match result {
        Ok(()) => (ErrorCode::None, None),
        Err(refusal) => (refusal.code, Some(refusal.message)),
    }
}

//! DescribeConfigs (key 32, versions 1-4). Shows configs of topics and brokers with their sources (KIP-133, KIP-226).
//!
//! - Topics: every config of Kafka's that has a value, its own or inherited. Unknown: UNKNOWN_TOPIC_OR_PARTITION (3);
//!   no possible name: INVALID_TOPIC_EXCEPTION (17).
//! - Broker, by this node's id: every key that is known; by the empty name: what was set dynamically for all brokers.
//!   Another id, and any other type of resource: INVALID_REQUEST (42). Loggers: none are shown.
//! - A null or empty list of keys means all of them.
//! - Synonyms (places that a value could come from, strongest first) and documentation are told only when asked for;
//!   documentation and types from version 3 on (KIP-569).
//! - A secret's value is null, and its synonyms are not told.

use headwater_codec::{
    ErrorCode, Str,
    messages::describe_configs::{
        DescribeConfigsRequest, DescribeConfigsResource, DescribeConfigsResourceResult,
        DescribeConfigsResponse, DescribeConfigsResult, DescribeConfigsSynonym,
    },
};

use super::{config_resource::Target, refusal::Refusal};
use crate::{
    config::entries,
    context::Context,
    security::Operation,
    topic_config::{BrokerLayers, ConfigEntry, topic_entries},
};

pub(super) async fn handle(cx: &Context, request: DescribeConfigsRequest) -> DescribeConfigsResponse {
    let (synonyms, documentation) = (request.include_synonyms, request.include_documentation);
    let results = request.resources.into_iter().map(|resource| match describe(cx, &resource) {
        Ok(entries) => {
            let is_asked = |entry: &ConfigEntry| match resource.configuration_keys.as_deref() {
                None | Some([]) => true,
                Some(keys) => keys.iter().any(|key| key.as_str() == entry.name),
            };
            let entries = entries.into_iter().filter(is_asked);
            DescribeConfigsResult {
                error_message: None,
                configs: entries.map(|entry| shown(entry, synonyms, documentation)).collect(),
                resource_type: resource.resource_type,
                resource_name: resource.resource_name,
                ..Default::default()
            }
        }
        Err(refusal) => DescribeConfigsResult {
            error_code: refusal.code,
            error_message: Some(refusal.message),
            resource_type: resource.resource_type,
            resource_name: resource.resource_name,
            ..Default::default()
        },
    });
    DescribeConfigsResponse { results: results.collect(), ..Default::default() }
}

fn describe(cx: &Context, resource: &DescribeConfigsResource) -> Result<Vec<ConfigEntry>, Refusal> {
    let target =
        Target::parse(cx, resource.resource_type, &resource.resource_name, Operation::DescribeConfigs)?;
    let image = cx.topics().image();
    let layers = BrokerLayers::of(cx.config(), &image);
    Ok(match target {
        Target::Topic(name) => {
            let topic = cx.topics().by_name(name.as_str()).ok_or(ErrorCode::UnknownTopicOrPartition)?;
            topic_entries(&layers, &topic.known().configs)
        }
        Target::Broker => entries::broker_entries(&layers),
        Target::Cluster => entries::cluster_entries(&layers),
        Target::BrokerLogger => Vec::new(),
    })
}

fn shown(entry: ConfigEntry, synonyms: bool, documentation: bool) -> DescribeConfigsResourceResult {
    let synonyms = if synonyms { entry.synonyms } else { Vec::new() };
    DescribeConfigsResourceResult {
        name: Str::from_static(entry.name),
        value: entry.value.map(Str::from),
        read_only: entry.is_read_only,
        config_source: entry.source.code(),
        is_sensitive: entry.is_sensitive,
        synonyms: synonyms
            .into_iter()
            .map(|synonym| DescribeConfigsSynonym {
                name: Str::from_static(synonym.name),
                value: Some(Str::from(synonym.value)),
                source: synonym.source.code(),
                ..Default::default()
            })
            .collect(),
        config_type: entry.kind.code(),
        documentation: documentation.then(|| Str::from(entry.documentation)),
        ..Default::default()
    }
}

//! DescribeClientQuotas (key 48, versions 0-1). The quotas that match a filter (KIP-546).
//!
//! - Each component of the filter is about one type: a name, the type's default, or whatever is set. A strict filter takes
//!   only entities that have no other type.
//! - At the top: no right to read the cluster's configs 31; a type that is none 35; a component that contradicts itself or
//!   another one 42.
//! - What the configuration sets is not told: it is no metadata.

use headwater_codec::{
    ErrorCode, Str,
    messages::describe_client_quotas::{
        ComponentData, DescribeClientQuotasRequest, DescribeClientQuotasResponse, EntityData, EntryData,
        ValueData,
    },
};
use headwater_storage::QuotaEntity;

use super::refusal::Refusal;
use crate::{
    context::Context,
    quotas::{CLIENT_ID, IP, USER},
    security::{Operation, Resource},
};

pub(super) async fn handle(
    cx: &Context,
    request: DescribeClientQuotasRequest,
) -> DescribeClientQuotasResponse {
    let filter = cx
        .authorize(Operation::DescribeConfigs, Resource::Cluster)
        .map_err(Refusal::from)
        .and_then(|()| Filter::parse(&request));
    match filter {
        Ok(filter) => {
            let entries = Some(matching(cx, &filter));
            DescribeClientQuotasResponse { error_message: None, entries, ..Default::default() }
        }
        Err(Refusal { code: error_code, message }) => DescribeClientQuotasResponse {
            error_code,
            error_message: Some(message),
            entries: None,
            ..Default::default()
        },
    }
}

fn matching(cx: &Context, filter: &Filter) -> Vec<EntryData> {
    let image = cx.quotas().image();
    let mut entries: Vec<EntryData> = Vec::new();
    let mut last = None;
    for (entity, quota, value) in image.client_quotas().filter(|(entity, ..)| filter.takes(entity)) {
        let value = ValueData { key: quota.into(), value, ..Default::default() };
        match entries.last_mut() {
            Some(entry) if last == Some(entity) => entry.values.push(value),
            _ => {
                let part = |(entity_type, name): &(String, Option<String>)| EntityData {
                    entity_type: entity_type.as_str().into(),
                    entity_name: name.as_deref().map(Str::from),
                    ..Default::default()
                };
                let entity = entity.parts().iter().map(part).collect();
                entries.push(EntryData { entity, values: vec![value], ..Default::default() });
            }
        }
        last = Some(entity);
    }
    entries
}

/// Which entities are asked for.
struct Filter {
    components: Vec<(String, Wanted)>,
    strict: bool,
}

/// Which names of a type.
enum Wanted {
    Exactly(Option<String>),
    Whatever,
}

impl Filter {
    fn parse(request: &DescribeClientQuotasRequest) -> Result<Self, Refusal> {
        let mut components: Vec<(String, Wanted)> = Vec::new();
        for component in &request.components {
            let entity_type = component.entity_type.as_str();
            if entity_type.is_empty() {
                return Err(Refusal::invalid_request("Invalid empty entity type."));
            }
            if ![USER, CLIENT_ID, IP].contains(&entity_type) {
                let message = format!("Custom entity type {entity_type} not supported");
                return Err(Refusal::new(ErrorCode::UnsupportedVersion, message));
            }
            if components.iter().any(|(other, _)| other == entity_type) {
                let message = format!("Duplicate filter component entity type: {entity_type}");
                return Err(Refusal::invalid_request(message));
            }
            components.push((entity_type.to_owned(), wanted(component)?));
        }
        if components.len() > 1 && components.iter().any(|(entity_type, _)| entity_type == IP) {
            return Err(Refusal::invalid_request(
                "Invalid entity filter component combination. IP filter component should not be used with user or clientId filter component.",
            ));
        }
        Ok(Self { components, strict: request.strict })
    }

    fn takes(&self, entity: &QuotaEntity) -> bool {
        if self.strict && entity.parts().len() != self.components.len() {
            return false;
        }
        self.components.iter().all(|(entity_type, wanted)| match (entity.name(entity_type), wanted) {
            (None, _) => false,
            (Some(_), Wanted::Whatever) => true,
            (Some(name), Wanted::Exactly(wanted)) => name == wanted.as_deref(),
        })
    }
}

fn wanted(component: &ComponentData) -> Result<Wanted, Refusal> {
    let name = component.r#match.as_ref().map(ToString::to_string);
    match (component.match_type, name) {
        (MATCH_EXACT, Some(name)) => Ok(Wanted::Exactly(Some(name))),
        (MATCH_EXACT, None) => {
            Err(Refusal::invalid_request("Request specified MATCH_TYPE_EXACT, but set match string to null."))
        }
        (MATCH_DEFAULT, None) => Ok(Wanted::Exactly(None)),
        (MATCH_SPECIFIED, None) => Ok(Wanted::Whatever),
        (MATCH_DEFAULT | MATCH_SPECIFIED, Some(_)) => Err(Refusal::invalid_request(
            "Request specified a match type without a name, but also specified a match string.",
        )),
        (other, _) => Err(Refusal::invalid_request(format!("Unknown match type {other}"))),
    }
}

/// Entities with that name.
const MATCH_EXACT: i8 = 0;
/// The entity that stands for all others.
const MATCH_DEFAULT: i8 = 1;
/// Every entity of that type.
const MATCH_SPECIFIED: i8 = 2;

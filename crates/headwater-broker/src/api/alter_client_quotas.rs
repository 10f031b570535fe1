//! AlterClientQuotas (key 49, versions 0-1). Sets and removes quotas (KIP-546).
//!
//! - Codes by entity: no right to alter the cluster's configs 31; an entity without a type, with one twice, of an unknown
//!   type or with an empty name, a quota that such an entity cannot have, a value that is not above zero, or a byte rate
//!   with a fraction: 42. Nothing of a refused entity is changed; other entities go on.
//! - `producer_byte_rate` and `consumer_byte_rate` of users and client ids are served. Kafka's other quotas are refused with
//!   42 rather than kept without effect; those that came with a directory of Apache Kafka can be removed.
//! - A quota holds when it is answered, also for connections that are open; a pause that has begun goes on.

use headwater_codec::{
    ErrorCode, Str,
    messages::alter_client_quotas::{
        AlterClientQuotasRequest, AlterClientQuotasResponse, OpData, RequestEntryData, ResponseEntryData,
    },
};
use headwater_security::QuotaKind;
use headwater_storage::{QuotaChange, QuotaEntity};

use super::refusal::Refusal;
use crate::{
    context::Context,
    error_code,
    quotas::{CLIENT_ID, IP, USER},
    security::{Operation, Resource},
};

pub(super) async fn handle(cx: &Context, request: AlterClientQuotasRequest) -> AlterClientQuotasResponse {
    let allowed = cx.authorize(Operation::AlterConfigs, Resource::Cluster);
    let mut changes = Vec::new();
    let judged: Vec<_> = request
        .entries
        .into_iter()
        .map(|entry| {
            let judged = allowed.map_err(Refusal::from).and_then(|()| judge(&entry));
            let refusal = judged.map(|mut of_entity| changes.append(&mut of_entity)).err();
            (entry, refusal)
        })
        .collect();
    let failure = match request.validate_only || changes.is_empty() {
        true => None,
        false => cx.quotas().alter(changes).await.err(),
    };
    let entries = judged.into_iter().map(|(entry, refusal)| {
        let failed =
            failure.as_ref().map(|error| Refusal::new(error_code::metadata(error), error.to_string()));
        let (error_code, error_message) = match refusal.or(failed) {
            Some(Refusal { code, message }) => (code, Some(message)),
            None => (ErrorCode::None, None),
        };
        ResponseEntryData { error_code, error_message, entity: entry.entity, ..Default::default() }
    });
    AlterClientQuotasResponse { entries: entries.collect(), ..Default::default() }
}

fn judge(entry: &RequestEntryData) -> Result<Vec<QuotaChange>, Refusal> {
    let mut parts: Vec<(String, Option<String>)> = Vec::new();
    for part in &entry.entity {
        let entity_type = part.entity_type.as_str();
        if ![USER, CLIENT_ID, IP].contains(&entity_type) {
            return Err(invalid(format!("Unhandled client quota entity type: {entity_type}")));
        }
        if parts.iter().any(|(other, _)| other == entity_type) {
            return Err(invalid(format!(
                "Invalid client quota entity, duplicate entity entry {entity_type}"
            )));
        }
        if part.entity_name.as_ref().is_some_and(|name| name.is_empty()) {
            return Err(invalid(format!("Empty {entity_type} not supported")));
        }
        parts.push((entity_type.to_owned(), part.entity_name.as_ref().map(ToString::to_string)));
    }
    if parts.is_empty() {
        return Err(invalid("Invalid empty client quota entity"));
    }
    let is_ip = parts.iter().any(|(entity_type, _)| entity_type == IP);
    if is_ip && parts.len() > 1 {
        return Err(invalid(
            "Invalid quota entity combination, IP entity should not be used with user/client ID entity.",
        ));
    }
    let entity = QuotaEntity::new(parts);
    entry.ops.iter().map(|op| change(&entity, op, is_ip)).collect()
}

fn change(entity: &QuotaEntity, op: &OpData, is_ip: bool) -> Result<QuotaChange, Refusal> {
    let quota = op.key.as_str();
    let of_kafka = if is_ip { OF_ADDRESSES } else { OF_CLIENTS };
    if !of_kafka.contains(&quota) {
        return Err(invalid(format!("Invalid configuration key {quota}")));
    }
    if op.remove {
        return Ok(QuotaChange { entity: entity.clone(), quota: quota.to_owned(), value: None });
    }
    if QuotaKind::parse(quota).is_none() {
        return Err(invalid(format!("{quota} is not served: it would be kept without effect")));
    }
    // Written so that a value which is no number is refused too.
    let is_above_zero = op.value > 0.0 && op.value.is_finite();
    if !is_above_zero {
        return Err(invalid(format!("Quota {quota} must be greater than 0")));
    }
    if op.value.fract() != 0.0 {
        return Err(invalid(format!("Quota {quota} must be a Long value")));
    }
    Ok(QuotaChange { entity: entity.clone(), quota: quota.to_owned(), value: Some(op.value) })
}

fn invalid(message: impl Into<Str>) -> Refusal {
    Refusal::invalid_request(message)
}

/// The quotas that Kafka has for users and client ids.
const OF_CLIENTS: &[&str] =
    &["producer_byte_rate", "consumer_byte_rate", "request_percentage", "controller_mutation_rate"];
/// The quotas that Kafka has for addresses.
const OF_ADDRESSES: &[&str] = &["connection_creation_rate"];

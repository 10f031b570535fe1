//! CreatePartitions (key 37, versions 0-3). Adds partitions to topics (KIP-195).
//!
//! - The same topic twice: INVALID_REQUEST (42), answered once.
//! - Order of checks: authorization (29), existence (3), the count, then assignments.
//! - `count` is the new total: INVALID_PARTITIONS (37) when it is not larger than the present one, and for the broker's
//!   own topics, whose keys are spread by their count.
//! - More than 10,000 new partitions in one request: POLICY_VIOLATION (44) for every topic.
//! - One assignment for each new partition, and only this node as its replica, else INVALID_REPLICA_ASSIGNMENT (39).
//! - `validate_only` answers the same and changes nothing.

use std::collections::BTreeSet;

use headwater_codec::{
    ErrorCode,
    messages::create_partitions::{
        CreatePartitionsRequest, CreatePartitionsResponse, CreatePartitionsTopic, CreatePartitionsTopicResult,
    },
};

use super::{refusal::Refusal, replica_assignment};
use crate::{
    context::Context,
    security::{Operation, Resource},
};

pub(super) async fn handle(cx: &Context, request: CreatePartitionsRequest) -> CreatePartitionsResponse {
    let too_many = partitions_asked(cx, &request.topics) > PARTITIONS_MAX;
    let mut seen = BTreeSet::new();
    let twice: BTreeSet<_> = request
        .topics
        .iter()
        .filter(|topic| !seen.insert(&topic.name))
        .map(|topic| topic.name.clone())
        .collect();
    let mut answered = BTreeSet::new();
    let mut results = Vec::with_capacity(request.topics.len());
    for topic in &request.topics {
        if !answered.insert(&topic.name) {
            continue;
        }
        let result = if too_many {
            Err(Refusal::new(ErrorCode::PolicyViolation, "too many partitions in one request"))
        } else if twice.contains(&topic.name) {
            Err(Refusal::invalid_request("the topic is in the request more than once"))
        } else {
            grow(cx, topic, request.validate_only).await
        };
        let (error_code, error_message) = match result {
            Ok(()) => (ErrorCode::None, None),
            Err(refusal) => (refusal.code, Some(refusal.message)),
        };
        results.push(CreatePartitionsTopicResult {
            name: topic.name.clone(),
            error_code,
            error_message,
            ..Default::default()
        });
    }
    CreatePartitionsResponse { results, ..Default::default() }
}

async fn grow(cx: &Context, asked: &CreatePartitionsTopic, validate_only: bool) -> Result<(), Refusal> {
    cx.authorize(Operation::Alter, Resource::Topic(&asked.name))?;
    let topic = cx.topics().by_name(asked.name.as_str()).ok_or(ErrorCode::UnknownTopicOrPartition)?;
    let current = topic.partition_count();
    if asked.count <= current {
        let message =
            format!("topic '{}' has {current} partitions; {} would be no increase", asked.name, asked.count);
        return Err(Refusal::new(ErrorCode::InvalidPartitions, message));
    }
    if topic.is_internal() {
        let message =
            format!("topic '{}' belongs to the broker, and its partition count is fixed", asked.name);
        return Err(Refusal::new(ErrorCode::InvalidPartitions, message));
    }
    if let Some(assignments) = &asked.assignments {
        let added = usize::try_from(asked.count - current).unwrap_or(0);
        if assignments.len() != added {
            let message = format!("{added} partitions are added, but {} are assigned", assignments.len());
            return Err(Refusal::new(ErrorCode::InvalidReplicaAssignment, message));
        }
        for assignment in assignments {
            replica_assignment::check(cx.cluster().node_id(), &assignment.broker_ids)?;
        }
    }
    if !validate_only {
        cx.topics().create_partitions(topic.id(), asked.count).await?;
    }
    Ok(())
}

/// How many partitions the whole request would add.
fn partitions_asked(cx: &Context, topics: &[CreatePartitionsTopic]) -> i64 {
    let added = |asked: &CreatePartitionsTopic| {
        let topic = cx.topics().by_name(asked.name.as_str())?;
        Some((i64::from(asked.count) - i64::from(topic.partition_count())).max(0))
    };
    topics.iter().filter_map(added).fold(0, i64::saturating_add)
}

/// Kafka's bound on one request.
const PARTITIONS_MAX: i64 = 10_000;

//! GetTelemetrySubscriptions (key 71, version 0): which metrics a client should push. To be advertised only
//! where something takes them. KIP-714.

use crate::{ErrorCode, Message, Str, UnknownTags, Uuid};

/// Asks what to push.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = GetTelemetrySubscriptions, request, versions = "0..=0", flexible = "0..")]
pub struct GetTelemetrySubscriptionsRequest {
    /// The client's own id; all zero asks for one.
    pub client_instance_id: Uuid,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What to push, and how often.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = GetTelemetrySubscriptions, response, versions = "0..=0", flexible = "0..")]
pub struct GetTelemetrySubscriptionsResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// The client's own id.
    pub client_instance_id: Uuid,
    /// The subscription: changes when what is asked for does.
    pub subscription_id: i32,
    /// Compressions that the broker takes, best first: 0 none, 1 gzip, 2 snappy, 3 lz4, 4 zstd.
    pub accepted_compression_types: Vec<i8>,
    /// Milliseconds between pushes.
    pub push_interval_ms: i32,
    /// Bytes of a push at most.
    pub telemetry_max_bytes: i32,
    /// Whether counters are pushed as differences; else as sums.
    pub delta_temporality: bool,
    /// Prefixes of the names of metrics to push; empty for none, a single empty one for all.
    pub requested_metrics: Vec<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

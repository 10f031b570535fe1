//! PushTelemetry (key 72, version 0): metrics of a client. KIP-714.

use bytes::Bytes;

use crate::{ErrorCode, Message, UnknownTags, Uuid};

/// Metrics.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = PushTelemetry, request, versions = "0..=0", flexible = "0..")]
pub struct PushTelemetryRequest {
    /// The client's own id.
    pub client_instance_id: Uuid,
    /// The subscription: changes when what is asked for does.
    pub subscription_id: i32,
    /// Whether the client pushes for the last time.
    pub terminating: bool,
    /// 0 none, 1 gzip, 2 snappy, 3 lz4, 4 zstd.
    pub compression_type: i8,
    /// The metrics: `MetricsData` of OpenTelemetry, compressed.
    pub metrics: Bytes,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Whether they were taken.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = PushTelemetry, response, versions = "0..=0", flexible = "0..")]
pub struct PushTelemetryResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

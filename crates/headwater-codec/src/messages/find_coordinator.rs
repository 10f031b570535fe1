//! FindCoordinator (key 10, versions 0-6): which broker coordinates a group or a transactional producer.
//! KIP-98, KIP-699, KIP-932.

use crate::{BrokerId, ErrorCode, Message, Str, UnknownTags};

/// Asks for the coordinator of one key, or (from version 4) of several.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = FindCoordinator, request, versions = "0..=6", flexible = "3..")]
pub struct FindCoordinatorRequest {
    /// The key: a group id or a transactional id.
    #[message(versions = "0..=3")]
    pub key: Str,
    /// Kind of key: 0 group, 1 transactional id, 2 share group partition.
    #[message(versions = "1..")]
    pub key_type: i8,
    /// The keys: group ids or transactional ids (KIP-699).
    #[message(versions = "4..")]
    pub coordinator_keys: Vec<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The coordinator, or (from version 4) one for each key.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = FindCoordinator, response, versions = "0..=6", flexible = "3..")]
pub struct FindCoordinatorResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    #[message(versions = "1..", ignorable)]
    pub throttle_time_ms: i32,
    /// What went wrong; `None` when nothing did.
    #[message(versions = "0..=3")]
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(versions = "1..=3", nullable = "1..=3", ignorable)]
    pub error_message: Option<Str>,
    /// The coordinator's node id; -1 on an error.
    #[message(versions = "0..=3")]
    pub node_id: BrokerId,
    /// The coordinator's host.
    #[message(versions = "0..=3")]
    pub host: Str,
    /// The coordinator's port; -1 on an error.
    #[message(versions = "0..=3")]
    pub port: i32,
    /// A coordinator for each key, in the order of the request.
    #[message(versions = "4..")]
    pub coordinators: Vec<Coordinator>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The coordinator of one key, or why there is none.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(versions = "4..")]
pub struct Coordinator {
    /// The key.
    #[message(versions = "4..")]
    pub key: Str,
    /// The coordinator's node id; -1 on an error.
    #[message(versions = "4..")]
    pub node_id: BrokerId,
    /// The coordinator's host.
    #[message(versions = "4..")]
    pub host: Str,
    /// The coordinator's port; -1 on an error.
    #[message(versions = "4..")]
    pub port: i32,
    /// What went wrong; `None` when nothing did.
    #[message(versions = "4..")]
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(versions = "4..", nullable = "4..", ignorable)]
    pub error_message: Option<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

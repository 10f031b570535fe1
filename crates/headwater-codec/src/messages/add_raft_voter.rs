//! AddRaftVoter (key 80, versions 0-1): adds a voter to the quorum. KIP-853, KIP-1186.

use crate::{BrokerId, ErrorCode, Message, Str, UnknownTags, Uuid};

/// The voter to add.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = AddRaftVoter, request, versions = "0..=1", flexible = "0..")]
pub struct AddRaftVoterRequest {
    /// The cluster that the caller means to talk to; null for no check.
    #[message(nullable = "0..")]
    pub cluster_id: Option<Str>,
    /// Milliseconds to wait for it to be done.
    pub timeout_ms: i32,
    /// The voter's node id.
    pub voter_id: BrokerId,
    /// Id of the voter's metadata directory.
    pub voter_directory_id: Uuid,
    /// Listeners of the node.
    pub listeners: Vec<Listener>,
    /// Whether to answer only once the new set of voters is committed (KIP-1186).
    #[message(versions = "1..", default = true)]
    pub ack_when_committed: bool,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A listener.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct Listener {
    /// The listener's name.
    #[message(map_key)]
    pub name: Str,
    /// Host name or address to connect to.
    pub host: Str,
    /// Port to connect to.
    pub port: u16,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Whether it was added.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = AddRaftVoter, response, versions = "0..=1", flexible = "0..")]
pub struct AddRaftVoterResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(nullable = "0..", ignorable)]
    pub error_message: Option<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

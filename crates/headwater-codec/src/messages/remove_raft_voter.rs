//! RemoveRaftVoter (key 81, version 0): removes a voter from the quorum. KIP-853.

use crate::{BrokerId, ErrorCode, Message, Str, UnknownTags, Uuid};

/// The voter to remove.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = RemoveRaftVoter, request, versions = "0..=0", flexible = "0..")]
pub struct RemoveRaftVoterRequest {
    /// The cluster that the caller means to talk to; null for no check.
    #[message(nullable = "0..")]
    pub cluster_id: Option<Str>,
    /// The voter's node id.
    pub voter_id: BrokerId,
    /// Id of the voter's metadata directory.
    pub voter_directory_id: Uuid,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Whether it was removed.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = RemoveRaftVoter, response, versions = "0..=0", flexible = "0..")]
pub struct RemoveRaftVoterResponse {
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

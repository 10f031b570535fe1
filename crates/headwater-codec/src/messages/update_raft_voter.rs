//! UpdateRaftVoter (key 82, version 0): a voter tells the leader of its listeners and levels. Between
//! controllers. KIP-853.

use crate::{BrokerId, ErrorCode, Message, Str, UnknownTags, Uuid};

/// The voter as it is now.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = UpdateRaftVoter, request, versions = "0..=0", flexible = "0..")]
pub struct UpdateRaftVoterRequest {
    /// The cluster that the caller means to talk to; null for no check.
    #[message(nullable = "0..")]
    pub cluster_id: Option<Str>,
    /// The quorum's epoch that the voter knows.
    pub current_leader_epoch: i32,
    /// The voter's node id.
    pub voter_id: BrokerId,
    /// Id of the voter's metadata directory.
    pub voter_directory_id: Uuid,
    /// Listeners of the node.
    pub listeners: Vec<Listener>,
    /// The levels of `kraft.version` that the voter supports.
    pub k_raft_version_feature: KRaftVersionFeature,
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

/// The levels of `kraft.version` that the voter supports.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct KRaftVersionFeature {
    /// Lowest level supported.
    pub min_supported_version: i16,
    /// Highest level supported.
    pub max_supported_version: i16,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Whether the leader has taken note.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = UpdateRaftVoter, response, versions = "0..=0", flexible = "0..")]
pub struct UpdateRaftVoterResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// The leader to tell instead, when the node is not.
    #[message(tag = 0, tagged = "0..")]
    pub current_leader: CurrentLeader,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The leader that should have been asked.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct CurrentLeader {
    /// Node id of the leader; -1 when there is none.
    #[message(default = -1)]
    pub leader_id: BrokerId,
    /// The leader's epoch; -1 when not known.
    #[message(default = -1)]
    pub leader_epoch: i32,
    /// Host name or address to connect to.
    pub host: Str,
    /// Port to connect to.
    pub port: i32,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

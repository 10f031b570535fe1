//! QuorumStateData (`quorum-state`, versions 0-1): the JSON file in which a KRaft voter remembers its vote,
//! as a message. KIP-595, KIP-853.

use crate::{Message, Str, UnknownTags, Uuid};

/// What a voter must not forget: its epoch, the leader, and whom it voted for.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "0..=1", flexible = "0..")]
pub struct QuorumStateData {
    /// The cluster's id.
    #[message(versions = "0..=0")]
    pub cluster_id: Str,
    /// The leader's node id; -1 when not known.
    #[message(default = -1)]
    pub leader_id: i32,
    /// The quorum's epoch; -1 before the first.
    #[message(default = -1)]
    pub leader_epoch: i32,
    /// Node id of the candidate voted for in this epoch; -1 for none.
    #[message(default = -1)]
    pub voted_id: i32,
    /// Directory id of the candidate voted for (KIP-853).
    #[message(versions = "1..")]
    pub voted_directory_id: Uuid,
    /// Always 0.
    #[message(versions = "0..=0")]
    pub applied_offset: i64,
    /// The voters, up to version 0; later they stand in the log.
    #[message(versions = "0..=0", nullable = "0..=0")]
    pub current_voters: Option<Vec<Voter>>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A voter of the quorum.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(versions = "0..=0")]
pub struct Voter {
    /// The voter's node id.
    #[message(versions = "0..=0")]
    pub voter_id: i32,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

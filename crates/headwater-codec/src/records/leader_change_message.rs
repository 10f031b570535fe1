//! LeaderChangeMessage (control record, versions 0-1): KIP-595, KIP-853.

use crate::{BrokerId, Message, UnknownTags, Uuid};

/// A quorum has elected a leader: the first record of each epoch.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "0..=1", flexible = "0..")]
pub struct LeaderChangeMessage {
    /// Version of the record.
    pub version: i16,
    /// Node id of the leader.
    pub leader_id: BrokerId,
    /// The voters of the quorum.
    pub voters: Vec<Voter>,
    /// The voters that voted for the leader.
    pub granting_voters: Vec<Voter>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A voter of the quorum.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct Voter {
    /// The voter's node id.
    pub voter_id: i32,
    /// Id of the voter's metadata directory (KIP-853); all zero when not known.
    #[message(versions = "1..")]
    pub voter_directory_id: Uuid,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

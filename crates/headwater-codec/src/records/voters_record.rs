//! VotersRecord (control record, version 0): KIP-853.

use crate::{BrokerId, Message, Str, UnknownTags, Uuid};

/// Who votes in the quorum from here on.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "0..=0", flexible = "0..")]
pub struct VotersRecord {
    /// Version of the record.
    pub version: i16,
    /// The voters.
    pub voters: Vec<Voter>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A voter of the quorum.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct Voter {
    /// The voter's node id.
    pub voter_id: BrokerId,
    /// Id of the voter's metadata directory (KIP-853); all zero when not known.
    pub voter_directory_id: Uuid,
    /// The voter's listeners.
    pub endpoints: Vec<Endpoint>,
    /// The levels of `kraft.version` that the voter supports.
    pub k_raft_version_feature: KRaftVersionFeature,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A listener of the voter.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct Endpoint {
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

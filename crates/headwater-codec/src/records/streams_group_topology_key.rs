//! StreamsGroupTopologyKey (`__consumer_offsets`, version 23): KIP-1071.

use crate::{GroupId, Message};

/// Which streams group, for its topology. Stands after its version, which is its kind.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "23..=23", flexible = "none")]
pub struct StreamsGroupTopologyKey {
    /// The group's id.
    #[message(versions = "23..=23")]
    pub group_id: GroupId,
}

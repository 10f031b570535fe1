//! GroupMetadataKey (`__consumer_offsets`, version 2).

use crate::{GroupId, Message};

/// Which classic group. Stands after its version, which is its kind.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "2..=2", flexible = "none")]
pub struct GroupMetadataKey {
    /// The group's id.
    #[message(versions = "2..=2")]
    pub group: GroupId,
}

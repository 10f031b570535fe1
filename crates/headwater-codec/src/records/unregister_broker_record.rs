//! UnregisterBrokerRecord (metadata record 1, version 0).

use crate::{BrokerId, Message, UnknownTags};

/// A broker is gone for good.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, type_id = 1, versions = "0..=0", flexible = "0..")]
pub struct UnregisterBrokerRecord {
    /// The broker's node id.
    pub broker_id: BrokerId,
    /// The broker's epoch: the offset of its registration in the metadata log.
    pub broker_epoch: i64,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

//! ProducerIdsRecord (metadata record 15, version 0): KIP-730.

use crate::{BrokerId, Message, UnknownTags};

/// A block of producer ids was given to a broker.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, type_id = 15, versions = "0..=0", flexible = "0..")]
pub struct ProducerIdsRecord {
    /// The broker that got the block.
    pub broker_id: BrokerId,
    /// The epoch of that broker; -1 when not known.
    #[message(default = -1)]
    pub broker_epoch: i64,
    /// The first producer id after the block.
    pub next_producer_id: i64,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

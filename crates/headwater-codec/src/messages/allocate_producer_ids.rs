//! AllocateProducerIds (key 67, version 0): a broker takes a block of producer ids. From brokers to the
//! controller. KIP-730.

use crate::{BrokerId, ErrorCode, Message, ProducerId, UnknownTags};

/// The broker that needs a block.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = AllocateProducerIds, request, versions = "0..=0", flexible = "0..")]
pub struct AllocateProducerIdsRequest {
    /// The broker's node id.
    pub broker_id: BrokerId,
    /// The broker's epoch: the offset of its registration in the metadata log.
    #[message(default = -1)]
    pub broker_epoch: i64,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The block.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = AllocateProducerIds, response, versions = "0..=0", flexible = "0..")]
pub struct AllocateProducerIdsResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// First id of the block.
    pub producer_id_start: ProducerId,
    /// How many ids there are in the block.
    pub producer_id_len: i32,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

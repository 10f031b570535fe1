//! BrokerRegistrationChangeRecord (metadata record 17, versions 0-3): KIP-841, KIP-858, KIP-1066.

use crate::{BrokerId, Message, UnknownTags, Uuid};

/// Some of a broker's registration has changed. What is at its default has not.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, type_id = 17, versions = "0..=3", flexible = "0..")]
pub struct BrokerRegistrationChangeRecord {
    /// The broker's node id.
    pub broker_id: BrokerId,
    /// The broker's epoch: the offset of its registration in the metadata log.
    pub broker_epoch: i64,
    /// 1 fenced, -1 unfenced, 0 no change.
    #[message(tag = 0, tagged = "0..")]
    pub fenced: i8,
    /// 1 shutting down, 0 no change.
    #[message(versions = "1..", tag = 1, tagged = "1..")]
    pub in_controlled_shutdown: i8,
    /// Ids of its log directories that are online; empty for no change (KIP-858).
    #[message(versions = "2..", tag = 2, tagged = "2..")]
    pub log_dirs: Vec<Uuid>,
    /// Ids of its log directories that take no new logs; null for no change (KIP-1066).
    #[message(versions = "3..", nullable = "3..", tag = 3, tagged = "3..", default = null)]
    pub cordoned_log_dirs: Option<Vec<Uuid>>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

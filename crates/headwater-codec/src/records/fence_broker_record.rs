//! FenceBrokerRecord (metadata record 7, version 0).

use crate::{BrokerId, Message, UnknownTags};

/// A broker was fenced: it leads nothing. Newer versions write `BrokerRegistrationChangeRecord`.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, type_id = 7, versions = "0..=0", flexible = "0..")]
pub struct FenceBrokerRecord {
    /// The broker's node id.
    pub id: BrokerId,
    /// The broker's epoch.
    pub epoch: i64,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

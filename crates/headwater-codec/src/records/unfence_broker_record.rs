//! UnfenceBrokerRecord (metadata record 8, version 0).

use crate::{BrokerId, Message, UnknownTags};

/// A broker was unfenced: it may lead. Newer versions write `BrokerRegistrationChangeRecord`.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, type_id = 8, versions = "0..=0", flexible = "0..")]
pub struct UnfenceBrokerRecord {
    /// The broker's node id.
    pub id: BrokerId,
    /// The broker's epoch.
    pub epoch: i64,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

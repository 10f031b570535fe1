//! Feature levels: what a directory was written at, and the record versions that follow from it.

/// The level a fresh directory starts at, 4.0-IV3: every Kafka 4 can open it.
pub(crate) const FRESH_METADATA_VERSION: i16 = 25;
/// The lowest level that Kafka 4 opens, 3.3-IV3.
pub(crate) const MIN_METADATA_VERSION: i16 = 7;
/// The highest level known here, 4.3-IV0.
pub(crate) const MAX_METADATA_VERSION: i16 = 30;

/// The feature that names the level of the metadata records.
pub(crate) const METADATA_VERSION: &str = "metadata.version";
/// The feature that names the level of the quorum's own records; it is set by a control record.
pub(crate) const KRAFT_VERSION: &str = "kraft.version";

/// What Kafka's own formatting sets at [`FRESH_METADATA_VERSION`], in its order.
pub(crate) const FRESH_FEATURES: [(&str, i16); 3] =
    [(METADATA_VERSION, FRESH_METADATA_VERSION), ("group.version", 1), ("transaction.version", 2)];

/// The levels that a registration says this node supports, by name.
pub(crate) const SUPPORTED_FEATURES: [(&str, i16, i16); 7] = [
    ("eligible.leader.replicas.version", 0, 1),
    ("group.version", 0, 1),
    (KRAFT_VERSION, 0, 1),
    (METADATA_VERSION, MIN_METADATA_VERSION, MAX_METADATA_VERSION),
    ("share.version", 0, 1),
    ("streams.version", 0, 1),
    ("transaction.version", 0, 2),
];

/// A `metadata.version` and what may be written under it.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) struct MetadataVersion(pub(crate) i16);

impl MetadataVersion {
    /// The version of RegisterBrokerRecord.
    pub(crate) fn register_broker(self) -> i16 {
        match self.0 {
            30.. => 4,
            17.. => 3,
            8.. => 2,
            _ => 1,
        }
    }

    /// The version of PartitionRecord and PartitionChangeRecord.
    pub(crate) fn partition(self) -> i16 {
        match self.0 {
            23.. => 2,
            17.. => 1,
            _ => 0,
        }
    }

    /// Whether controllers register (KIP-919).
    pub(crate) fn has_controller_registration(self) -> bool {
        self.0 >= 15
    }

    /// Whether several batches can be one change (KIP-868).
    pub(crate) fn has_transactions(self) -> bool {
        self.0 >= 13
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers are those that the classes of Apache Kafka 4.3.0 give.
    #[test]
    fn record_versions_follow_the_level() {
        for (level, register_broker, partition) in [
            (7, 1, 0),
            (8, 2, 0),
            (16, 2, 0),
            (17, 3, 1),
            (22, 3, 1),
            (23, 3, 2),
            (25, 3, 2),
            (29, 3, 2),
            (30, 4, 2),
        ] {
            let version = MetadataVersion(level);
            assert_eq!(version.register_broker(), register_broker, "RegisterBroker at {level}");
            assert_eq!(version.partition(), partition, "Partition at {level}");
        }
    }
}

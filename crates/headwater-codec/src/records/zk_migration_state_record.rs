//! ZkMigrationStateRecord (metadata record 21, version 0): KIP-866.

use crate::{Message, UnknownTags};

/// How far a migration from ZooKeeper has come. Only logs that were begun by Kafka 3 have it.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, type_id = 21, versions = "0..=0", flexible = "0..")]
pub struct ZkMigrationStateRecord {
    /// 0 none, 1 prepared, 2 under way, 3 done.
    pub zk_migration_state: i8,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

//! What an operator can set about groups.

use std::time::Duration;

/// Settings that hold for every group. The defaults are Kafka's.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupConfig {
    /// How long an empty group waits for more members after the first one (`group.initial.rebalance.delay.ms`, KIP-134).
    pub initial_rebalance_delay: Duration,
    /// The shortest session that a member may ask for (`group.min.session.timeout.ms`).
    pub session_timeout_min: Duration,
    /// The longest session that a member may ask for (`group.max.session.timeout.ms`).
    pub session_timeout_max: Duration,
    /// How many members a group may have (`group.max.size`, KIP-389).
    pub members_max: usize,
    /// How long the parked join of a new member is kept: it has no session yet.
    pub new_member_join_timeout: Duration,
    /// How long an offset's metadata may be, in UTF-16 units as Kafka counts them (`offset.metadata.max.bytes`).
    pub offset_metadata_max: usize,
    /// How long offsets are kept that nobody uses (`offsets.retention.minutes`, KIP-211).
    pub offsets_retention: Duration,
}

impl Default for GroupConfig {
    fn default() -> Self {
        Self {
            initial_rebalance_delay: Duration::from_secs(3),
            session_timeout_min: Duration::from_secs(6),
            session_timeout_max: Duration::from_secs(30 * 60),
            members_max: i32::MAX as usize,
            new_member_join_timeout: Duration::from_secs(5 * 60),
            offset_metadata_max: 4096,
            offsets_retention: Duration::from_secs(7 * 24 * 60 * 60),
        }
    }
}

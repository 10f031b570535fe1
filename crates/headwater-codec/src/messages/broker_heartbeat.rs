//! BrokerHeartbeat (key 63, versions 0-2): a broker shows that it is alive, and asks to be fenced, unfenced
//! or shut down. From brokers to the controller. KIP-631, KIP-858, KIP-1066.

use crate::{BrokerId, ErrorCode, Message, UnknownTags, Uuid};

/// A sign of life.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = BrokerHeartbeat, request, versions = "0..=2", flexible = "0..")]
pub struct BrokerHeartbeatRequest {
    /// The broker's node id.
    pub broker_id: BrokerId,
    /// The broker's epoch.
    #[message(default = -1)]
    pub broker_epoch: i64,
    /// Offset up to which the broker has the metadata log.
    pub current_metadata_offset: i64,
    /// Whether the broker wants to be fenced: to lead nothing.
    pub want_fence: bool,
    /// Whether the broker wants to be shut down.
    pub want_shut_down: bool,
    /// Ids of its log directories that have failed (KIP-858).
    #[message(versions = "1..", tag = 0, tagged = "1..")]
    pub offline_log_dirs: Vec<Uuid>,
    /// Ids of its log directories that take no new logs; null when not told (KIP-1066).
    #[message(versions = "2..", nullable = "2..", tag = 1, tagged = "2..", default = null)]
    pub cordoned_log_dirs: Option<Vec<Uuid>>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// How the broker stands.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = BrokerHeartbeat, response, versions = "0..=2", flexible = "0..")]
pub struct BrokerHeartbeatResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// Whether the broker has about all of the metadata log.
    pub is_caught_up: bool,
    /// Whether the broker is fenced.
    #[message(default = true)]
    pub is_fenced: bool,
    /// Whether the broker leads nothing any more and may go.
    pub should_shut_down: bool,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

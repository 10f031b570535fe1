//! Consumer groups as pure state machines: no task, no clock, no storage, no channel.
//!
//! A [`Group`] takes events and gives [`Effects`]: records to persist and replies to send. The shell around it
//! persists the records, reports how that went with [`GroupEvent::Persisted`] or [`GroupEvent::PersistFailed`], and asks
//! [`Group::next_timeout`] after every call that takes `&mut self`. A change takes effect when its records are durable,
//! so what is not durable was never answered. A [`GroupShard`] holds the groups of one partition of
//! `__consumer_offsets`, and rebuilds them from the partition's records.
//!
//! Classic groups: KIP-62, 88, 211, 345, 389, 394, 429, 496, 518, 559, 800, 814.
//!
//! ```
//! use std::{sync::Arc, time::{Duration, Instant}};
//! use headwater_codec::GroupId;
//! use headwater_coordinator::{GroupConfig, GroupEvent, GroupShard, HeartbeatRequest, Now, Reply, Token};
//!
//! let mut shard = GroupShard::new(Arc::new(GroupConfig::default()));
//! let now = Now { at: Instant::now(), wall_ms: 1_700_000_000_000 };
//! let heartbeat = HeartbeatRequest { member_id: "m".into(), instance_id: None, generation: 1 };
//! let effects = shard.handle(&GroupId::from("g"), GroupEvent::Heartbeat(Token(7), heartbeat), now);
//! assert_eq!(effects.replies, [(Token(7), Reply::Heartbeat(headwater_codec::ErrorCode::UnknownMemberId))]);
//! ```

mod config;
mod deadlines;
mod effects;
mod error;
mod event;
mod group;
mod member;
mod offsets;
mod partition;
mod records;
mod shard;
mod state;

pub use config::GroupConfig;
pub use effects::{
    Effects, GroupRecord, JoinReply, JoinedMember, LeaveReply, LeftMember, Reply, SyncReply, Token, Write,
    WriteId,
};
pub use error::CoordinatorError;
pub use event::{
    CommitRequest, GroupEvent, HeartbeatRequest, JoinRequest, LeaveMember, LeaveRequest, Now, OffsetToCommit,
    Protocol, SyncAssignment, SyncRequest,
};
pub use group::{Group, GroupDescription, MemberDescription};
pub use offsets::CommittedOffset;
pub use partition::partition_for;
pub use shard::{GroupShard, ListedGroup, Replayed};
pub use state::GroupState;

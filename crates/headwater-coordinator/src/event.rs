//! What can happen to a group.

use std::time::{Duration, Instant};

use bytes::Bytes;
use headwater_codec::{ErrorCode, Str, TopicName, Uuid};

use crate::{Token, WriteId};

/// The time of an event, by both clocks: timers run on the steady one, records carry the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Now {
    /// The steady clock.
    pub at: Instant,
    /// The broker's time, milliseconds since the epoch.
    pub wall_ms: i64,
}

/// What can happen to a group.
///
/// Every event with a [`Token`] is answered exactly once, at once or later.
#[derive(Clone, Debug, PartialEq)]
pub enum GroupEvent {
    /// A member joins, or joins again.
    Join(Token, JoinRequest),
    /// A member asks for its assignment; the leader brings everybody's.
    Sync(Token, SyncRequest),
    /// A member lives.
    Heartbeat(Token, HeartbeatRequest),
    /// Members leave, or are removed by an operator (KIP-345).
    Leave(Token, LeaveRequest),
    /// Offsets are committed, by a member or by somebody outside any generation.
    Commit(Token, CommitRequest),
    /// Offsets are to be forgotten (KIP-496).
    DeleteOffsets(Token, Vec<(TopicName, i32)>),
    /// The group is to be forgotten (KIP-229).
    Delete(Token),
    /// The topics no longer exist. Offsets of topics made later under the same names stay.
    TopicsDeleted(Vec<(TopicName, Uuid)>),
    /// It is time to drop offsets that nobody uses (KIP-211).
    ExpireOffsets,
    /// A write is durable.
    Persisted(WriteId),
    /// A write failed; whoever waits for it is answered with this code.
    PersistFailed(WriteId, ErrorCode),
}

impl GroupEvent {
    /// Whether the event has to see every offset that was committed before it.
    pub(crate) const fn needs_settled_offsets(&self) -> bool {
        matches!(
            self,
            Self::DeleteOffsets(..) | Self::Delete(_) | Self::TopicsDeleted(_) | Self::ExpireOffsets
        )
    }
}

/// A protocol that a member can speak.
#[derive(Clone, Debug, PartialEq)]
pub struct Protocol {
    /// Its name; for consumers, the assignor's.
    pub name: Str,
    /// What the leader is told of the member under this protocol.
    pub metadata: Bytes,
}

/// A JoinGroup request.
#[derive(Clone, Debug, PartialEq)]
pub struct JoinRequest {
    /// The member's id, empty when it has none yet.
    pub member_id: Str,
    /// The name of a static member (KIP-345).
    pub instance_id: Option<Str>,
    /// The name that the client gives itself.
    pub client_id: Str,
    /// The client's address, as DescribeGroups tells it.
    pub client_host: Str,
    /// How long the member may be silent.
    pub session_timeout: Duration,
    /// How long the member may take to join again in a rebalance.
    pub rebalance_timeout: Duration,
    /// What kind of group the member expects, such as `consumer` or `connect`.
    pub protocol_type: Str,
    /// What the member speaks, what it likes best first.
    pub protocols: Vec<Protocol>,
    /// Whether a new member must come back with the id it is given (v4 and above, KIP-394).
    pub requires_known_member_id: bool,
    /// Whether a leader can be told to keep the assignment (v9 and above, KIP-814).
    pub supports_skip_assignment: bool,
    /// Whether an empty group need not wait for more members: this one brings all others that it knows of.
    pub joins_at_once: bool,
    /// Chance for a new member's id, fresh for every request.
    pub fresh_id: Uuid,
}

/// One member's assignment.
#[derive(Clone, Debug, PartialEq)]
pub struct SyncAssignment {
    /// Whose.
    pub member_id: Str,
    /// What; opaque to the broker.
    pub assignment: Bytes,
}

/// A SyncGroup request.
#[derive(Clone, Debug, PartialEq)]
pub struct SyncRequest {
    /// The member's id.
    pub member_id: Str,
    /// Its name, if it is a static member.
    pub instance_id: Option<Str>,
    /// The generation it has joined.
    pub generation: i32,
    /// The group's kind as the member knows it, `None` when it does not say (KIP-559).
    pub protocol_type: Option<Str>,
    /// The chosen protocol as the member knows it, `None` when it does not say (KIP-559).
    pub protocol: Option<Str>,
    /// From the leader: everybody's assignment.
    pub assignments: Vec<SyncAssignment>,
}

/// A Heartbeat request.
#[derive(Clone, Debug, PartialEq)]
pub struct HeartbeatRequest {
    /// The member's id.
    pub member_id: Str,
    /// Its name, if it is a static member.
    pub instance_id: Option<Str>,
    /// The generation it is in.
    pub generation: i32,
}

/// A member that leaves.
#[derive(Clone, Debug, PartialEq)]
pub struct LeaveMember {
    /// Its id; empty when an operator removes a static member by its name.
    pub member_id: Str,
    /// Its name, if it is a static member.
    pub instance_id: Option<Str>,
    /// Why, in its own words (KIP-800).
    pub reason: Option<Str>,
}

/// A LeaveGroup request.
#[derive(Clone, Debug, PartialEq)]
pub struct LeaveRequest {
    /// Who leaves.
    pub members: Vec<LeaveMember>,
}

/// One offset to commit.
#[derive(Clone, Debug, PartialEq)]
pub struct OffsetToCommit {
    /// The topic's name.
    pub topic: TopicName,
    /// The topic's id, so that a topic of the same name made later does not inherit the offset.
    pub topic_id: Uuid,
    /// The partition.
    pub partition: i32,
    /// The next offset to read.
    pub offset: i64,
    /// The leader epoch of the last record read, -1 when not known (KIP-320).
    pub leader_epoch: i32,
    /// The client's own words.
    pub metadata: Option<Str>,
}

/// An OffsetCommit request, its topics found.
#[derive(Clone, Debug, PartialEq)]
pub struct CommitRequest {
    /// The member's id, empty outside any generation.
    pub member_id: Str,
    /// Its name, if it is a static member.
    pub instance_id: Option<Str>,
    /// The generation, -1 outside any.
    pub generation: i32,
    /// Whether the client understands `GROUP_ID_NOT_FOUND` (v9 and above).
    pub knows_group_id_not_found: bool,
    /// How long to keep the offsets, if the client says so (v2 to v4).
    pub retention: Option<Duration>,
    /// What to commit.
    pub offsets: Vec<OffsetToCommit>,
}

//! What a group wants done.

use bytes::Bytes;
use headwater_codec::{ErrorCode, GroupId, Str};

/// Stands for whoever waits for a reply. The shell makes them up; a group only hands them back.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Token(pub u64);

/// Names one write of one group.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct WriteId(pub u64);

/// One record of `__consumer_offsets`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct GroupRecord {
    /// The key, as Kafka writes it.
    pub key: Bytes,
    /// The value, or `None` to remove the key.
    pub value: Option<Bytes>,
}

/// Records to persist, all or none. The group waits for the outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct Write {
    /// The group that waits.
    pub group: GroupId,
    /// By which name to report the outcome.
    pub id: WriteId,
    /// What to persist; never empty.
    pub records: Vec<GroupRecord>,
}

/// What a group wants done, in this order: persist, reply.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Effects {
    /// Records to persist, in the order in which they must stand in the log.
    pub writes: Vec<Write>,
    /// Replies to send now.
    pub replies: Vec<(Token, Reply)>,
}

impl Effects {
    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.writes.is_empty() && self.replies.is_empty()
    }

    /// Adds what `other` wants after what this wants.
    pub fn extend(&mut self, other: Self) {
        self.writes.extend(other.writes);
        self.replies.extend(other.replies);
    }

    pub(crate) fn reply(&mut self, token: Token, reply: Reply) {
        self.replies.push((token, reply));
    }
}

/// The answer to one event.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// To [`GroupEvent::Join`](crate::GroupEvent::Join).
    Join(JoinReply),
    /// To [`GroupEvent::Sync`](crate::GroupEvent::Sync).
    Sync(SyncReply),
    /// To [`GroupEvent::Heartbeat`](crate::GroupEvent::Heartbeat).
    Heartbeat(ErrorCode),
    /// To [`GroupEvent::Leave`](crate::GroupEvent::Leave).
    Leave(LeaveReply),
    /// To [`GroupEvent::Commit`](crate::GroupEvent::Commit): one code for each offset, in the request's order.
    Commit(Vec<ErrorCode>),
    /// To [`GroupEvent::DeleteOffsets`](crate::GroupEvent::DeleteOffsets): one code for each partition, in the
    /// request's order, or one for all.
    DeleteOffsets(Result<Vec<ErrorCode>, ErrorCode>),
    /// To [`GroupEvent::Delete`](crate::GroupEvent::Delete).
    Delete(ErrorCode),
}

/// A member as its leader is told of it.
#[derive(Clone, Debug, PartialEq)]
pub struct JoinedMember {
    /// Its id.
    pub member_id: Str,
    /// Its name, if it is a static member.
    pub instance_id: Option<Str>,
    /// Its metadata under the chosen protocol.
    pub metadata: Bytes,
}

/// The answer to a join.
#[derive(Clone, Debug, PartialEq)]
pub struct JoinReply {
    /// How it went.
    pub error: ErrorCode,
    /// The generation joined, -1 after an error.
    pub generation: i32,
    /// The group's kind.
    pub protocol_type: Option<Str>,
    /// The chosen protocol.
    pub protocol: Option<Str>,
    /// The leader's id.
    pub leader: Str,
    /// Whether a leader that came back must not assign anew (KIP-814).
    pub skip_assignment: bool,
    /// The member's id.
    pub member_id: Str,
    /// For the leader: everybody.
    pub members: Vec<JoinedMember>,
}

impl JoinReply {
    pub(crate) fn failed(member_id: Str, error: ErrorCode) -> Self {
        Self {
            error,
            generation: -1,
            protocol_type: None,
            protocol: None,
            leader: Str::default(),
            skip_assignment: false,
            member_id,
            members: Vec::new(),
        }
    }
}

/// The answer to a sync.
#[derive(Clone, Debug, PartialEq)]
pub struct SyncReply {
    /// How it went.
    pub error: ErrorCode,
    /// The group's kind.
    pub protocol_type: Option<Str>,
    /// The chosen protocol.
    pub protocol: Option<Str>,
    /// The member's assignment; empty after an error or when the leader left the member out.
    pub assignment: Bytes,
}

impl SyncReply {
    pub(crate) const fn failed(error: ErrorCode) -> Self {
        Self { error, protocol_type: None, protocol: None, assignment: Bytes::new() }
    }
}

/// How it went for one member that leaves.
#[derive(Clone, Debug, PartialEq)]
pub struct LeftMember {
    /// The id that the request gave.
    pub member_id: Str,
    /// The name that the request gave.
    pub instance_id: Option<Str>,
    /// How it went.
    pub error: ErrorCode,
}

/// The answer to a leave.
#[derive(Clone, Debug, PartialEq)]
pub struct LeaveReply {
    /// What is wrong with the request as a whole.
    pub error: ErrorCode,
    /// The members, in the request's order.
    pub members: Vec<LeftMember>,
}

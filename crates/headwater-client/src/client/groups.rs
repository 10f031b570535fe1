//! Consumer groups.

use headwater_codec::{GroupId, Str};
use headwater_native::messages::{
    DeleteGroup, DescribeGroup, GroupDescription, GroupHeartbeat, GroupSummary, JoinGroup, LeaveGroup,
    ListGroups, TopicAssignment,
};

use super::{Client, expected};
use crate::ClientError;

/// A membership in a group, and what the member is to read.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Membership {
    /// The group.
    pub group: GroupId,
    /// The member's id.
    pub member: Str,
    /// Partitions by topic, sorted.
    pub assignment: Vec<TopicAssignment>,
}

impl Client {
    /// Becomes a member of a group, or stays one: the answer says what to read from now on.
    ///
    /// An empty `member` lets the server choose an id. Only a member's fetches are limited to its assignment, and a
    /// member must say that it lives, by [`heartbeat`](Client::heartbeat) or by reading.
    ///
    /// # Errors
    /// The server's refusal, and what can go wrong with any call.
    pub async fn join_group(
        &self,
        group: &str,
        topics: impl IntoIterator<Item = &str>,
        member: &str,
    ) -> Result<Membership, ClientError> {
        let topics = topics.into_iter().map(Into::into).collect();
        let join = JoinGroup { group: group.into(), member: member.into(), topics };
        let assignment = expected!(self.connection.call(&join).await?, GroupAssignment)?;
        Ok(Membership {
            group: join.group,
            member: assignment.member.detached(),
            assignment: assignment.assignment,
        })
    }

    /// Says that a member lives.
    ///
    /// # Errors
    /// As [`Client::join_group`]; [`GROUP_MEMBER_UNKNOWN`](crate::ErrorCode::GROUP_MEMBER_UNKNOWN) when it must join
    /// again.
    pub async fn heartbeat(&self, membership: &Membership) -> Result<(), ClientError> {
        let Membership { group, member, .. } = membership.clone();
        self.done(&GroupHeartbeat { group, member }).await
    }

    /// Ends a membership.
    ///
    /// # Errors
    /// As [`Client::join_group`].
    pub async fn leave_group(&self, membership: &Membership) -> Result<(), ClientError> {
        let Membership { group, member, .. } = membership.clone();
        self.done(&LeaveGroup { group, member }).await
    }

    /// All groups, those included that have only offsets.
    ///
    /// # Errors
    /// As [`Client::join_group`].
    pub async fn list_groups(&self) -> Result<Vec<GroupSummary>, ClientError> {
        Ok(expected!(self.connection.call(&ListGroups {}).await?, GroupList)?.groups)
    }

    /// A group's members and offsets.
    ///
    /// # Errors
    /// As [`Client::join_group`].
    pub async fn describe_group(&self, group: &str) -> Result<GroupDescription, ClientError> {
        expected!(self.connection.call(&DescribeGroup { group: group.into() }).await?, GroupDescription)
    }

    /// Deletes a group without members, and its offsets.
    ///
    /// # Errors
    /// As [`Client::join_group`].
    pub async fn delete_group(&self, group: &str) -> Result<(), ClientError> {
        self.done(&DeleteGroup { group: group.into() }).await
    }
}

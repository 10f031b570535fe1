//! Who asks for what. Whoever is let in may do everything; the call sites stand for the day that changes.

use std::{borrow::Cow, fmt};

use headwater_codec::{ErrorCode, GroupId, TopicName, TransactionalId};

/// What is done to a resource. Kafka's ACL operations.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Operation {
    /// Read records, or take part in a group.
    Read,
    /// Write records.
    Write,
    /// Create a topic.
    Create,
    /// Delete a topic, its records, or a group.
    Delete,
    /// Change a topic's partitions.
    Alter,
    /// See that a resource exists.
    Describe,
    /// Read configs.
    DescribeConfigs,
    /// Change configs.
    AlterConfigs,
    /// Write idempotently without a right to any one topic (KIP-98).
    IdempotentWrite,
}

/// What something is done to.
#[derive(Clone, Copy, Debug)]
#[allow(dead_code, reason = "the names will matter once there are ACLs")]
pub(crate) enum Resource<'a> {
    /// The cluster as a whole.
    Cluster,
    /// A topic.
    Topic(&'a TopicName),
    /// A consumer group.
    Group(&'a GroupId),
    /// A transactional producer.
    TransactionalId(&'a TransactionalId),
}

impl Resource<'_> {
    /// The code that tells a client it may not touch this.
    pub(crate) fn refusal(self) -> ErrorCode {
        match self {
            Self::Cluster => ErrorCode::ClusterAuthorizationFailed,
            Self::Topic(_) => ErrorCode::TopicAuthorizationFailed,
            Self::Group(_) => ErrorCode::GroupAuthorizationFailed,
            Self::TransactionalId(_) => ErrorCode::TransactionalIdAuthorizationFailed,
        }
    }
}

/// Who a connection belongs to.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Principal {
    name: Cow<'static, str>,
}

impl Principal {
    /// Somebody who did not log in. Kafka calls it by this name, in quotas too.
    pub(crate) const ANONYMOUS: Self = Self { name: Cow::Borrowed("ANONYMOUS") };

    /// A user who has logged in.
    pub(crate) fn user(name: &str) -> Self {
        Self { name: Cow::Owned(name.to_owned()) }
    }

    /// The user's name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Whether this principal may do `operation` on `resource`; otherwise [`Resource::refusal`].
    pub(crate) fn authorize(&self, operation: Operation, resource: Resource<'_>) -> Result<(), ErrorCode> {
        if self.may(operation, resource) { Ok(()) } else { Err(resource.refusal()) }
    }

    /// There are no ACLs, and without an authorizer Kafka allows everything.
    #[expect(clippy::unused_self, reason = "who asks will matter once there are ACLs")]
    fn may(&self, _operation: Operation, _resource: Resource<'_>) -> bool {
        true
    }
}

impl Default for Principal {
    /// Nobody has logged in yet.
    fn default() -> Self {
        Self::ANONYMOUS
    }
}

impl fmt::Display for Principal {
    /// As Kafka writes it: `User:name`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "User:{}", self.name)
    }
}

/// Bits of the operations allowed on a topic, as Metadata and DescribeTopicPartitions tell them (KIP-430).
pub(crate) const TOPIC_OPERATIONS: i32 = bits(&[3, 4, 5, 6, 7, 8, 10, 11]);
/// Bits of the operations allowed on the cluster, as Metadata and DescribeCluster tell them (KIP-430).
pub(crate) const CLUSTER_OPERATIONS: i32 = bits(&[5, 7, 8, 9, 10, 11, 12]);
/// Bits of the operations allowed on a group, as DescribeGroups tells them (KIP-430).
pub(crate) const GROUP_OPERATIONS: i32 = bits(&[3, 6, 8, 10, 11]);
/// What stands for operations that were not asked for.
pub(crate) const OPERATIONS_NOT_ASKED: i32 = i32::MIN;

const fn bits(operations: &[i32]) -> i32 {
    let (mut bits, mut index) = (0, 0);
    while index < operations.len() {
        bits |= 1 << operations[index];
        index += 1;
    }
    bits
}

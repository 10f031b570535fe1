//! Consumer groups.

use headwater_codec::{GroupId, Offset, Str, TopicName};

use crate::{
    PartitionId, limits,
    wire::{message, part},
};

message! {
    /// JOIN_GROUP: becomes or stays a member, and asks what to read.
    JoinGroup, JoinGroup {
        /// The group.
        group: GroupId => group,
        /// The member's id; empty for one that the server chooses.
        member: Str => text(limits::MEMBER_BYTES_MAX),
        /// The topics that the member wants to read.
        topics: Vec<TopicName> => list(limits::JOIN_TOPICS_MAX),
    }
}

part! {
    /// The partitions of one topic that a member reads.
    TopicAssignment, 8 {
        /// The topic.
        topic: TopicName => topic,
        /// The partitions.
        partitions: Vec<PartitionId> => list(limits::LIST_MAX),
    }
}

message! {
    /// GROUP_ASSIGNMENT: what the member is to read.
    GroupAssignment, GroupAssignment {
        /// The member's id.
        member: Str => text(limits::MEMBER_BYTES_MAX),
        /// Partitions by topic, sorted.
        assignment: Vec<TopicAssignment> => list(limits::LIST_MAX),
    }
}

message! {
    /// LEAVE_GROUP: ends the membership. Answered with OK.
    LeaveGroup, LeaveGroup {
        /// The group.
        group: GroupId => group,
        /// The member's id.
        member: Str => text(limits::MEMBER_BYTES_MAX),
    }
}

message! {
    /// GROUP_HEARTBEAT: keeps the membership alive. Answered with OK.
    GroupHeartbeat, GroupHeartbeat {
        /// The group.
        group: GroupId => group,
        /// The member's id.
        member: Str => text(limits::MEMBER_BYTES_MAX),
    }
}

message! {
    /// LIST_GROUPS: asks for all groups.
    ListGroups, ListGroups {}
}

part! {
    /// One group of a list.
    GroupSummary, 12 {
        /// Its id.
        group: GroupId => group,
        /// `empty`, `preparing_rebalance`, `completing_rebalance`, `stable` or `dead`.
        state: Str => text(limits::STRING_BYTES_MAX),
        /// How many members it has.
        members: u32 => u32,
    }
}

message! {
    /// GROUP_LIST: all groups, those included that have only offsets.
    GroupList, GroupList {
        /// The groups.
        groups: Vec<GroupSummary> => list(limits::GROUPS_MAX),
    }
}

message! {
    /// DESCRIBE_GROUP: asks for a group's members and offsets.
    DescribeGroup, DescribeGroup {
        /// Its id.
        group: GroupId => group,
    }
}

part! {
    /// One member of a group.
    GroupMember, 8 {
        /// Its id.
        member: Str => text(limits::STRING_BYTES_MAX),
        /// Partitions by topic.
        assignment: Vec<TopicAssignment> => list(limits::LIST_MAX),
    }
}

part! {
    /// One committed offset of a group.
    GroupOffset, 16 {
        /// The topic.
        topic: TopicName => topic,
        /// The partition.
        partition: PartitionId => partition,
        /// The next offset to read.
        offset: Offset => offset,
    }
}

message! {
    /// GROUP_DESCRIPTION: a group's members and offsets.
    GroupDescription, GroupDescription {
        /// Its id.
        group: GroupId => group,
        /// Its state, as in [`GroupSummary`].
        state: Str => text(limits::STRING_BYTES_MAX),
        /// Its members.
        members: Vec<GroupMember> => list(limits::LIST_MAX),
        /// Its committed offsets.
        offsets: Vec<GroupOffset> => list(limits::LIST_MAX),
    }
}

message! {
    /// DELETE_GROUP: deletes a group without members, and its offsets. Answered with OK.
    DeleteGroup, DeleteGroup {
        /// Its id.
        group: GroupId => group,
    }
}

//! StreamsGroupCurrentMemberAssignmentValue (`__consumer_offsets`, version 0): KIP-1071.

use crate::{Message, Str, UnknownTags};

/// Tasks that a member has, and on which side of a change it is. Stands after its version.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "0..=0", flexible = "0..")]
pub struct StreamsGroupCurrentMemberAssignmentValue {
    /// The member's epoch.
    pub member_epoch: i32,
    /// The member's epoch before the last change.
    pub previous_member_epoch: i32,
    /// On which side of a change the member is: 0 stable, 1 giving up partitions, 2 waiting for
    /// partitions that others have to give up.
    pub state: i8,
    /// Tasks that run.
    pub active_tasks: Vec<TaskIds>,
    /// Tasks that keep a copy of stores.
    pub standby_tasks: Vec<TaskIds>,
    /// Tasks that fill their stores before they run.
    pub warmup_tasks: Vec<TaskIds>,
    /// Running tasks that the member has to give up.
    pub active_tasks_pending_revocation: Vec<TaskIds>,
    /// Standby tasks that the member has to give up.
    pub standby_tasks_pending_revocation: Vec<TaskIds>,
    /// Warm-up tasks that the member has to give up.
    pub warmup_tasks_pending_revocation: Vec<TaskIds>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Tasks of one subtopology.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct TaskIds {
    /// The subtopology's id.
    pub subtopology_id: Str,
    /// Partitions of the tasks.
    pub partitions: Vec<i32>,
    /// The member epoch at which each of them was assigned, in the same order; empty when not known.
    #[message(nullable = "0..", tag = 0, tagged = "0..", ignorable)]
    pub assignment_epochs: Option<Vec<i32>>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

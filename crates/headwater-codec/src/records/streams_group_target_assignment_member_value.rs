//! StreamsGroupTargetAssignmentMemberValue (`__consumer_offsets`, version 0): KIP-1071.

use crate::{Message, Str, UnknownTags};

/// Tasks that a member should have. Stands after its version.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "0..=0", flexible = "0..")]
pub struct StreamsGroupTargetAssignmentMemberValue {
    /// Tasks that run.
    pub active_tasks: Vec<TaskIds>,
    /// Tasks that keep a copy of stores.
    pub standby_tasks: Vec<TaskIds>,
    /// Tasks that fill their stores before they run.
    pub warmup_tasks: Vec<TaskIds>,
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
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

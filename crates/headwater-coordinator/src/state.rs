//! The states of a classic group.

use std::fmt;

/// Where a classic group is in its life.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum GroupState {
    /// No members; there may be offsets.
    Empty,
    /// Members are joining the next generation.
    PreparingRebalance,
    /// The generation stands; its leader has not yet sent the assignment.
    CompletingRebalance,
    /// Every member has its assignment.
    Stable,
    /// The group does not exist.
    Dead,
}

impl GroupState {
    /// Kafka's name, as DescribeGroups and ListGroups give it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Empty => "Empty",
            Self::PreparingRebalance => "PreparingRebalance",
            Self::CompletingRebalance => "CompletingRebalance",
            Self::Stable => "Stable",
            Self::Dead => "Dead",
        }
    }
}

impl fmt::Display for GroupState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

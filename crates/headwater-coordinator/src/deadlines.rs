//! When each member's silence ends its membership.

use std::{
    collections::{BTreeSet, HashMap},
    time::Instant,
};

use headwater_codec::Str;

/// One deadline for each member at most.
#[derive(Clone, Debug, Default)]
pub(crate) struct Deadlines {
    by_time: BTreeSet<(Instant, Str)>,
    by_member: HashMap<Str, Instant>,
}

impl Deadlines {
    /// Sets the member's deadline in place of the one it had.
    pub(crate) fn set(&mut self, member_id: &Str, at: Instant) {
        self.cancel(member_id);
        self.by_time.insert((at, member_id.clone()));
        self.by_member.insert(member_id.clone(), at);
    }

    /// Takes the member's deadline away.
    pub(crate) fn cancel(&mut self, member_id: &Str) {
        if let Some(at) = self.by_member.remove(member_id) {
            self.by_time.remove(&(at, member_id.clone()));
        }
    }

    /// The earliest deadline.
    pub(crate) fn first(&self) -> Option<Instant> {
        self.by_time.first().map(|(at, _)| *at)
    }

    /// Whether the member has a deadline.
    #[cfg(test)]
    pub(crate) fn has(&self, member_id: &Str) -> bool {
        self.by_member.contains_key(member_id)
    }

    /// Takes one member whose deadline is not after `now`.
    pub(crate) fn take_due(&mut self, now: Instant) -> Option<Str> {
        if self.first()? > now {
            return None;
        }
        let (_, member_id) = self.by_time.pop_first()?;
        self.by_member.remove(&member_id);
        Some(member_id)
    }
}

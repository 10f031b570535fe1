//! The groups of one partition of `__consumer_offsets`.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
    time::Instant,
};

use bytes::Bytes;
use headwater_codec::{GroupId, Str, TopicName, Uuid};

use crate::{
    CommittedOffset, CoordinatorError, Effects, Group, GroupConfig, GroupDescription, GroupEvent, GroupState,
    Now,
    records::{self, Decoded},
};

/// The groups of one partition of `__consumer_offsets`, with their timers.
///
/// A group comes into being with the first event that leaves something to remember, and goes when nothing is left.
#[derive(Debug)]
pub struct GroupShard {
    config: Arc<GroupConfig>,
    groups: HashMap<GroupId, Slot>,
    timers: BTreeSet<(Instant, GroupId)>,
}

#[derive(Debug)]
struct Slot {
    group: Group,
    /// The group's entry among the timers.
    timer: Option<Instant>,
}

/// A group as ListGroups tells it.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedGroup {
    /// Its id.
    pub group_id: GroupId,
    /// Its kind, empty when nobody ever joined.
    pub protocol_type: Str,
    /// Its state.
    pub state: GroupState,
}

/// What became of a record that was replayed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Replayed {
    /// It is part of the state now.
    Applied,
    /// It is of a kind that is not kept here.
    Skipped,
}

impl GroupShard {
    /// A shard without groups.
    pub fn new(config: Arc<GroupConfig>) -> Self {
        Self { config, groups: HashMap::new(), timers: BTreeSet::new() }
    }

    /// Takes over one record, oldest first. Call [`GroupShard::loaded`] after the last one.
    ///
    /// # Errors
    /// [`CoordinatorError`] when the record does not decode; the state is as it was.
    pub fn replay(&mut self, key: Bytes, value: Option<Bytes>) -> Result<Replayed, CoordinatorError> {
        match records::decode(key, value)? {
            Decoded::Offset { group, topic, partition, value } => {
                self.replay_into(&group, |group| group.replay_offset(&topic, partition, value));
            }
            Decoded::Group { group, value } => self.replay_into(&group, |group| group.replay_metadata(value)),
            Decoded::Other => return Ok(Replayed::Skipped),
        }
        Ok(Replayed::Applied)
    }

    /// Everything is replayed: the members' sessions begin at `now`.
    pub fn loaded(&mut self, now: Now) -> Effects {
        self.for_each(|group| group.loaded(now))
    }

    /// Gives `event` to the group, which need not exist.
    pub fn handle(&mut self, group_id: &GroupId, event: GroupEvent, now: Now) -> Effects {
        self.with_group(group_id, |group| group.handle(event, now))
    }

    /// When [`GroupShard::on_timeout`] has something to do; ask again after every call that takes `&mut self`.
    pub fn next_timeout(&self) -> Option<Instant> {
        self.timers.first().map(|(at, _)| *at)
    }

    /// Does what is due by `now`.
    pub fn on_timeout(&mut self, now: Now) -> Effects {
        let mut effects = Effects::default();
        let due: Vec<GroupId> = self
            .timers
            .iter()
            .take_while(|(at, _)| *at <= now.at)
            .map(|(_, group_id)| group_id.clone())
            .collect();
        for group_id in due {
            effects.extend(self.with_group(&group_id, |group| group.on_timeout(now)));
        }
        effects
    }

    /// Drops offsets and groups that nobody uses (KIP-211).
    pub fn expire_offsets(&mut self, now: Now) -> Effects {
        self.for_each(|group| group.handle(GroupEvent::ExpireOffsets, now))
    }

    /// Drops the offsets of topics that no longer exist.
    pub fn topics_deleted(&mut self, topics: &[(TopicName, Uuid)], now: Now) -> Effects {
        self.for_each(|group| group.handle(GroupEvent::TopicsDeleted(topics.to_vec()), now))
    }

    /// What there is to tell of the group; `None` when it does not exist.
    pub fn describe(&self, group_id: &str) -> Option<GroupDescription> {
        self.groups.get(group_id)?.group.describe()
    }

    /// The offset that the group committed for that partition.
    pub fn offset(&self, group_id: &str, topic: &str, partition: i32) -> Option<&CommittedOffset> {
        self.groups.get(group_id)?.group.offset(topic, partition)
    }

    /// Every offset that the group committed, topics in order, partitions in order.
    pub fn offsets(&self, group_id: &str) -> impl Iterator<Item = (&TopicName, i32, &CommittedOffset)> {
        self.groups.get(group_id).into_iter().flat_map(|slot| slot.group.offsets())
    }

    /// Every topic for which some group has an offset, with its id as far as that was recorded. May repeat.
    pub fn topics(&self) -> impl Iterator<Item = (&TopicName, Uuid)> {
        let offsets = self.groups.values().flat_map(|slot| slot.group.offsets());
        offsets.map(|(topic, _, offset)| (topic, offset.topic_id))
    }

    /// How many groups there are.
    pub fn group_count(&self) -> usize {
        self.groups.len()
    }

    /// The groups that exist, in no order.
    pub fn list(&self) -> impl Iterator<Item = ListedGroup> {
        let existing = self.groups.iter().filter(|(_, slot)| slot.group.state() != GroupState::Dead);
        existing.map(|(group_id, slot)| ListedGroup {
            group_id: group_id.clone(),
            protocol_type: slot.group.protocol_type(),
            state: slot.group.state(),
        })
    }

    fn replay_into(&mut self, group_id: &GroupId, replay: impl FnOnce(&mut Group)) {
        self.with_group(group_id, |group| {
            replay(group);
            Effects::default()
        });
    }

    fn for_each(&mut self, mut act: impl FnMut(&mut Group) -> Effects) -> Effects {
        let mut effects = Effects::default();
        let group_ids: Vec<GroupId> = self.groups.keys().cloned().collect();
        for group_id in group_ids {
            effects.extend(self.with_group(&group_id, &mut act));
        }
        effects
    }

    /// Lets `act` change the group, then sets its timer, or lets it go if nothing is left of it.
    fn with_group(&mut self, group_id: &GroupId, act: impl FnOnce(&mut Group) -> Effects) -> Effects {
        if !self.groups.contains_key(group_id) {
            let group_id = GroupId::new(group_id.as_wire().detached());
            let group = Group::new(group_id.clone(), self.config.clone());
            self.groups.insert(group_id, Slot { group, timer: None });
        }
        let Some(slot) = self.groups.get_mut(group_id) else { return Effects::default() };
        let effects = act(&mut slot.group);
        let next = slot.group.next_timeout();
        let vacant = slot.group.is_vacant();
        if next != slot.timer {
            let group_id = slot.group.id().clone();
            if let Some(at) = std::mem::replace(&mut slot.timer, next) {
                self.timers.remove(&(at, group_id.clone()));
            }
            self.timers.extend(next.map(|at| (at, group_id)));
        }
        if vacant {
            self.groups.remove(group_id);
        }
        effects
    }
}

#[cfg(test)]
impl GroupShard {
    /// What holds of every shard between events.
    pub(crate) fn check_invariants(&self) {
        for (group_id, slot) in &self.groups {
            slot.group.check_invariants();
            assert!(!slot.group.is_vacant());
            assert_eq!(slot.timer, slot.group.next_timeout());
            assert!(slot.timer.is_none_or(|at| self.timers.contains(&(at, group_id.clone()))));
        }
        assert_eq!(self.timers.len(), self.groups.values().filter(|slot| slot.timer.is_some()).count());
    }
}

//! Where a connection reads on, and which topics it reads.

use std::collections::BTreeMap;

use headwater_codec::{Offset, TopicName, Uuid};

/// A partition of a topic, by the topic's id: a namesake made later is another one.
pub(super) type CursorKey = (Uuid, i32);

/// Where a connection reads on in each partition, and which topics it reads.
#[derive(Debug, Default)]
pub(super) struct Cursors {
    topics: Vec<TopicName>,
    next: BTreeMap<CursorKey, Offset>,
    turn: usize,
}

impl Cursors {
    /// The connection reads this topic from now on.
    pub(super) fn add(&mut self, topic: &TopicName) {
        if !self.topics.contains(topic) {
            self.topics.push(topic.detached());
        }
    }

    /// Every topic that the connection reads, in the order in which it named them.
    pub(super) fn topics(&self) -> &[TopicName] {
        &self.topics
    }

    /// Where the connection reads on; `None` when it has not read there yet.
    pub(super) fn next(&self, key: CursorKey) -> Option<Offset> {
        self.next.get(&key).copied()
    }

    /// Reads on there from now on.
    pub(super) fn set(&mut self, key: CursorKey, next: Offset) {
        self.next.insert(key, next);
    }

    /// Reads again from there, unless it has not come so far.
    pub(super) fn rewind(&mut self, key: CursorKey, to: Offset) {
        if let Some(next) = self.next.get_mut(&key) {
            *next = to.min(*next);
        }
    }

    /// Forgets where partitions were read that are not the connection's any more: whoever has them moves the group's
    /// offsets.
    pub(super) fn keep_only(&mut self, owned: impl Fn(CursorKey) -> bool) {
        self.next.retain(|key, _| owned(*key));
    }

    /// Which of `count` partitions is first this time: each has its turn, so that a small fetch starves none.
    pub(super) fn turn(&mut self, count: usize) -> usize {
        let turn = self.turn.checked_rem(count).unwrap_or(0);
        self.turn = self.turn.wrapping_add(1);
        turn
    }
}

/// How many records each partition may give.
pub(super) fn share(records_max: usize, partitions: usize) -> usize {
    records_max.div_ceil(partitions.max(1)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(offset: i64) -> Offset {
        Offset::new(offset).unwrap()
    }

    #[test]
    fn shares_round_up() {
        assert_eq!([share(12, 4), share(10, 4), share(2, 4), share(12, 1), share(5, 0)], [3, 3, 1, 12, 5]);
    }

    #[test]
    fn a_rewind_goes_back_alone() {
        let mut cursors = Cursors::default();
        let key = (Uuid::from_u128(1), 0);
        cursors.rewind(key, at(3));
        assert_eq!(cursors.next(key), None);
        cursors.set(key, at(9));
        cursors.rewind(key, at(12));
        assert_eq!(cursors.next(key), Some(at(9)));
        cursors.rewind(key, at(3));
        assert_eq!(cursors.next(key), Some(at(3)));
    }

    #[test]
    fn each_partition_has_its_turn() {
        let mut cursors = Cursors::default();
        let turns: Vec<usize> = (0..4).map(|_| cursors.turn(3)).collect();
        assert_eq!(turns, [0, 1, 2, 0]);
        assert_eq!(cursors.turn(0), 0);
    }
}

//! How often records could not be processed, for a bounded number of records.

use std::collections::BTreeMap;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use headwater_codec::{GroupId, Offset, Uuid};

/// A record that a group could not process. Ordered so that those of one group and partition follow one another by offset.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(in crate::native) struct Failing {
    pub(in crate::native) group: GroupId,
    /// By id: a namesake made later has other records.
    pub(in crate::native) topic_id: Uuid,
    pub(in crate::native) partition: i32,
    pub(in crate::native) offset: Offset,
}

/// Attempts by record. When there are too many records, the one that failed longest ago is forgotten.
#[derive(Debug)]
pub(super) struct Attempts {
    by_record: BTreeMap<Failing, Count>,
    by_age: BTreeMap<u64, Failing>,
    capacity: usize,
    next_age: u64,
}

#[derive(Clone, Copy, Debug)]
struct Count {
    attempts: u16,
    age: u64,
}

impl Attempts {
    /// Counters for at most `capacity` records.
    pub(super) fn new(capacity: usize) -> Self {
        Self { by_record: BTreeMap::new(), by_age: BTreeMap::new(), capacity: capacity.max(1), next_age: 0 }
    }

    /// How often the record has failed.
    pub(super) fn of(&self, record: &Failing) -> u16 {
        self.by_record.get(record).map_or(0, |count| count.attempts)
    }

    /// Where a group that is at `from` is to read on once `done` is done with: behind it, or at the first record between them
    /// that has failed, too, and still waits for its next delivery.
    pub(super) fn go_on_at(&self, from: Offset, done: &Failing) -> Offset {
        let behind = done.offset.plus(1);
        if from >= done.offset {
            return behind;
        }
        let from = Failing { offset: from, ..done.clone() };
        self.by_record.range(&from..done).next().map_or(behind, |(waiting, _)| waiting.offset)
    }

    /// The record has failed so often. Gives the records that are forgotten for it.
    pub(super) fn set(&mut self, record: Failing, attempts: u16) -> Vec<Failing> {
        self.remove(&record);
        self.next_age += 1;
        self.by_age.insert(self.next_age, record.clone());
        self.by_record.insert(record, Count { attempts, age: self.next_age });
        let mut forgotten = Vec::new();
        while self.by_record.len() > self.capacity {
            let Some((_, stalest)) = self.by_age.pop_first() else { break };
            self.by_record.remove(&stalest);
            forgotten.push(stalest);
        }
        forgotten
    }

    /// The record is done with.
    pub(super) fn remove(&mut self, record: &Failing) {
        if let Some(count) = self.by_record.remove(record) {
            self.by_age.remove(&count.age);
        }
    }

    /// Every record that is counted.
    pub(super) fn records(&self) -> impl Iterator<Item = &Failing> {
        self.by_age.values()
    }
}

impl Failing {
    /// The record's key in the state log.
    pub(super) fn encode(&self) -> Bytes {
        let group = self.group.as_str().as_bytes();
        let mut key = BytesMut::with_capacity(1 + 2 + group.len() + 16 + 4 + 8);
        key.put_u8(ATTEMPTS);
        // Group ids have 256 bytes at most.
        key.put_u16(u16::try_from(group.len()).unwrap_or(u16::MAX));
        key.put_slice(group);
        key.put_slice(self.topic_id.as_bytes());
        key.put_i32(self.partition);
        key.put_i64(self.offset.get());
        key.freeze()
    }

    /// Reads a key; `None` when it is another one.
    pub(super) fn decode(mut key: &[u8]) -> Option<Self> {
        let key = &mut key;
        if key.try_get_u8().ok()? != ATTEMPTS {
            return None;
        }
        let length = usize::from(key.try_get_u16().ok()?);
        let (group, rest) = key.split_at_checked(length)?;
        let group = GroupId::from(std::str::from_utf8(group).ok()?);
        *key = rest;
        let topic_id = Uuid::from_u128(key.try_get_u128().ok()?);
        let partition = key.try_get_i32().ok()?;
        let offset = Offset::new(key.try_get_i64().ok()?)?;
        Some(Self { group, topic_id, partition, offset })
    }
}

/// Keys of attempts begin with this.
const ATTEMPTS: u8 = 4;

#[cfg(test)]
mod tests {
    use super::*;

    fn failing(group: &str, offset: i64) -> Failing {
        let offset = Offset::new(offset).unwrap();
        Failing { group: group.into(), topic_id: Uuid::from_u128(1), partition: 0, offset }
    }

    #[test]
    fn groups_count_separately() {
        let mut attempts = Attempts::new(10);
        attempts.set(failing("a", 1), 2);
        attempts.set(failing("b", 1), 1);
        assert_eq!([attempts.of(&failing("a", 1)), attempts.of(&failing("b", 1))], [2, 1]);
        attempts.remove(&failing("a", 1));
        assert_eq!([attempts.of(&failing("a", 1)), attempts.of(&failing("b", 1))], [0, 1]);
    }

    #[test]
    fn a_group_does_not_go_past_a_record_that_waits() {
        let mut attempts = Attempts::new(10);
        for record in [failing("g", 3), failing("g", 5), failing("h", 2)] {
            attempts.set(record, 1);
        }
        attempts.set(Failing { partition: 1, ..failing("g", 2) }, 1);
        let at =
            |from: i64, done: i64| attempts.go_on_at(Offset::new(from).unwrap(), &failing("g", done)).get();
        assert_eq!([at(0, 5), at(3, 5)], [3, 3]);
        assert_eq!(
            [at(4, 5), at(5, 5), at(9, 5)],
            [6, 6, 6],
            "what lies before the group was delivered again"
        );
        assert_eq!([at(0, 3), at(0, 9), at(4, 9)], [4, 3, 5]);
    }

    #[test]
    fn the_stalest_record_is_forgotten_first() {
        let mut attempts = Attempts::new(2);
        attempts.set(failing("g", 1), 1);
        attempts.set(failing("g", 2), 1);
        attempts.set(failing("g", 1), 2);
        assert_eq!(attempts.set(failing("g", 3), 1), [failing("g", 2)]);
        assert_eq!([1, 2, 3].map(|offset| attempts.of(&failing("g", offset))), [2, 0, 1]);
        assert_eq!(attempts.records().count(), 2);
    }

    #[test]
    fn keys_read_back() {
        let record = failing("grüße", 77);
        let key = record.encode();
        assert_eq!(Failing::decode(&key), Some(record));
        for cut in 0..key.len() {
            assert_eq!(Failing::decode(&key[..cut]), None, "{cut}");
        }
        assert_eq!(Failing::decode(b"\x02rest"), None);
    }
}

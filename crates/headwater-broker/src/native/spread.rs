//! Which partition a record goes to.

use std::time::{Duration, Instant};

use headwater_codec::{PartitionIndex, ProducerId};
use headwater_native::{fnv1a, partition_for_key};

/// Chooses partitions for records without a key: some records in a row go to one, then another one is drawn.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spread {
    stays: Option<Stay>,
}

/// The partition that is filled now.
#[derive(Clone, Copy, Debug)]
struct Stay {
    partition: u32,
    records: u32,
    since: Instant,
}

impl Spread {
    /// The partition, of `count`, for a record with this key. `draw` is chance, and used when a new partition is due.
    pub(super) fn place(
        &mut self,
        key: &[u8],
        count: u32,
        now: Instant,
        draw: impl FnOnce() -> u32,
    ) -> PartitionIndex {
        if let Some(index) = partition_for_key(key, count) {
            return index;
        }
        let count = count.max(1);
        let stay = match &mut self.stays {
            Some(stay) if stay.partition < count && !stay.is_over(now) => stay,
            over => {
                let before = over.map(|stay| stay.partition).filter(|partition| *partition < count);
                over.insert(Stay { partition: another(before, count, draw()), records: 0, since: now })
            }
        };
        stay.records += 1;
        index(stay.partition)
    }
}

impl Stay {
    fn is_over(&self, now: Instant) -> bool {
        self.records >= RECORDS_IN_A_ROW || now.duration_since(self.since) >= STAY_MAX
    }
}

/// The partition of an idempotent producer's record: without a key it depends on the sequence number alone, so that a
/// record that is sent again goes where it went.
pub(super) fn place_idempotent(
    key: &[u8],
    count: u32,
    producer: ProducerId,
    sequence: u32,
) -> PartitionIndex {
    partition_for_key(key, count).unwrap_or_else(|| {
        let mut row = [0; 12];
        row[..8].copy_from_slice(&producer.get().to_be_bytes());
        row[8..].copy_from_slice(&(sequence / RECORDS_IN_A_ROW).to_be_bytes());
        index(fnv1a(&row) % count.max(1))
    })
}

/// A drawn partition that is not the one before, if there is another.
fn another(before: Option<u32>, count: u32, draw: u32) -> u32 {
    match before {
        Some(before) if count > 1 => (before + 1 + draw % (count - 1)) % count,
        _ => draw % count,
    }
}

/// Topics have far fewer partitions than 31 bits count.
fn index(partition: u32) -> PartitionIndex {
    PartitionIndex::new(i32::try_from(partition).unwrap_or(0))
}

/// Records without a key that go to one partition in a row.
const RECORDS_IN_A_ROW: u32 = 16;
/// How long a partition is stayed with at most.
const STAY_MAX: Duration = Duration::from_millis(10);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_decide_and_leave_the_row_alone() {
        let (mut spread, now) = (Spread::default(), Instant::now());
        let first = spread.place(b"", 4, now, || 3);
        assert_eq!(first.get(), 3);
        assert_eq!(spread.place(b"k1", 4, now, || unreachable!("a key needs no chance")).get(), 1);
        assert_eq!(spread.place(b"", 4, now, || unreachable!("the row is not over")), first);
    }

    #[test]
    fn another_partition_is_drawn_after_sixteen_records_or_ten_milliseconds() {
        let (mut spread, now) = (Spread::default(), Instant::now());
        let row: Vec<i32> = (0..17).map(|_| spread.place(b"", 4, now, || 0).get()).collect();
        assert_eq!(row[..16], [0; 16]);
        assert_eq!(row[16], 1, "never the same again");
        assert_eq!(spread.place(b"", 4, now + STAY_MAX, || 1).get(), 3);
        assert_eq!(spread.place(b"", 1, now, || 7).get(), 0, "the topic may be another one");
    }

    #[test]
    fn what_is_sent_again_goes_where_it_went() {
        let place = |sequence| place_idempotent(b"", 8, ProducerId::new(7), sequence);
        assert_eq!(place(0), place(15));
        let used: std::collections::BTreeSet<_> = (0..64).map(|row| place(row * 16).get()).collect();
        assert!(used.len() > 4, "{used:?}");
        assert_eq!(place_idempotent(b"k1", 4, ProducerId::new(7), 0).get(), 1);
    }
}

//! What a producer wrote last to a topic, so that what it sends again is answered and not written again.
//!
//! Numbers count per producer and topic, from 0. In the logs the same records bear a number per partition, as Kafka's
//! idempotent producers have it, which the store checks and recovers by itself. So a crash between the records and the
//! memo of them loses nothing: what is sent again gets the numbers in its partitions that it had, and the store answers with
//! the offsets that it had.

use std::collections::BTreeMap;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use headwater_codec::{Offset, PartitionIndex, Uuid};
use headwater_native::{PartitionId, messages::ProduceAck};

/// Where a record is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in crate::native) struct Place {
    pub(in crate::native) partition: PartitionIndex,
    pub(in crate::native) offset: Offset,
}

impl Place {
    /// As the client is told.
    pub(in crate::native) fn ack(self) -> ProduceAck {
        let partition = PartitionId::from_index(self.partition).unwrap_or_default();
        ProduceAck { partition, offset: self.offset }
    }
}

/// The last records of a producer in a topic.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(in crate::native) struct Sequence {
    topic_id: Uuid,
    epoch: u16,
    /// The number that the next record has.
    next: u32,
    /// The last batch's first number and its places; empty before the first one.
    last: (u32, Vec<Place>),
    /// The next number in each partition, as the log has it.
    in_partitions: BTreeMap<PartitionIndex, i32>,
    /// Records beyond a failure that were written: they will be sent again, and are not to be written again.
    ahead: BTreeMap<u32, Place>,
}

/// What to do with records.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(in crate::native) enum Verdict {
    /// They were written: these are their places.
    Replay(Vec<Place>),
    /// They are the next ones.
    Write,
    /// They are not; this number is expected.
    OutOfOrder(u32),
}

impl Sequence {
    /// Before the first record of an epoch.
    pub(in crate::native) fn new(topic_id: Uuid, epoch: u16) -> Self {
        Self {
            topic_id,
            epoch,
            next: 0,
            last: (0, Vec::new()),
            in_partitions: BTreeMap::new(),
            ahead: BTreeMap::new(),
        }
    }

    /// Whether it is about this topic, not a namesake of old, in this epoch.
    pub(in crate::native) fn is_of(&self, topic_id: Uuid, epoch: u16) -> bool {
        self.topic_id == topic_id && self.epoch == epoch
    }

    /// Judges one record that is sent alone.
    pub(in crate::native) fn judge_single(&self, sequence: u32) -> Verdict {
        match self.last.1.last() {
            Some(place) if sequence == self.next.wrapping_sub(1) => Verdict::Replay(vec![*place]),
            _ => self.judge_next(sequence),
        }
    }

    /// Judges a batch.
    pub(in crate::native) fn judge_batch(&self, base: u32, count: usize) -> Verdict {
        if !self.last.1.is_empty() && (base, count) == (self.last.0, self.last.1.len()) {
            return Verdict::Replay(self.last.1.clone());
        }
        self.judge_next(base)
    }

    fn judge_next(&self, sequence: u32) -> Verdict {
        if sequence == self.next { Verdict::Write } else { Verdict::OutOfOrder(self.next) }
    }

    /// Where the record with that number was written in spite of a failure before it.
    pub(in crate::native) fn ahead(&self, sequence: u32) -> Option<Place> {
        self.ahead.get(&sequence).copied()
    }

    /// The number in its partition of the next record there.
    pub(in crate::native) fn next_in(&self, partition: PartitionIndex) -> i32 {
        self.in_partitions.get(&partition).copied().unwrap_or(0)
    }

    /// Takes over what became of the records from `base` on: the place of each that was written. Those before the first
    /// that was not are done, and given back; those after it are remembered for when they are sent again.
    pub(in crate::native) fn written(&mut self, base: u32, places: &[Option<Place>]) -> Vec<Place> {
        let done: Vec<Place> = places.iter().map_while(|place| *place).collect();
        for (place, sequence) in places.iter().zip(0..).skip(done.len()) {
            if let Some(place) = place {
                self.ahead.insert(base.wrapping_add(sequence), *place);
            }
        }
        if !done.is_empty() {
            self.next = base.wrapping_add(u32::try_from(done.len()).unwrap_or(u32::MAX));
            self.last = (base, done.clone());
            let next = self.next;
            self.ahead.retain(|sequence, _| *sequence >= next);
        }
        done
    }

    /// So many records more were written to a partition.
    pub(in crate::native) fn advance(&mut self, partition: PartitionIndex, count: i32) {
        let next = self.in_partitions.entry(partition).or_default();
        // Numbers go on with 0 after the largest.
        *next = next.wrapping_add(count) & i32::MAX;
    }

    /// The memo's bytes: those of the original broker, then what is ours.
    pub(in crate::native) fn encode(&self) -> Bytes {
        let (base, places) = &self.last;
        let mut memo = BytesMut::new();
        memo.put_u32(self.next.wrapping_sub(1));
        let last = places.last().copied().unwrap_or(NOWHERE);
        memo.put_u64(last.offset.get().unsigned_abs());
        memo.put_u32(on_wire(last.partition));
        memo.put_u16(self.epoch);
        memo.put_u32(*base);
        put_count(&mut memo, places.len());
        places.iter().for_each(|place| put_place(&mut memo, *place));
        memo.put_slice(self.topic_id.as_bytes());
        put_count(&mut memo, self.in_partitions.len());
        for (partition, next) in &self.in_partitions {
            memo.put_u32(on_wire(*partition));
            memo.put_i32(*next);
        }
        put_count(&mut memo, self.ahead.len());
        for (sequence, place) in &self.ahead {
            memo.put_u32(*sequence);
            put_place(&mut memo, *place);
        }
        memo.freeze()
    }

    /// Reads a memo; `None` when it is none.
    pub(in crate::native) fn decode(mut memo: &[u8]) -> Option<Self> {
        let memo = &mut memo;
        let next = memo.try_get_u32().ok()?.wrapping_add(1);
        memo.try_get_u64().ok()?;
        memo.try_get_u32().ok()?;
        let epoch = memo.try_get_u16().ok()?;
        let base = memo.try_get_u32().ok()?;
        let places = list(memo, 12, take_place)?;
        let topic_id = Uuid::from_u128(memo.try_get_u128().ok()?);
        let in_partitions = list(memo, 8, |memo| {
            let partition = from_wire(memo.try_get_u32().ok()?)?;
            let next = memo.try_get_i32().ok().filter(|next| *next >= 0)?;
            Some((partition, next))
        })?;
        let ahead = list(memo, 16, |memo| Some((memo.try_get_u32().ok()?, take_place(memo)?)))?;
        let (in_partitions, ahead) = (in_partitions.into_iter().collect(), ahead.into_iter().collect());
        Some(Self { topic_id, epoch, next, last: (base, places), in_partitions, ahead })
    }
}

fn put_count(memo: &mut BytesMut, count: usize) {
    // At most 1024 records and as many partitions as there can be.
    memo.put_u32(u32::try_from(count).unwrap_or(u32::MAX));
}

fn put_place(memo: &mut BytesMut, place: Place) {
    memo.put_u32(on_wire(place.partition));
    memo.put_u64(place.offset.get().unsigned_abs());
}

fn take_place(memo: &mut &[u8]) -> Option<Place> {
    let partition = from_wire(memo.try_get_u32().ok()?)?;
    let offset = Offset::new(i64::try_from(memo.try_get_u64().ok()?).ok()?)?;
    Some(Place { partition, offset })
}

/// A counted list; nothing is reserved that the bytes do not justify.
fn list<T>(memo: &mut &[u8], size: usize, take: impl Fn(&mut &[u8]) -> Option<T>) -> Option<Vec<T>> {
    let count = memo.try_get_u32().ok()? as usize;
    if count > memo.len() / size {
        return None;
    }
    (0..count).map(|_| take(memo)).collect()
}

/// Partitions count from 1 in the memo, as on the wire.
fn on_wire(partition: PartitionIndex) -> u32 {
    PartitionId::from_index(partition).unwrap_or_default().get()
}

fn from_wire(partition: u32) -> Option<PartitionIndex> {
    PartitionId::new(partition).index()
}

const NOWHERE: Place = Place { partition: PartitionIndex::new(0), offset: Offset::ZERO };

#[cfg(test)]
mod tests {
    use super::*;

    fn place(partition: i32, offset: i64) -> Place {
        Place { partition: PartitionIndex::new(partition), offset: Offset::new(offset).unwrap() }
    }

    fn all(places: &[Place]) -> Vec<Option<Place>> {
        places.iter().copied().map(Some).collect()
    }

    fn sequence() -> Sequence {
        Sequence::new(Uuid::from_u128(5), 3)
    }

    #[test]
    fn an_exact_repeat_of_the_last_batch_is_replayed_and_nothing_else() {
        let mut sequence = sequence();
        let places = [place(0, 7), place(1, 3), place(0, 8)];
        assert_eq!(sequence.judge_batch(0, 3), Verdict::Write);
        assert_eq!(sequence.written(0, &all(&places)), places);
        assert_eq!(sequence.judge_batch(0, 3), Verdict::Replay(places.to_vec()));
        assert_eq!(sequence.judge_batch(3, 1), Verdict::Write);
        for base in [1, 5] {
            assert_eq!(sequence.judge_batch(base, 3), Verdict::OutOfOrder(3), "{base}");
        }
        assert_eq!(sequence.judge_batch(0, 2), Verdict::OutOfOrder(3));
    }

    #[test]
    fn single_records_and_batches_share_one_count() {
        let mut sequence = sequence();
        sequence.written(0, &all(&[place(0, 0), place(0, 1)]));
        assert_eq!(sequence.judge_single(1), Verdict::Replay(vec![place(0, 1)]));
        assert_eq!(sequence.judge_single(2), Verdict::Write);
        sequence.written(2, &all(&[place(1, 9)]));
        assert_eq!(sequence.judge_single(2), Verdict::Replay(vec![place(1, 9)]));
        assert_eq!(sequence.judge_single(1), Verdict::OutOfOrder(3));
        assert_eq!(sequence.judge_batch(3, 4), Verdict::Write);
    }

    #[test]
    fn what_was_written_beyond_a_failure_is_not_written_again() {
        let mut sequence = sequence();
        let done = sequence.written(0, &[Some(place(0, 0)), None, Some(place(0, 1)), None]);
        assert_eq!(done, [place(0, 0)]);
        assert_eq!(sequence.judge_batch(1, 3), Verdict::Write);
        assert_eq!((sequence.ahead(1), sequence.ahead(2)), (None, Some(place(0, 1))));
        let done = sequence.written(1, &all(&[place(1, 4), place(0, 1), place(1, 5)]));
        assert_eq!(done, [place(1, 4), place(0, 1), place(1, 5)]);
        assert_eq!(sequence.ahead(2), None);
        assert_eq!(sequence.judge_batch(4, 1), Verdict::Write);
    }

    #[test]
    fn a_failure_of_the_first_record_leaves_the_count() {
        let mut sequence = sequence();
        assert!(sequence.written(0, &[None, Some(place(1, 0))]).is_empty());
        assert_eq!(sequence.judge_batch(0, 2), Verdict::Write);
        assert_eq!(sequence.ahead(1), Some(place(1, 0)));
    }

    #[test]
    fn memos_read_back() {
        let mut sequence = sequence();
        assert_eq!(Sequence::decode(&sequence.encode()), Some(sequence.clone()));
        sequence.written(0, &[Some(place(0, 5)), Some(place(2, 6)), None, Some(place(1, 7))]);
        sequence.advance(PartitionIndex::new(2), 5);
        sequence.advance(PartitionIndex::new(1), i32::MAX);
        let memo = sequence.encode();
        assert_eq!(Sequence::decode(&memo), Some(sequence));
        for cut in 0..memo.len() {
            assert_eq!(Sequence::decode(&memo[..cut]), None, "{cut}");
        }
    }

    proptest::proptest! {
        /// A memo may come from a damaged log: it is read or refused, and takes no more memory than it has bytes.
        #[test]
        fn any_bytes_are_a_memo_or_none(memo in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
            if let Some(sequence) = Sequence::decode(&memo) {
                proptest::prop_assert_eq!(Sequence::decode(&sequence.encode()), Some(sequence));
            }
        }
    }

    #[test]
    fn the_memo_begins_as_the_original_has_it() {
        let mut sequence = sequence();
        sequence.written(0, &all(&[place(0, 5), place(2, 6)]));
        let memo = sequence.encode();
        let original = [
            &[0, 0, 0, 1][..], // the last number
            &[0, 0, 0, 0, 0, 0, 0, 6],
            &[0, 0, 0, 3], // its place
            &[0, 3],       // epoch
            &[0, 0, 0, 0, 0, 0, 0, 2],
            &[0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 5],
            &[0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 6],
        ]
        .concat();
        assert_eq!(memo[..original.len()], original);
    }

    #[test]
    fn numbers_in_partitions_go_on_with_zero() {
        let mut sequence = sequence();
        let partition = PartitionIndex::new(0);
        sequence.advance(partition, i32::MAX);
        assert_eq!(sequence.next_in(partition), i32::MAX);
        sequence.advance(partition, 1);
        assert_eq!(sequence.next_in(partition), 0);
    }
}

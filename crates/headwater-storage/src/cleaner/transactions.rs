//! Which transactions of a log were aborted, and whose records are still there (KIP-98, KIP-534).
//!
//! It is told from the log itself, by the fronts of all entries up to a place that does not move back. So it does not matter
//! who wrote the log, or whether a transaction index is there.

use std::collections::{HashMap, HashSet};

use bytes::BufMut;

use crate::format::{EntryHead, Marker};

/// The transactions of one log, up to some offset.
#[derive(Debug, Default)]
pub(crate) struct Transactions {
    /// Entries below it were gone through.
    scanned: i64,
    /// The first offset of each producer's open transaction.
    open: HashMap<i64, i64>,
    /// By producer, in the order of their offsets.
    aborted: HashMap<i64, Vec<Aborted>>,
}

/// A transaction that was aborted.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Aborted {
    producer_id: i64,
    first_offset: i64,
    /// The marker's.
    last_offset: i64,
    /// The last stable offset once it was aborted.
    last_stable: i64,
}

impl Aborted {
    /// Adds its entry of a transaction index, `<base offset>.txnindex`: version int16 (0), producer id int64, first offset,
    /// last offset and last stable offset int64, big-endian.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        out.put_i16(0);
        out.put_i64(self.producer_id);
        out.put_i64(self.first_offset);
        out.put_i64(self.last_offset);
        out.put_i64(self.last_stable);
    }
}

impl Transactions {
    /// Where to go on.
    pub(crate) const fn scanned(&self) -> i64 {
        self.scanned
    }

    /// Takes note of an entry, and of what its marker says if it is one.
    pub(crate) fn note(&mut self, head: &EntryHead, marker: Option<Marker>) {
        self.scanned = head.next_offset();
        let Some(producer) = head.producer else { return };
        let producer_id = producer.id.get();
        if !head.control {
            if head.transactional {
                self.open.entry(producer_id).or_insert(head.base_offset);
            }
            return;
        }
        let Some(marker) = marker else { return };
        let Some(first_offset) = self.open.remove(&producer_id) else { return };
        if marker == Marker::Abort {
            let last_stable = self.first_open().unwrap_or(head.next_offset());
            let last_offset = head.last_offset;
            let aborted = Aborted { producer_id, first_offset, last_offset, last_stable };
            self.aborted.entry(producer_id).or_default().push(aborted);
        }
    }

    /// Everything below `offset` was gone through.
    pub(crate) fn note_upto(&mut self, offset: i64) {
        self.scanned = self.scanned.max(offset);
    }

    /// The first offset of the oldest transaction that is neither committed nor aborted.
    pub(crate) fn first_open(&self) -> Option<i64> {
        self.open.values().copied().min()
    }

    /// The aborted transaction that the producer's entry at `offset` belongs to, data or marker.
    pub(crate) fn aborted_at(&self, producer_id: i64, offset: i64) -> Option<Aborted> {
        let aborted = self.aborted.get(&producer_id)?;
        let found = aborted.get(aborted.partition_point(|aborted| aborted.last_offset < offset))?;
        (found.first_offset <= offset).then_some(*found)
    }

    /// Forgets an aborted transaction whose marker is gone.
    pub(crate) fn forget(&mut self, producer_id: i64, marker_offset: i64) {
        if let Some(aborted) = self.aborted.get_mut(&producer_id) {
            aborted.retain(|aborted| aborted.last_offset != marker_offset);
            if aborted.is_empty() {
                self.aborted.remove(&producer_id);
            }
        }
    }
}

/// The producers of whose transactions records were come upon, on the way from the log's start on.
#[derive(Debug, Default)]
pub(crate) struct Traversed(HashSet<i64>);

impl Traversed {
    /// Takes note of an entry that belongs to a transaction and is not its marker.
    pub(crate) fn note(&mut self, producer_id: i64) {
        self.0.insert(producer_id);
    }

    /// Whether the transaction that ends here has nothing left in the log but its marker.
    pub(crate) fn ends_spent(&mut self, producer_id: i64) -> bool {
        !self.0.remove(&producer_id)
    }
}

#[cfg(test)]
mod tests;

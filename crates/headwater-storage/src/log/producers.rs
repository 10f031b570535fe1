//! What a log remembers of idempotent producers (KIP-98): the last five batches of each, so that a batch sent again is
//! known and a gap is refused.

use std::collections::{HashMap, VecDeque};

use headwater_codec::{Offset, ProducerEpoch, ProducerId};

use crate::{ActiveProducer, LogName, StorageError, format::EntryHead};

mod snapshot;

/// The producers of one log.
#[derive(Clone, Debug, Default)]
pub(crate) struct Producers {
    by_id: HashMap<i64, Producer>,
    /// How many of them have a transaction open.
    open_transactions: usize,
}

/// One producer.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Producer {
    epoch: i16,
    coordinator_epoch: i32,
    /// When it wrote last, by the broker's clock.
    last_seen_ms: i64,
    /// The first offset of its open transaction.
    transaction_start: Option<i64>,
    batches: VecDeque<Written>,
}

/// A batch that a producer wrote.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Written {
    last_sequence: i32,
    last_offset: i64,
    offset_delta: i32,
}

impl Written {
    /// The first sequence number, with the wrap from 2^31-1 to 0.
    const fn first_sequence(&self) -> i32 {
        ((self.last_sequence as i64 - self.offset_delta as i64) & i32::MAX as i64) as i32
    }

    const fn base_offset(&self) -> i64 {
        self.last_offset - self.offset_delta as i64
    }
}

/// What a producer wrote last.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct LastEntry {
    /// The last offset of its last batch of records; `None` when only markers are left.
    pub(crate) last_offset: Option<i64>,
    /// Its epoch.
    pub(crate) epoch: ProducerEpoch,
}

/// What is to be done with a batch.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Verdict {
    /// Append it.
    New,
    /// It is in the log already.
    Duplicate {
        /// Its first offset there.
        base_offset: i64,
        /// The offset after its last one.
        next_offset: i64,
    },
}

/// What a change to the producers undoes.
pub(crate) type Undo = (i64, Option<Producer>);

impl Producers {
    /// Judges a batch that a client sent.
    pub(crate) fn check(&self, log: &LogName, head: &EntryHead) -> Result<Verdict, StorageError> {
        let Some(batch) = head.producer else { return Ok(Verdict::New) };
        let Some(known) = self.by_id.get(&batch.id.get()) else { return Ok(Verdict::New) };
        let (epoch, first) = (batch.epoch.get(), batch.base_sequence);
        if epoch < known.epoch {
            return Err(StorageError::InvalidProducerEpoch {
                log: log.clone(),
                producer_id: batch.id,
                current: ProducerEpoch::new(known.epoch),
                found: batch.epoch,
            });
        }
        if head.control || first < 0 {
            return Ok(Verdict::New);
        }
        let out_of_order = |last| StorageError::OutOfOrderSequence {
            log: log.clone(),
            producer_id: batch.id,
            last,
            found: first,
        };
        if epoch > known.epoch {
            return if first == 0 { Ok(Verdict::New) } else { Err(out_of_order(-1)) };
        }
        let same = |w: &&Written| w.first_sequence() == first && w.last_sequence == batch.last_sequence;
        if let Some(written) = known.batches.iter().find(same) {
            return Ok(Verdict::Duplicate {
                base_offset: written.base_offset(),
                next_offset: written.last_offset + 1,
            });
        }
        // With its batches gone (only markers are left) any first sequence is taken (KIP-360).
        let Some(last) = known.batches.back().map(|written| written.last_sequence) else {
            return Ok(Verdict::New);
        };
        let follows = if last == i32::MAX { first == 0 } else { first == last + 1 };
        if follows { Ok(Verdict::New) } else { Err(out_of_order(last)) }
    }

    /// Takes note of a batch that is, or is about to be, in the log; gives what undoes it.
    pub(crate) fn apply(&mut self, head: &EntryHead, now_ms: i64) -> Option<Undo> {
        let batch = head.producer?;
        let id = batch.id.get();
        let before = self.by_id.get(&id).cloned();
        let producer = self.by_id.entry(id).or_insert_with(|| Producer {
            epoch: batch.epoch.get(),
            coordinator_epoch: -1,
            last_seen_ms: now_ms,
            transaction_start: None,
            batches: VecDeque::new(),
        });
        let was_open = producer.transaction_start.is_some();
        producer.last_seen_ms = producer.last_seen_ms.max(now_ms);
        if producer.epoch != batch.epoch.get() {
            producer.epoch = batch.epoch.get();
            producer.batches.clear();
        }
        if head.control {
            producer.transaction_start = None;
        } else {
            if head.transactional {
                producer.transaction_start.get_or_insert(head.base_offset);
            }
            if producer.batches.len() >= BATCHES_KEPT {
                producer.batches.pop_front();
            }
            let offset_delta = i32::try_from(head.run_last_offset - head.base_offset).unwrap_or(i32::MAX);
            producer.batches.push_back(Written {
                last_sequence: batch.last_sequence,
                last_offset: head.run_last_offset,
                offset_delta,
            });
        }
        let is_open = producer.transaction_start.is_some();
        self.count_transactions(was_open, is_open);
        Some((id, before))
    }

    /// Whether no producer is remembered.
    pub(crate) fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    /// Adds batches that are older than those remembered, up to as many as are kept. They come in order.
    pub(crate) fn fill_up(&mut self, before: &HashMap<i64, Vec<EntryHead>>) {
        for (id, producer) in &mut self.by_id {
            let Some(heads) = before.get(id) else { continue };
            for head in heads.iter().rev() {
                let oldest = producer.batches.front().map_or(i64::MAX, |written| written.base_offset());
                let Some(batch) = head.producer.filter(|batch| batch.epoch.get() == producer.epoch) else {
                    break;
                };
                if head.control || head.run_last_offset >= oldest {
                    continue;
                }
                if producer.batches.len() >= BATCHES_KEPT {
                    break;
                }
                let offset_delta = i32::try_from(head.run_last_offset - head.base_offset).unwrap_or(i32::MAX);
                producer.batches.push_front(Written {
                    last_sequence: batch.last_sequence,
                    last_offset: head.run_last_offset,
                    offset_delta,
                });
            }
        }
    }

    /// Takes a change back.
    pub(crate) fn undo(&mut self, (id, before): Undo) {
        let was_open = self.by_id.get(&id).is_some_and(|producer| producer.transaction_start.is_some());
        let is_open = before.as_ref().is_some_and(|producer| producer.transaction_start.is_some());
        match before {
            Some(producer) => self.by_id.insert(id, producer),
            None => self.by_id.remove(&id),
        };
        self.count_transactions(was_open, is_open);
    }

    const fn count_transactions(&mut self, was_open: bool, is_open: bool) {
        match (was_open, is_open) {
            (false, true) => self.open_transactions += 1,
            (true, false) => self.open_transactions -= 1,
            _ => {}
        }
    }

    /// The first offset of the oldest open transaction.
    pub(crate) fn first_unstable_offset(&self) -> Option<i64> {
        if self.open_transactions == 0 {
            return None;
        }
        self.by_id.values().filter_map(|producer| producer.transaction_start).min()
    }

    /// Forgets producers that were silent since before `before_ms` and have no transaction open.
    pub(crate) fn expire(&mut self, before_ms: i64) {
        self.by_id
            .retain(|_, producer| producer.last_seen_ms >= before_ms || producer.transaction_start.is_some());
    }

    /// What is remembered, in the order of the ids.
    pub(crate) fn active(&self) -> Vec<ActiveProducer> {
        let active = |(&id, producer): (&i64, &Producer)| ActiveProducer {
            producer_id: ProducerId::new(id),
            producer_epoch: ProducerEpoch::new(producer.epoch),
            last_sequence: producer.batches.back().map_or(-1, |written| written.last_sequence),
            last_timestamp_ms: producer.last_seen_ms,
        };
        let mut producers: Vec<_> = self.by_id.iter().map(active).collect();
        producers.sort_by_key(|producer| producer.producer_id);
        producers
    }

    /// What each of them wrote last.
    pub(crate) fn last_entries(&self) -> HashMap<i64, LastEntry> {
        let last = |(&id, producer): (&i64, &Producer)| {
            let last_offset = producer.batches.back().map(|written| written.last_offset);
            (id, LastEntry { last_offset, epoch: ProducerEpoch::new(producer.epoch) })
        };
        self.by_id.iter().map(last).collect()
    }

    /// Where the oldest open transaction of each producer begins, for the last stable offset.
    pub(crate) fn last_stable(&self, high_watermark: Offset) -> Offset {
        let unstable = self.first_unstable_offset().and_then(Offset::new);
        unstable.map_or(high_watermark, |unstable| unstable.min(high_watermark))
    }
}

/// How many of a producer's batches are known again; clients keep at most as many in flight (KIP-98).
const BATCHES_KEPT: usize = 5;

#[cfg(test)]
mod tests;

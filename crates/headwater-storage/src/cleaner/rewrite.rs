//! Writing a group of segments anew, without what compaction takes out.

use std::collections::HashMap;

use headwater_records::KeyedRecord;

use super::{
    Cleaning, Group, LastEntry, LogFormat, NewestOffsets, RetainRules, Scan, StorageError, Transactions,
    Traversed, Wait, follows, transactions::Aborted,
};
use crate::{
    format::EntryHead,
    segment::{CleanedSegment, IndexLimits, ScanFailure, file_path},
};

/// What writing the segments of one cleaning anew needs to know, and learns, on its way from the log's start on.
pub(crate) struct Rewrite<'a> {
    pub(crate) newest: &'a NewestOffsets,
    pub(crate) transactions: &'a mut Transactions,
    /// What each producer that is remembered wrote last.
    pub(crate) last_entries: &'a HashMap<i64, LastEntry>,
    traversed: Traversed,
    /// The earliest delete horizon that is still to come.
    pub(crate) next_horizon_ms: Option<i64>,
}

/// What is decided about an entry before its records are looked at.
#[derive(Debug)]
struct Verdict {
    rules: RetainRules,
    /// Its records go, whatever their keys.
    discards: bool,
    /// Its records stay, whatever their keys.
    keeps: bool,
    /// Its tombstones may go.
    is_past_horizon: bool,
}

impl<'a> Rewrite<'a> {
    pub(crate) fn new(
        newest: &'a NewestOffsets,
        transactions: &'a mut Transactions,
        last_entries: &'a HashMap<i64, LastEntry>,
    ) -> Self {
        Self { newest, transactions, last_entries, traversed: Traversed::default(), next_horizon_ms: None }
    }

    /// Writes what stays of a group to a new segment, durably; `None` when it is one segment, and nothing in it changes.
    pub(crate) fn group<F: LogFormat>(
        &mut self,
        cleaning: &mut Cleaning<'_>,
        group: &Group,
    ) -> Result<Option<CleanedSegment>, StorageError> {
        let limits = IndexLimits {
            interval_bytes: cleaning.config.index_interval_bytes,
            bytes_max: cleaning.config.segment_index_bytes,
        };
        let base = group.base_offset();
        let mut cleaned = CleanedSegment::create(cleaning.disk, cleaning.dir, base, limits)?;
        let written = self.fill::<F>(cleaning, group, &mut cleaned).and_then(|done| {
            let is_needed = done.is_changed || group.segments.len() > 1 || lacks(cleaning, base, &done);
            if is_needed {
                cleaned.finish(&done.transactions)?;
            }
            Ok(is_needed)
        });
        match written {
            Ok(true) => Ok(Some(cleaned)),
            Ok(false) => {
                cleaned.discard();
                Ok(None)
            }
            Err(error) => {
                cleaned.discard();
                Err(error)
            }
        }
    }

    fn fill<F: LogFormat>(
        &mut self,
        cleaning: &mut Cleaning<'_>,
        group: &Group,
        cleaned: &mut CleanedSegment,
    ) -> Result<Filled, StorageError> {
        let mut filled = Filled::default();
        let buffer_max = cleaning.read_ahead();
        for segment in &group.segments {
            segment.load_if_needed::<F>().map_err(ScanFailure::into_error)?;
            let file = segment.file()?;
            let mut expected = segment.base_offset();
            let mut scan =
                Scan::<F>::new(&*file, segment.first_spot(), segment.size(), Wait::ForDisk, buffer_max);
            loop {
                let position = scan.position();
                let entry = scan.next_entry().map_err(|error| segment.failure(error).into_error())?;
                let Some((head, bytes)) = entry else { break };
                expected = follows((segment, position), expected, &head, group.end)?;
                cleaning.stats.bytes_read += head.len as u64;
                (cleaning.pace)(head.len as u64)?;
                self.entry::<F>(cleaning, group, (&head, bytes), cleaned, &mut filled)?;
                let written = cleaned.flush_beyond(buffer_max)?;
                cleaning.stats.bytes_written += written;
                (cleaning.pace)(written)?;
            }
        }
        cleaning.stats.bytes_written += cleaned.buffer().len() as u64;
        Ok(filled)
    }

    fn entry<F: LogFormat>(
        &mut self,
        cleaning: &mut Cleaning<'_>,
        group: &Group,
        (head, bytes): (&EntryHead, &[u8]),
        cleaned: &mut CleanedSegment,
        filled: &mut Filled,
    ) -> Result<(), StorageError> {
        let verdict = self.judge::<F>(cleaning, group, (head, bytes), filled)?;
        let newest = self.newest;
        let mut keep = |record: KeyedRecord<'_>| {
            if verdict.discards || verdict.keeps || record.offset.get() >= newest.end {
                return !verdict.discards;
            }
            // A record without a key is from before the topic was compacted.
            let Some(key) = record.key else { return false };
            newest.keys.get(key).is_none_or(|offset| record.offset.get() >= offset)
                && !(record.is_tombstone && verdict.is_past_horizon)
        };
        let next_offset = cleaned.next_offset();
        let start = cleaned.buffer().len();
        let retained = F::retain(bytes, head, next_offset, &verdict.rules, &mut keep, cleaned.buffer());
        let retained = retained.map_err(|error| cleaning.unreadable(head, error))?;
        cleaning.stats.records_kept += u64::from(retained.kept);
        cleaning.stats.records_dropped += u64::from(retained.dropped);
        filled.is_changed |= retained.is_changed;
        let out = &cleaned.buffer()[start..];
        if !out.is_empty() {
            let damaged =
                |damage| StorageError::Corrupt { path: cleaning.dir.to_owned(), position: 0, damage };
            let written = F::head(out, next_offset).map_err(damaged)?;
            if let Some(horizon) = F::delete_horizon_ms(out, &written).filter(|at| *at > cleaning.now_ms) {
                self.next_horizon_ms = Some(self.next_horizon_ms.map_or(horizon, |known| known.min(horizon)));
            }
            cleaned.note(&written);
        }
        Ok(())
    }

    fn judge<F: LogFormat>(
        &mut self,
        cleaning: &Cleaning<'_>,
        group: &Group,
        (head, bytes): (&EntryHead, &[u8]),
        filled: &mut Filled,
    ) -> Result<Verdict, StorageError> {
        let horizon = F::delete_horizon_ms(bytes, head);
        let is_past_horizon = horizon.is_some_and(|horizon| horizon <= cleaning.now_ms);
        let mut verdict = Verdict {
            rules: RetainRules {
                delete_horizon_ms: Some(cleaning.now_ms.saturating_add(cleaning.config.delete_retention_ms)),
                is_spent_marker: false,
                hold: self.is_last_of_producer(head)
                    || (F::HAS_EMPTY_ENTRIES && head.next_offset() == group.end),
                unpacked_bytes_max: cleaning.options.unpacked_bytes_max,
            },
            discards: false,
            keeps: head.control,
            is_past_horizon,
        };
        let Some(producer) = head.producer.filter(|_| head.transactional) else {
            // Of which transaction it is nobody knows.
            verdict.keeps |= head.transactional;
            return Ok(verdict);
        };
        let producer_id = producer.id.get();
        let aborted = self.transactions.aborted_at(producer_id, head.base_offset);
        if !head.control {
            verdict.discards = aborted.is_some();
            self.traversed.note(producer_id);
            return Ok(verdict);
        }
        let marker = F::marker(bytes, head).map_err(|error| cleaning.unreadable(head, error))?;
        if marker.is_none() {
            return Ok(verdict);
        }
        let is_spent = self.traversed.ends_spent(producer_id);
        verdict.rules.is_spent_marker = is_spent;
        verdict.discards = is_spent && is_past_horizon;
        if let Some(aborted) = aborted {
            if is_spent {
                // Nothing is left that it would keep anybody from seeing.
                self.transactions.forget(producer_id, head.last_offset);
            } else {
                Aborted::encode(&aborted, &mut filled.transactions);
            }
        }
        Ok(verdict)
    }

    /// Whether the entry holds the last sequence number of a producer that is remembered, or the epoch of its last marker.
    fn is_last_of_producer(&self, head: &EntryHead) -> bool {
        let Some(producer) = head.producer else { return false };
        match self.last_entries.get(&producer.id.get()) {
            Some(LastEntry { last_offset: Some(last_offset), .. }) => head.run_last_offset == *last_offset,
            Some(last) => head.control && producer.epoch == last.epoch,
            None => false,
        }
    }
}

/// What was learnt of a group on the way.
#[derive(Debug, Default)]
struct Filled {
    is_changed: bool,
    /// The content of its transaction index.
    transactions: Vec<u8>,
}

/// Whether a segment's transaction index is not there, or does not tell of all transactions that were aborted in it.
fn lacks(cleaning: &Cleaning<'_>, base: i64, filled: &Filled) -> bool {
    let there = || cleaning.disk.read(&file_path(cleaning.dir, base, "txnindex")).ok();
    !filled.transactions.is_empty() && there().as_ref() != Some(&filled.transactions)
}

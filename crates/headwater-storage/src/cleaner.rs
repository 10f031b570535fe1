//! Compaction: of each key the newest record stays (`cleanup.policy=compact`).
//!
//! A cleaning goes twice through a log. First through what was appended since the last one, to learn the newest offset of
//! each key, as many as fit the memory. Then through everything up to there: a record goes when its key has a newer one;
//! a tombstone too, once its delete horizon has passed (KIP-534); and so do records of aborted transactions. What stays is
//! written to new segments, several small ones to one, which then take the place of the old ones (`log/swap.rs`).
//!
//! The active segment is never touched, and nothing that is not durable, above the last stable offset, or younger than
//! `min.compaction.lag.ms`. Offsets stay as they are; the ones that are gone remain valid places to read from.

use std::{ops::ControlFlow, path::Path, sync::Arc};

use headwater_records::{RecordError, RetainRules};

mod groups;
mod key_map;
mod options;
mod plan;
mod rewrite;
mod transactions;

pub(crate) use groups::{Group, group};
use key_map::KeyOffsets;
pub use options::CleanerOptions;
pub(crate) use plan::{Bounds, Plan};
pub(crate) use rewrite::Rewrite;
pub(crate) use transactions::Transactions;
use transactions::Traversed;

use crate::{
    Disk, LogConfig, LogName, LogView, StorageError,
    format::{EntryHead, LogFormat},
    log::LastEntry,
    scan::{SCAN_CHUNK, Scan, Wait, goes_back},
    segment::Segment,
};

/// What one cleaning works with.
pub(crate) struct Cleaning<'a> {
    pub(crate) name: &'a LogName,
    pub(crate) disk: &'a Arc<dyn Disk>,
    pub(crate) dir: &'a Path,
    pub(crate) config: &'a LogConfig,
    pub(crate) options: &'a CleanerOptions,
    pub(crate) now_ms: i64,
    /// Called with the bytes that were read or written since; may take its time, and ends the cleaning with an error.
    pub(crate) pace: &'a mut dyn FnMut(u64) -> Result<(), StorageError>,
    pub(crate) stats: CleaningStats,
}

/// What a cleaning came to.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct CleaningStats {
    pub(crate) bytes_read: u64,
    pub(crate) bytes_written: u64,
    pub(crate) records_kept: u64,
    pub(crate) records_dropped: u64,
    pub(crate) segments_before: usize,
    pub(crate) segments_after: usize,
}

/// The newest offsets of keys, and up to where they tell everything.
#[derive(Debug)]
pub(crate) struct NewestOffsets {
    keys: KeyOffsets,
    /// Records at or beyond it were not looked at.
    pub(crate) end: i64,
}

impl Cleaning<'_> {
    /// Goes through the fronts of all entries up to `upto` that `transactions` has not seen.
    pub(crate) fn follow_transactions<F: LogFormat>(
        &mut self,
        view: &LogView,
        upto: crate::LogPlace,
        transactions: &mut Transactions,
    ) -> Result<(), StorageError> {
        let from = transactions.scanned().max(view.log_start);
        let first = view.segment_of(from).unwrap_or(0);
        for segment in view.segments.iter().skip(first) {
            if segment.base_offset() > upto.segment {
                break;
            }
            let limit = if segment.base_offset() == upto.segment { upto.position } else { segment.size() };
            let located = segment.locate::<F>(from.max(segment.base_offset()), Wait::ForDisk);
            let Some(start) = located.map_err(|failure| failure.into_error())? else { continue };
            let file = segment.file()?;
            let mut scan = Scan::<F>::new(&*file, start, limit, Wait::ForDisk, SCAN_CHUNK);
            loop {
                let head = scan.next_head().map_err(|error| segment.failure(error).into_error())?;
                let Some((position, head)) = head else { break };
                let marker = if head.control && head.transactional {
                    let entry =
                        segment.read_entry(position, head.len).map_err(|failure| failure.into_error())?;
                    F::marker(&entry, &head).map_err(|error| self.unreadable(&head, error))?
                } else {
                    None
                };
                transactions.note(&head, marker);
            }
            (self.pace)(limit.saturating_sub(start.position))?;
        }
        transactions.note_upto(upto.offset);
        Ok(())
    }

    /// Learns the newest offset of each key in the records from `plan.first_dirty` to `plan.end`, or as far as memory reaches.
    pub(crate) fn learn<F: LogFormat>(
        &mut self,
        plan: &Plan,
        transactions: &Transactions,
    ) -> Result<NewestOffsets, StorageError> {
        let span = plan.end.saturating_sub(plan.first_dirty).max(0).cast_unsigned();
        let CleanerOptions { threads, dedupe_buffer_size, dedupe_load_factor, .. } = *self.options;
        let bytes_max = dedupe_buffer_size / threads.max(1) as u64;
        let mut keys = KeyOffsets::new(bytes_max, dedupe_load_factor, span, self.options.secret);
        for segment in &plan.segments[plan.first_dirty_segment..] {
            let from = plan.first_dirty.max(segment.base_offset());
            let located = segment.locate::<F>(from, Wait::ForDisk);
            let Some(start) = located.map_err(|failure| failure.into_error())? else { continue };
            let file = segment.file()?;
            let mut scan = Scan::<F>::new(&*file, start, segment.size(), Wait::ForDisk, self.read_ahead());
            let mut expected = segment.base_offset();
            loop {
                let position = scan.position();
                let entry = scan.next_entry().map_err(|error| segment.failure(error).into_error())?;
                let Some((head, bytes)) = entry else { break };
                expected = follows((segment, position), expected, &head, plan.end)?;
                self.stats.bytes_read += head.len as u64;
                (self.pace)(head.len as u64)?;
                let is_strange = head.transactional && head.producer.is_none();
                if head.control || is_strange || is_aborted(transactions, &head) {
                    continue;
                }
                let mut full_at = None;
                let max = self.options.unpacked_bytes_max;
                let learned = F::each_keyed(bytes, &head, max, &mut |record| {
                    let offset = record.offset.get();
                    let room = match record.key {
                        Some(key) if offset >= from => keys.insert(key, offset),
                        _ => true,
                    };
                    if room {
                        return ControlFlow::Continue(());
                    }
                    full_at = Some(offset);
                    ControlFlow::Break(())
                });
                learned.map_err(|error| self.unreadable(&head, error))?;
                if let Some(end) = full_at {
                    tracing::debug!(log = %self.name, end, keys = keys.len(), "the keys fill the memory; the rest is the next round's");
                    return Ok(NewestOffsets { keys, end });
                }
            }
        }
        Ok(NewestOffsets { keys, end: plan.end })
    }

    fn read_ahead(&self) -> usize {
        (self.options.io_buffer_size / self.options.threads.max(1) / 2).max(IO_BUFFER_MIN)
    }

    fn unreadable(&self, head: &EntryHead, error: RecordError) -> StorageError {
        StorageError::Unreadable {
            log: self.name.clone(),
            offset: headwater_codec::Offset::ZERO.plus(head.base_offset),
            source: Arc::new(error),
        }
    }
}

/// Where the next entry may begin at the earliest. No checksum covers an entry's offset.
fn follows(
    (segment, position): (&Segment, u64),
    expected: i64,
    head: &EntryHead,
    end: i64,
) -> Result<i64, StorageError> {
    if head.base_offset >= expected && head.last_offset < end {
        return Ok(head.next_offset());
    }
    let damage = goes_back(expected, head.base_offset);
    Err(StorageError::Corrupt { path: segment.path().to_owned(), position, damage })
}

fn is_aborted(transactions: &Transactions, head: &EntryHead) -> bool {
    let producer = head.producer.filter(|_| head.transactional);
    producer.is_some_and(|producer| transactions.aborted_at(producer.id.get(), head.base_offset).is_some())
}

/// The smallest read and write, in bytes.
const IO_BUFFER_MIN: usize = 4 << 10;

//! Native records: one record, one entry, one offset. Entries do not tell their offsets, except after a gap.

use std::ops::ControlFlow;

use bytes::BytesMut;
use headwater_codec::{LeaderEpoch, Offset};
use headwater_records::{
    BatchProducer, KeyedRecord, NO_SEQUENCE, RecordError, RetainRules, Retained, TimestampType,
    ValidatedBatch,
    native::{ControlMarker, NativeBatches, NativeEntry, NativeError, NativeRecord, NativeRun, check},
};

use super::{EntryHead, LogEntry, LogFormat, Marker, Rebuild, Rebuilt, UNPACKED_BYTES_MAX};
use crate::{Damage, LogConfig, LogName, StorageError};

/// Native records. A batch becomes as many entries as it has records, and readers get batches made of them.
#[derive(Clone, Copy, Debug, Default)]
pub struct NativeRecords;

impl LogFormat for NativeRecords {
    type Entry = NativeAppend;

    const HEAD_LEN: usize = NativeEntry::LEN_MAX;

    const IS_SERVED_AS_STORED: bool = false;

    const HAS_EMPTY_ENTRIES: bool = false;

    fn entry(
        log: &LogName,
        mut batch: ValidatedBatch,
        config: &LogConfig,
    ) -> Result<NativeAppend, StorageError> {
        if config.timestamp_type == TimestampType::LogAppendTime && !batch.header().attributes.is_control() {
            // The records say that the time is the broker's; which it is they learn when they get their place.
            batch.set_log_append_time(0);
        }
        let run = NativeRun::of_batch(&batch, &config.header_limits, UNPACKED_BYTES_MAX);
        let run = run.map_err(|source| StorageError::Refused {
            log: log.clone(),
            source: std::sync::Arc::new(source),
        })?;
        Ok(NativeAppend { run, base_offset: 0 })
    }

    fn head(bytes: &[u8], next_offset: i64) -> Result<EntryHead, Damage> {
        let entry = NativeEntry::parse(bytes)?;
        head_of(&entry, bytes, next_offset).map_err(Damage::from)
    }

    fn check(bytes: &[u8], next_offset: i64) -> Result<EntryHead, Damage> {
        check(bytes)?;
        Self::head(bytes, next_offset)
    }

    fn first_at_or_after(
        _: &[u8],
        head: &EntryHead,
        target_ms: i64,
        from: Offset,
    ) -> Result<Option<(Offset, i64)>, RecordError> {
        let found = head.max_timestamp >= target_ms && head.base_offset >= from.get();
        Ok(found.then(|| (Offset::ZERO.plus(head.base_offset), head.max_timestamp)))
    }

    fn first_at_max_timestamp(_: &[u8], head: &EntryHead) -> Result<Option<(Offset, i64)>, RecordError> {
        Ok(Some((Offset::ZERO.plus(head.base_offset), head.max_timestamp)))
    }

    fn to_batches(entries: &[u8], rebuild: &Rebuild<'_>) -> Result<Rebuilt, RecordError> {
        let Rebuild { from, leader_epoch, bytes_max, at_least_one } = *rebuild;
        let mut batches = NativeBatches::new(entries, from, UNPACKED_BYTES_MAX);
        let mut bytes = BytesMut::new();
        let is_complete = loop {
            let room = bytes_max.saturating_sub(bytes.len());
            let batch = match batches.next_batch(room.min(BATCH_BYTES_MAX), leader_epoch) {
                Ok(Some(batch)) => batch,
                Ok(None) => break true,
                // What is sound goes out first; the error comes with the next read.
                Err(_) if !bytes.is_empty() => break false,
                Err(error) => return Err(error),
            };
            if batch.len() > room && !(at_least_one && bytes.is_empty()) {
                break false;
            }
            bytes.extend_from_slice(&batch.header_bytes());
            bytes.extend_from_slice(batch.records());
        };
        Ok(Rebuilt { bytes: bytes.freeze(), is_complete })
    }

    fn each_keyed(
        bytes: &[u8],
        head: &EntryHead,
        _: usize,
        visit: &mut dyn FnMut(KeyedRecord<'_>) -> ControlFlow<()>,
    ) -> Result<(), RecordError> {
        // There is one, so it does not matter whether it breaks off.
        let _ = visit(NativeRecord::parse(bytes)?.keyed(Offset::ZERO.plus(head.base_offset))?);
        Ok(())
    }

    /// None says how it ended. What stands behind the first record of a transaction does not tell which one it belongs to,
    /// so a log is compacted up to there.
    fn marker(_: &[u8], _: &EntryHead) -> Result<Option<Marker>, RecordError> {
        Ok(None)
    }

    fn delete_horizon_ms(bytes: &[u8], _: &EntryHead) -> Option<i64> {
        NativeRecord::parse(bytes).ok()?.delete_horizon_ms().ok()?
    }

    fn retain(
        bytes: &[u8],
        head: &EntryHead,
        next_offset: i64,
        rules: &RetainRules,
        keep: &mut dyn FnMut(KeyedRecord<'_>) -> bool,
        out: &mut Vec<u8>,
    ) -> Result<Retained, RecordError> {
        let record = NativeRecord::parse(bytes)?;
        let keyed = record.keyed(Offset::ZERO.plus(head.base_offset))?;
        let stays = keep(keyed);
        Ok(record.retain(&keyed, Offset::ZERO.plus(next_offset), rules, stays, out)?)
    }
}

/// What the front of a record tells a log.
fn head_of(entry: &NativeEntry, bytes: &[u8], next_offset: i64) -> Result<EntryHead, NativeError> {
    let attributes = entry.head().attributes();
    let base_offset = entry.offset().map_or(next_offset, Offset::get);
    let count = entry.producer().map_or(1, |producer| i64::from(producer.count));
    let producer = if attributes.is_control() {
        // Short enough to lie within what a head is read from.
        let marker = ControlMarker::parse(NativeRecord::parse(bytes)?.stored_value())?;
        Some(BatchProducer {
            id: marker.producer_id,
            epoch: marker.producer_epoch,
            base_sequence: NO_SEQUENCE,
            last_sequence: NO_SEQUENCE,
        })
    } else {
        entry.producer().map(|producer| producer.batch_producer())
    };
    Ok(EntryHead {
        len: entry.head().total_len(),
        base_offset,
        last_offset: base_offset,
        run_last_offset: base_offset.saturating_add(count - 1),
        leader_epoch: LeaderEpoch::NONE.get(),
        max_timestamp: entry.timestamp(),
        producer,
        transactional: entry.head().producer().is_some(),
        control: attributes.is_control(),
    })
}

/// The records of one batch on their way into a log.
#[derive(Clone, Debug)]
pub struct NativeAppend {
    run: NativeRun,
    base_offset: i64,
}

impl NativeAppend {
    /// The record at `index` and its front.
    fn entry_head(&self, index: usize) -> EntryHead {
        let ends = self.run.ends();
        let start = index.checked_sub(1).map_or(0, |before| ends[before]);
        let bytes = &self.run.bytes()[start..ends[index]];
        let offset = self.base_offset + index as i64;
        NativeRecords::head(bytes, offset).unwrap_or_else(|error| {
            // Nothing else writes these bytes, so they are sound.
            tracing::error!(%error, offset, "a record that was just made cannot be read");
            EntryHead { len: bytes.len(), base_offset: offset, last_offset: offset, ..self.head() }
        })
    }
}

impl LogEntry for NativeAppend {
    type Front = [u8; 0];

    fn head(&self) -> EntryHead {
        let last_offset = self.base_offset + self.run.record_count() as i64 - 1;
        EntryHead {
            len: self.run.bytes().len(),
            base_offset: self.base_offset,
            last_offset,
            run_last_offset: last_offset,
            leader_epoch: LeaderEpoch::NONE.get(),
            max_timestamp: self.run.max_timestamp(),
            producer: self.run.producer(),
            transactional: self.run.is_transactional(),
            control: self.run.is_control(),
        }
    }

    fn each_head(&self, visit: &mut dyn FnMut(EntryHead)) {
        (0..self.run.record_count()).for_each(|index| visit(self.entry_head(index)));
    }

    fn assign(&mut self, base_offset: Offset, _: LeaderEpoch) {
        self.base_offset = base_offset.get();
    }

    fn set_log_append_time(&mut self, now_ms: i64) {
        if let Err(error) = self.run.set_log_append_time(now_ms) {
            tracing::error!(%error, "records keep their own time instead of the broker's");
        }
    }

    fn parts(&self) -> (Self::Front, &[u8]) {
        ([], self.run.bytes())
    }
}

/// How long a batch may be that is made of records, unless its first record alone is longer: a reader takes a batch
/// whole into memory.
const BATCH_BYTES_MAX: usize = 1 << 20;

//! Batches of imported records.

use std::path::Path;

use headwater_codec::Offset;
use headwater_records::{
    BatchBuilder, Batches, Compression, RecordView,
    native::{NativeRecord, ValueCodec},
};

use crate::{ImportError, Progress, scan::Importable, target::Target};

/// Copies the records of one partition.
pub(super) struct Copier<'t> {
    target: &'t mut Target,
    topic: &'t str,
    partition: usize,
    /// A record that did not fit the batch before.
    held: Option<Held>,
}

/// A record on its way, as Kafka has it.
#[derive(Debug, PartialEq)]
struct Held {
    timestamp_ms: i64,
    codec: Compression,
    key: Option<Vec<u8>>,
    value: Option<Vec<u8>>,
    headers: Vec<(Vec<u8>, Option<Vec<u8>>)>,
}

impl<'t> Copier<'t> {
    pub(super) fn new(target: &'t mut Target, topic: &'t str, partition: usize) -> Self {
        Self { target, topic, partition, held: None }
    }

    /// Passes over the first `count` records, and tells whether the last of them is the one that the broker has.
    pub(super) fn is_last(&mut self, records: &mut Importable<'_>, count: u64) -> Result<bool, ImportError> {
        skip(records, count - 1)?;
        let Some(expected) = records.next_with(Held::of)? else { return Ok(false) };
        let batches = self.target.fetch(self.topic, self.partition, count - 1)?;
        let wanted = i64::try_from(count - 1).ok().and_then(Offset::new);
        for batch in Batches::new(&batches) {
            let batch = batch.map_err(|error| ImportError::Batch(error.into()))?;
            for record in &batch.records(UNPACKED_MAX).map_err(ImportError::Batch)? {
                let record = record.map_err(ImportError::Batch)?;
                if Some(record.offset) == wanted {
                    return Ok(expected.is(&record));
                }
            }
        }
        Ok(false)
    }

    /// Copies the next batch; `false` when there was none left.
    pub(super) fn copy_some(
        &mut self,
        records: &mut Importable<'_>,
        progress: &mut dyn Progress,
    ) -> Result<bool, ImportError> {
        let first = match self.held.take() {
            Some(held) => held,
            None => match records.next_with(Held::of)? {
                Some(first) => first,
                None => return Ok(false),
            },
        };
        let codec = first.codec;
        let mut builder = BatchBuilder::new().compression(codec);
        first.push_to(&mut builder)?;
        while let Some(next) = records.next_with(Held::of)? {
            let is_full = builder.records_len() + next.len_max() > BATCH_LEN_MAX;
            if next.codec != codec || is_full || builder.record_count() == BATCH_COUNT_MAX {
                self.held = Some(next);
                break;
            }
            next.push_to(&mut builder)?;
        }
        let count = builder.record_count();
        let batch = builder.build().map_err(ImportError::Batch)?;
        self.target.produce(self.topic, self.partition, batch.to_bytes())?;
        progress.copied(u64::try_from(count).unwrap_or_default());
        Ok(true)
    }
}

/// Passes over records.
pub(super) fn skip(records: &mut Importable<'_>, count: u64) -> Result<(), ImportError> {
    for _ in 0..count {
        records.next_with(|_, _, _| Ok(()))?;
    }
    Ok(())
}

impl Held {
    /// A native record as Kafka has it: what has no length is null. Header names that look like Headwater's own are the
    /// record's, since this broker's first writer knew none.
    fn of(path: &Path, at: u64, record: &NativeRecord<'_>) -> Result<Self, ImportError> {
        let not_null = |field: &[u8]| (!field.is_empty()).then(|| field.to_vec());
        let value = record.value(UNPACKED_MAX);
        let value = value.map_err(|source| ImportError::Record { path: path.to_owned(), at, source })?;
        let codec: ValueCodec = record.head().attributes().codec();
        Ok(Self {
            timestamp_ms: record.head().timestamp_ms(),
            codec: codec.compression(),
            key: not_null(record.key()),
            value: not_null(&value),
            headers: record.headers().iter().map(|(name, value)| (name.to_vec(), not_null(value))).collect(),
        })
    }

    fn headers(&self) -> impl ExactSizeIterator<Item = (&[u8], Option<&[u8]>)> + Clone {
        self.headers.iter().map(|(name, value)| (&name[..], value.as_deref()))
    }

    fn is(&self, record: &RecordView<'_>) -> bool {
        record.timestamp == self.timestamp_ms
            && record.key == self.key.as_deref()
            && record.value == self.value.as_deref()
            && record.headers.eq(self.headers())
    }

    /// What it takes in a batch at most, before it is compressed.
    fn len_max(&self) -> usize {
        let field = |field: Option<&[u8]>| field.map_or(0, <[u8]>::len) + LENGTH_LEN_MAX;
        let headers = self.headers().map(|(name, value)| field(Some(name)) + field(value));
        RECORD_OVERHEAD_MAX
            + field(self.key.as_deref())
            + field(self.value.as_deref())
            + headers.sum::<usize>()
    }

    fn push_to(&self, builder: &mut BatchBuilder) -> Result<(), ImportError> {
        let (key, value) = (self.key.as_deref(), self.value.as_deref());
        let pushed = builder.push_at(builder.record_count(), self.timestamp_ms, key, value, self.headers());
        pushed.map_err(ImportError::Batch)
    }
}

/// Less than any broker's `max.message.bytes` that was not lowered on purpose.
const BATCH_LEN_MAX: usize = 768 << 10;
const BATCH_COUNT_MAX: i32 = 10_000;
/// What a value may unpack to.
const UNPACKED_MAX: usize = 128 << 20;
/// Length, attributes, timestamp, offset and the count of headers.
const RECORD_OVERHEAD_MAX: usize = 5 + 1 + 10 + 5 + 5;
const LENGTH_LEN_MAX: usize = 5;

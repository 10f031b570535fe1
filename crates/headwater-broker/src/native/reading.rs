//! Reading records out of a partition's batches, within bounds.

use std::collections::BTreeSet;

use bytes::{Bytes, BytesMut};
use headwater_codec::{Offset, ProducerId};
use headwater_native::{
    ErrorCode, Headers as Block, PartitionId,
    messages::{Failure, Isolation, Record, RecordLayout},
};
use headwater_records::{Batch, Batches, Headers, RecordError, RecordView, native::HeaderFault};
use headwater_storage::{AbortedTransaction, Isolation as LogIsolation, LogSlice, ReadRequest};
use tokio::task::spawn_blocking;

use super::refusal::{self, Answer};
use crate::topics::Partition;

/// What a read may give.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReadLimits {
    pub(super) records_max: usize,
    /// Bytes of the records as they are sent.
    pub(super) bytes_max: usize,
    /// What one batch may unfold to.
    pub(super) unpacked_max: usize,
    pub(super) isolation: Isolation,
    pub(super) layout: RecordLayout,
}

/// What a read gave.
#[derive(Debug, Default)]
pub(super) struct Taken {
    pub(super) records: Vec<Record>,
    /// Bytes of the records as they are sent.
    pub(super) bytes: usize,
    /// Where to read on. Beyond the last record when what follows it is for nobody.
    pub(super) next: Offset,
    /// A record that is larger than the bound although nothing else was taken: it cannot be sent at all.
    pub(super) oversize: bool,
}

/// Reads records from `from` on. Fewer than allowed may come although there are more; none come at the end alone.
pub(super) async fn read(partition: &Partition, from: Offset, limits: ReadLimits) -> Answer<Taken> {
    let mut from = from;
    loop {
        let taken = read_once(partition, from, limits).await?;
        // A run of batches without a record to deliver is passed over.
        let passed_over = taken.records.is_empty() && taken.next > from && !taken.oversize;
        if !passed_over {
            return Ok(taken);
        }
        from = taken.next;
    }
}

async fn read_once(partition: &Partition, from: Offset, limits: ReadLimits) -> Answer<Taken> {
    let request = ReadRequest {
        from,
        bytes_max: limits.bytes_max.min(READ_BYTES_MAX),
        at_least_one_batch: true,
        isolation: match limits.isolation {
            Isolation::ReadUncommitted => LogIsolation::ReadUncommitted,
            Isolation::ReadCommitted => LogIsolation::ReadCommitted,
        },
    };
    let outcome = partition.read(request).await.map_err(|error| refusal::storage(&error))?;
    if outcome.slices.is_empty() {
        return Ok(Taken { next: from, ..Taken::default() });
    }
    let template = Record {
        topic: partition.topic().name().clone(),
        partition: PartitionId::from_index(partition.index()).unwrap_or_default(),
        ..Record::default()
    };
    let reader = Reader {
        limits,
        template,
        aborted: Aborted::new(outcome.aborted),
        taken: Taken { next: from, ..Taken::default() },
    };
    // Files are read, and batches unpacked, where that holds nobody up.
    let reading = spawn_blocking(move || reader.read(&outcome.slices));
    reading.await.unwrap_or_else(|_| Err(Failure::new(ErrorCode::INTERNAL, "the broker stops")))
}

struct Reader {
    limits: ReadLimits,
    template: Record,
    aborted: Aborted,
    taken: Taken,
}

impl Reader {
    fn read(mut self, slices: &[LogSlice]) -> Answer<Taken> {
        let failed = |error: &dyn std::fmt::Display| Failure::new(ErrorCode::INTERNAL, error.to_string());
        let mut bytes = match slices {
            [one] => one.to_bytes().map_err(|error| failed(&error))?,
            many => {
                let mut whole = BytesMut::new();
                for slice in many {
                    whole.extend_from_slice(&slice.to_bytes().map_err(|error| failed(&error))?);
                }
                whole.freeze()
            }
        };
        while let Some(batch) = Batches::new(&bytes.clone()).next() {
            let batch = batch.map_err(|error| failed(&error))?;
            let length = batch.bytes().len();
            if !self.read_batch(&bytes, &batch).map_err(|error| failed(&error))? {
                break;
            }
            bytes = bytes.slice(length..);
        }
        Ok(self.taken)
    }

    /// Takes the batch's records. Whether there is room for more.
    fn read_batch(&mut self, shared: &Bytes, batch: &Batch<'_>) -> Result<bool, RecordError> {
        let header = *batch.header();
        if header.attributes.is_control() {
            for record in &batch.records(self.limits.unpacked_max)? {
                self.aborted.pass_marker(header.producer_id, &record?);
            }
        } else if !(header.attributes.is_transactional()
            && self.aborted.covers(header.producer_id, header.base_offset))
        {
            for record in &batch.records(self.limits.unpacked_max)? {
                let record = record?;
                if record.offset >= self.taken.next && !self.take(shared, &record) {
                    return Ok(false);
                }
            }
        }
        self.taken.next = self.taken.next.max(header.next_offset());
        Ok(true)
    }

    /// Takes one record, if there is room.
    fn take(&mut self, shared: &Bytes, view: &RecordView<'_>) -> bool {
        let mut record = Record {
            offset: view.offset,
            timestamp: view.timestamp.max(0),
            key: share(shared, view.key),
            value: share(shared, view.value),
            ..self.template.clone()
        };
        let Ok(headers) = self.headers(view.headers) else {
            self.taken.oversize = self.taken.records.is_empty();
            return false;
        };
        record.headers = headers;
        let bytes = record.encoded_len(self.limits.layout);
        let has_room = self.taken.records.len() < self.limits.records_max
            && self.taken.bytes + bytes <= self.limits.bytes_max;
        if has_room {
            self.taken.bytes += bytes;
            self.taken.next = record.offset.plus(1);
            self.taken.records.push(record);
        } else {
            self.taken.oversize = self.taken.records.is_empty() && self.limits.records_max > 0;
        }
        has_room
    }

    fn headers(&self, headers: Headers<'_>) -> Result<Block, HeaderFault> {
        match self.limits.layout {
            RecordLayout::Plain => Ok(Block::default()),
            RecordLayout::Headers => block_of(headers),
        }
    }
}

/// A record's headers on this wire, where null and empty are the same.
fn block_of(headers: Headers<'_>) -> Result<Block, HeaderFault> {
    Block::encode(headers.map(|(name, value)| (name, value.unwrap_or_default())))
}

/// The field in the memory of what was read, or a copy when it was unpacked elsewhere. Null is empty on this wire.
fn share(shared: &Bytes, field: Option<&[u8]>) -> Bytes {
    let Some(field) = field.filter(|field| !field.is_empty()) else { return Bytes::new() };
    let (all, part) = (shared.as_ptr_range(), field.as_ptr_range());
    if all.start <= part.start && part.end <= all.end {
        shared.slice_ref(field)
    } else {
        Bytes::copy_from_slice(field)
    }
}

/// Which producers' records were aborted, at the place that is being read.
#[derive(Debug, Default)]
struct Aborted {
    /// By first offset, the latest first.
    coming: Vec<AbortedTransaction>,
    open: BTreeSet<ProducerId>,
}

impl Aborted {
    fn new(mut aborted: Vec<AbortedTransaction>) -> Self {
        aborted.sort_by_key(|aborted| std::cmp::Reverse(aborted.first_offset));
        Self { coming: aborted, open: BTreeSet::new() }
    }

    fn covers(&mut self, producer: ProducerId, offset: Offset) -> bool {
        while let Some(aborted) = self.coming.pop_if(|aborted| aborted.first_offset <= offset) {
            self.open.insert(aborted.producer_id);
        }
        self.open.contains(&producer)
    }

    /// An abort marker ends what was aborted.
    fn pass_marker(&mut self, producer: ProducerId, record: &RecordView<'_>) {
        if record.key.is_some_and(|key| key.get(2..4) == Some(&ABORT)) {
            self.covers(producer, record.offset);
            self.open.remove(&producer);
        }
    }
}

/// How much of a log is read at a time. A batch that is larger is read whole.
const READ_BYTES_MAX: usize = 4 << 20;
/// The type of an abort marker, after its version.
const ABORT: [u8; 2] = [0, 0];

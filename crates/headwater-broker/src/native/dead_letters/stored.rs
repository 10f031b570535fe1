//! Reading one record as it stands in a log.

use bytes::Bytes;
use headwater_codec::Offset;
use headwater_native::{ErrorCode, messages::Failure};
use headwater_records::Batches;
use headwater_storage::{Isolation, LogSlice, ReadRequest};
use tokio::task::spawn_blocking;

use super::letter::StoredRecord;
use crate::{
    native::refusal::{self, Answer},
    topics::Partition,
};

/// The record at `offset`. One that is a transaction's marker, or is not there, is refused.
pub(super) async fn record_at(
    partition: &Partition,
    offset: Offset,
    unpacked_max: usize,
) -> Answer<StoredRecord> {
    let request = ReadRequest {
        from: offset,
        bytes_max: 0,
        at_least_one_batch: true,
        isolation: Isolation::ReadUncommitted,
    };
    let outcome = partition.read(request).await.map_err(|error| refusal::storage(&error))?;
    let finding = spawn_blocking(move || find(&outcome.slices, offset, unpacked_max));
    finding.await.unwrap_or_else(|_| Err(Failure::new(ErrorCode::INTERNAL, "the broker stops")))
}

fn find(slices: &[LogSlice], offset: Offset, unpacked_max: usize) -> Answer<StoredRecord> {
    let failed = |error: &dyn std::fmt::Display| Failure::new(ErrorCode::INTERNAL, error.to_string());
    for slice in slices {
        let bytes = slice.to_bytes().map_err(|error| failed(&error))?;
        for batch in Batches::new(&bytes) {
            let batch = batch.map_err(|error| failed(&error))?;
            if batch.header().attributes.is_control() {
                continue;
            }
            for record in &batch.records(unpacked_max).map_err(|error| failed(&error))? {
                let record = record.map_err(|error| failed(&error))?;
                if record.offset == offset {
                    let copied = |bytes: &[u8]| Bytes::copy_from_slice(bytes);
                    return Ok(StoredRecord {
                        timestamp: record.timestamp,
                        key: record.key.map(copied),
                        value: record.value.map(copied),
                        headers: record
                            .headers
                            .map(|(name, value)| (copied(name), value.map(copied)))
                            .collect(),
                    });
                }
            }
        }
    }
    let message = format!("there is no record at offset {}", offset.get());
    Err(Failure::new(ErrorCode::BAD_FRAME, message))
}

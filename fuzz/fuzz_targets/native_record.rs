//! Native records and header blocks. Most random bytes fail at a checksum, so half of the inputs (the first byte is
//! even) get the right ones.
#![no_main]

use headwater_codec::{LeaderEpoch, Offset};
use headwater_records::native::{
    ControlMarker, HeaderBlock, HeaderLimits, NativeBatches, NativeEntry, NativeError, NativeHead,
    NativeRecord, NativeRun, check,
};
use headwater_records::{Records, ValidatedBatch};
use libfuzzer_sys::fuzz_target;

/// Bytes that a value may unpack to.
const UNPACKED_MAX: usize = 1 << 20;

fuzz_target!(|data: &[u8]| {
    let &[choice, ref record @ ..] = data else { return };
    let mut record = record.to_vec();
    if choice % 2 == 0 {
        seal(&mut record);
    }
    let _ = HeaderLimits::default().parse(&record);
    if let Ok(block) = HeaderBlock::parse(&record) {
        assert_eq!(block.iter().count(), block.len());
    }
    rebuild(&record);
    let _ = NativeEntry::parse(&record);
    let Ok(read) = NativeRecord::parse(&record) else { return };
    assert_eq!(NativeHead::parse(&record), Ok(*read.head()));
    let _ = read.value(UNPACKED_MAX);
    let _ = ControlMarker::parse(read.stored_value());
    let mut again = Vec::new();
    read.fields().write(read.headers(), &mut again).expect("what was read can be written");
    let again = NativeRecord::checked(&again).expect("what was written is sound");
    // A count of no headers is written as none.
    assert_eq!((again.fields(), again.headers().bytes()), (read.fields(), read.headers().bytes()));
});

/// What becomes a batch becomes the same native records again, up to what only a foreign writer does.
fn rebuild(records: &[u8]) {
    let mut batches = NativeBatches::new(records, Offset::ZERO, UNPACKED_MAX);
    while let Ok(Some(batch)) = batches.next_batch(UNPACKED_MAX, |_| LeaderEpoch::new(0)) {
        let limits =
            HeaderLimits { block_bytes_max: usize::MAX, count_max: usize::MAX, name_bytes_max: usize::MAX };
        let Ok(run) = NativeRun::of_batch(&batch, &limits, 2 * UNPACKED_MAX) else { continue };
        assert_eq!(run.record_count() as i32, batch.record_count());
        let mut again = NativeBatches::new(run.bytes(), batch.header().base_offset, UNPACKED_MAX);
        let again = again.next_batch(usize::MAX, |_| LeaderEpoch::new(0));
        let again = again.expect("our own records are sound").expect("there is one");
        let count = again.record_count().min(batch.record_count());
        let records =
            |batch: &ValidatedBatch| format!("{:?}", batch.open(usize::MAX).map(|r| first(&r, count)));
        assert_eq!(records(&again), records(&batch));
    }
}

/// Timestamp, key, value and headers of the first records.
fn first(records: &Records<'_>, count: i32) -> Vec<String> {
    let records = records.iter().take(count as usize).flatten();
    records.map(|r| format!("{:?}", (r.timestamp, r.key, r.value, r.headers.collect::<Vec<_>>()))).collect()
}

/// Makes both checksums fit.
fn seal(record: &mut [u8]) {
    if let Err(NativeError::BadHeaderCrc { computed, .. }) = check(record) {
        let header_len =
            13 + if record[8] & 8 == 0 { 0 } else { 10 } + if record[8] & 16 == 0 { 0 } else { 4 };
        record[8 + header_len..][..4].copy_from_slice(&computed.to_be_bytes());
    }
    if let Err(NativeError::BadPayloadCrc { computed, .. }) = check(record) {
        let len = NativeHead::parse(record).map_or(record.len(), |head| head.total_len());
        record[len - 4..len].copy_from_slice(&computed.to_be_bytes());
    }
}

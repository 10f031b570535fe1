//! Record batches: the produce door, and reading what a log holds. Most random bytes fail at their checksum, so half of
//! the inputs (the first byte is even) get the right one.
#![no_main]

use bytes::Bytes;
use headwater_records::{Batch, BatchError, Batches, ProduceRules, check, validate};
use libfuzzer_sys::fuzz_target;

/// Bytes that records may unpack to.
const UNPACKED_MAX: usize = 1 << 20;

/// Where the checksum stands in a batch.
const CRC: std::ops::Range<usize> = 17..21;

fuzz_target!(|data: &[u8]| {
    let &[choice, ref batch @ ..] = data else { return };
    let mut batch = batch.to_vec();
    if choice % 2 == 0
        && let Err(BatchError::BadCrc { computed, .. }) = check(&batch)
    {
        batch[CRC].copy_from_slice(&computed.to_be_bytes());
    }
    read(&batch);
    let rules = ProduceRules {
        max_decompressed_bytes: UNPACKED_MAX,
        transactional_allowed: true,
        ..ProduceRules::new(0)
    };
    let batch = Bytes::from(batch);
    if let Ok(validated) = validate(batch.clone(), &rules) {
        assert_eq!(validated.len(), batch.len());
        let stored = validated.to_bytes();
        let again = check(&stored).expect("a validated batch is sound");
        assert_eq!(again.record_count, validated.record_count());
        let read = Batch::parse(&stored).expect("it is whole");
        let records = read.records(UNPACKED_MAX).expect("its records unpack");
        let records: Vec<_> = records.iter().collect::<Result<_, _>>().expect("and are sound");
        assert_eq!(records.len() as i32, validated.record_count());
    }
});

fn read(bytes: &[u8]) {
    for batch in Batches::new(bytes) {
        let Ok(batch) = batch else { return };
        let _ = batch.check_crc();
        let Ok(records) = batch.records(UNPACKED_MAX) else { continue };
        for record in records.iter() {
            let Ok(record) = record else { break };
            for header in record.headers {
                let _ = header;
            }
        }
    }
}

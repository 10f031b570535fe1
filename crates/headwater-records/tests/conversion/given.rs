//! Records as a producer gives them and a consumer gets them.

use headwater_codec::{LeaderEpoch, Offset, ProducerEpoch, ProducerId};
use headwater_records::{
    BatchBuilder, Compression, Headers, RecordView, ValidatedBatch,
    native::{HeaderLimits, NativeBatches, NativeRun},
};

pub(super) const MAX: usize = 1 << 20;
pub(super) const PRODUCER: (ProducerId, ProducerEpoch, i32) =
    (ProducerId::new(9), ProducerEpoch::new(1), i32::MAX - 1);

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Given {
    pub(super) timestamp: i64,
    pub(super) key: Option<Vec<u8>>,
    pub(super) value: Option<Vec<u8>>,
    pub(super) headers: Vec<(Vec<u8>, Option<Vec<u8>>)>,
}

impl Given {
    pub(super) fn of(record: &RecordView<'_>) -> Self {
        let owned = |bytes: Option<&[u8]>| bytes.map(<[u8]>::to_vec);
        let headers =
            |headers: Headers<'_>| headers.map(|(name, value)| (name.to_vec(), owned(value))).collect();
        Self {
            timestamp: record.timestamp,
            key: owned(record.key),
            value: owned(record.value),
            headers: headers(record.headers),
        }
    }

    pub(super) fn push_to(&self, builder: &mut BatchBuilder) {
        let headers: Vec<_> =
            self.headers.iter().map(|(name, value)| (&name[..], value.as_deref())).collect();
        let (key, value) = (self.key.as_deref(), self.value.as_deref());
        builder.push(self.timestamp, key, value, &headers).expect("room");
    }
}

/// Records with a key each and nothing else.
pub(super) fn keys(keys: &[&str]) -> Vec<Given> {
    let given = |key: &&str| Given { key: Some(key.as_bytes().to_vec()), ..Given::default() };
    keys.iter().map(given).collect()
}

pub(super) fn batch(builder: BatchBuilder, records: &[Given]) -> ValidatedBatch {
    let mut builder = builder;
    records.iter().for_each(|record| record.push_to(&mut builder));
    builder.build().expect("a batch")
}

pub(super) fn plain(records: &[Given]) -> ValidatedBatch {
    batch(BatchBuilder::new(), records)
}

pub(super) fn idempotent(records: &[Given], base_sequence: i32) -> ValidatedBatch {
    batch(BatchBuilder::new().producer(PRODUCER.0, PRODUCER.1, base_sequence), records)
}

pub(super) fn run(batch: &ValidatedBatch) -> NativeRun {
    NativeRun::of_batch(batch, &HeaderLimits::default(), MAX).expect("native records")
}

/// The native records of batches, one behind the other.
pub(super) fn log(batches: &[ValidatedBatch]) -> Vec<u8> {
    batches.iter().flat_map(|batch| run(batch).into_bytes()).collect()
}

pub(super) fn offset(raw: i64) -> Offset {
    Offset::new(raw).expect("not negative")
}

/// Makes batches of a log whose first record has `first_offset`.
pub(super) fn rebuilt(log: &[u8], first_offset: i64, bytes_max: usize) -> Vec<ValidatedBatch> {
    let mut batches = NativeBatches::new(log, offset(first_offset), MAX);
    let mut rebuilt = Vec::new();
    while let Some(batch) = batches.next_batch(bytes_max, |_| LeaderEpoch::new(4)).expect("sound records") {
        rebuilt.push(batch);
    }
    assert!(batches.remaining().is_empty());
    rebuilt
}

/// The records of batches, each with its offset.
pub(super) fn records(batches: &[ValidatedBatch]) -> Vec<(i64, Given)> {
    let mut records = Vec::new();
    for batch in batches {
        assert_eq!(batch.header().attributes.codec(), Some(Compression::None));
        for record in &batch.open(usize::MAX).expect("records") {
            let record = record.expect("a sound record");
            records.push((record.offset.get(), Given::of(&record)));
        }
    }
    records
}

use std::path::PathBuf;

use headwater_codec::{ProducerEpoch, ProducerId};
use headwater_records::{BatchBuilder, Batches, ValidatedBatch};

use super::*;
use crate::{
    Damage, LogSlice, SimDisk, StorageError, TimestampTarget,
    disk::{DiskOp, Fault, PowerCut},
};

mod append;
mod find;
mod native;
mod recovery;
mod retention;

const EPOCH: LeaderEpoch = LeaderEpoch::new(3);
const NOW: i64 = 1_700_000_000_000;

/// A log on a disk in memory.
struct Fixture {
    disk: SimDisk,
    log: Log,
    config: LogConfig,
}

impl Fixture {
    fn new() -> Self {
        Self::with(|_| {})
    }

    fn with(change: impl FnOnce(&mut LogConfig)) -> Self {
        let mut config = LogConfig::default();
        change(&mut config);
        let disk = SimDisk::new();
        disk.create_dir(Path::new("/logs")).unwrap();
        disk.sync_dir(Path::new("/")).unwrap();
        let log = open(&disk, &config, None, false).unwrap().0;
        Self { disk, log, config }
    }

    /// Appends a batch of `count` records of about `bytes` bytes in all, their timestamps from `timestamp` on.
    fn append(&mut self, count: usize, bytes: usize, timestamp: i64) -> Offset {
        let outcome = self.log.append_one(batch(count, bytes, timestamp), EPOCH, NOW).unwrap();
        outcome.base_offset
    }

    fn reopen(&mut self, recovery_point: Option<i64>, clean: bool) -> Result<Recovered, StorageError> {
        let (log, recovered) = open(&self.disk, &self.config, recovery_point, clean)?;
        self.log = log;
        Ok(recovered)
    }

    fn segment_path(&self, base: i64) -> PathBuf {
        crate::segment::file_path(&dir(), base, "log")
    }

    fn offsets(&self) -> Vec<(i64, i64)> {
        batches(&self.log, self.log.log_start())
    }
}

fn dir() -> PathBuf {
    PathBuf::from("/logs/topic-0")
}

fn open(
    disk: &SimDisk,
    config: &LogConfig,
    recovery_point: Option<i64>,
    clean: bool,
) -> Result<(Log, Recovered), StorageError> {
    let disk: Arc<dyn Disk> = Arc::new(disk.clone());
    let options = LogOptions {
        config: Arc::new(config.clone()),
        recovery_point: recovery_point.and_then(Offset::new),
        clean,
        first_files: vec![("partition.metadata".into(), Bytes::from_static(b"version: 0\n"))],
        ..LogOptions::new("topic-0")
    };
    Log::open(&disk, &dir(), options, NOW)
}

fn batch(count: usize, bytes: usize, timestamp: i64) -> ValidatedBatch {
    let mut builder = BatchBuilder::new();
    let value = vec![b'v'; bytes / count];
    for index in 0..count {
        builder.push(timestamp + index as i64, None, Some(&value), &[]).unwrap();
    }
    builder.build().unwrap()
}

fn produced(id: i64, epoch: i16, sequence: i32, count: usize) -> ValidatedBatch {
    let mut builder = BatchBuilder::new().producer(ProducerId::new(id), ProducerEpoch::new(epoch), sequence);
    for _ in 0..count {
        builder.push(NOW, Some(b"k"), Some(b"v"), &[]).unwrap();
    }
    builder.build().unwrap()
}

fn bytes_of(slices: &[LogSlice]) -> Vec<u8> {
    slices.iter().flat_map(|slice| slice.to_bytes().unwrap().to_vec()).collect()
}

/// First and last offset of every batch from `from` on, each checked.
fn batches(log: &Log, mut from: Offset) -> Vec<(i64, i64)> {
    let mut found = Vec::new();
    while from < log.log_end() {
        let bytes = bytes_of(&log.read(from, 10_000).unwrap());
        assert!(!bytes.is_empty(), "nothing at {from} below the end");
        let mut iter = Batches::new(&bytes);
        for batch in &mut iter {
            let batch = batch.unwrap();
            batch.check_crc().unwrap();
            let header = batch.header();
            found.push((header.base_offset.get(), header.last_offset().get()));
            from = header.next_offset();
        }
        assert!(iter.remaining().is_empty(), "a slice ends within a batch");
    }
    found
}

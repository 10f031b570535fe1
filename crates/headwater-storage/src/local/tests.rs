use std::{
    future::Future,
    task::{Context, Poll, Waker},
};

use headwater_codec::{ProducerEpoch, ProducerId, TopicName};
use headwater_records::{BatchBuilder, Batches};

use super::*;
use crate::{
    LogConfig, ManualClock, NativeRecords, SimDisk,
    disk::{DiskOp, Fault, PowerCut},
};

mod commit;
mod compaction;
mod coordinator;
mod power_cut;
mod real_disk;
mod topics;

const NOW: i64 = 1_700_000_000_000;

/// A store on a disk in memory, without threads: everything happens when [`LocalLogStore::run_pending`] is called.
struct StoreFixture<F: LogFormat> {
    disk: SimDisk,
    clock: Arc<ManualClock>,
    store: LocalLogStore<F>,
    policy: FlushPolicy,
}

type Fixture = StoreFixture<KafkaBatches>;

impl<F: LogFormat> StoreFixture<F> {
    fn new() -> Self {
        let disk = SimDisk::new();
        disk.create_dir(Path::new("/data")).unwrap();
        disk.sync_dir(Path::new("/")).unwrap();
        Self::on(disk, FlushPolicy::GroupCommit)
    }

    fn on(disk: SimDisk, policy: FlushPolicy) -> Self {
        let clock = Arc::new(ManualClock::new(NOW));
        disk.set_now_ms(NOW);
        let store = open(&disk, &clock, policy);
        Self { disk, clock, store, policy }
    }

    /// On an empty disk, with these options.
    fn with(options: LocalLogOptions) -> Self {
        let disk = SimDisk::new();
        disk.create_dir(Path::new("/data")).unwrap();
        disk.sync_dir(Path::new("/")).unwrap();
        disk.set_now_ms(NOW);
        let (clock, policy) = (Arc::new(ManualClock::new(NOW)), options.flush_policy);
        let given = Arc::clone(&clock) as Arc<dyn Clock>;
        let store = LocalLogStore::open(Arc::new(disk.clone()), given, options).unwrap();
        Self { disk, clock, store, policy }
    }

    /// The store as it is when the process starts again on what a power cut left.
    fn after(self, cut: PowerCut) -> Self {
        let disk = self.disk.power_cut(cut);
        Self::on(disk, self.policy)
    }

    fn put(&self, id: u128, partitions: usize) {
        self.put_with(id, partitions, 0, |_| {});
    }

    fn put_with(&self, id: u128, partitions: usize, epoch: i32, change: impl FnOnce(&mut LogConfig)) {
        self.finish(self.store.put_topic(topic(id, partitions, epoch, change))).unwrap();
    }

    fn append(&self, partition: TopicIdPartition, count: usize) -> Pending<Result<Appended, StorageError>> {
        self.store.append(partition, batch(count, 50), AppendDurability::Committed, Fence(0))
    }

    fn written(&self, partition: TopicIdPartition, batch: ValidatedBatch) -> Result<Appended, StorageError> {
        now(self.store.append(partition, batch, AppendDurability::Written, Fence(0)))
    }

    fn committed(
        &self,
        partition: TopicIdPartition,
        batch: ValidatedBatch,
    ) -> Result<Appended, StorageError> {
        self.finish(self.store.append(partition, batch, AppendDurability::Committed, Fence(0)))
    }

    /// Lets the store work until an answer is there.
    fn finish<T: Unpin>(&self, mut pending: Pending<T>) -> T {
        for _ in 0..1000 {
            if let Poll::Ready(answer) = poll(&mut pending) {
                return answer;
            }
            self.store.run_pending();
        }
        panic!("the answer does not come");
    }

    fn watermarks(&self, partition: TopicIdPartition) -> Watermarks {
        *self.store.watermarks(partition).unwrap().borrow()
    }

    /// First and last offset of each batch that a reader sees from `from` on, each batch checked.
    fn read(
        &self,
        partition: TopicIdPartition,
        from: i64,
        isolation: Isolation,
    ) -> Result<Vec<(i64, i64)>, StorageError> {
        let mut found = Vec::new();
        let mut from = Offset::new(from).unwrap();
        loop {
            let request = ReadRequest { from, bytes_max: 1000, at_least_one_batch: true, isolation };
            let outcome = self.finish(self.store.read(partition, request))?;
            if outcome.slices.is_empty() {
                return Ok(found);
            }
            for slice in outcome.slices {
                let bytes = slice.to_bytes().unwrap();
                let mut batches = Batches::new(&bytes);
                for batch in &mut batches {
                    let batch = batch.unwrap();
                    batch.check_crc().expect("nothing torn is served");
                    found.push((batch.header().base_offset.get(), batch.header().last_offset().get()));
                    from = batch.header().next_offset();
                }
                assert!(batches.remaining().is_empty(), "whole batches");
            }
        }
    }

    fn visible(&self, partition: TopicIdPartition) -> Vec<(i64, i64)> {
        self.read(partition, self.watermarks(partition).log_start.get(), Isolation::ReadUncommitted).unwrap()
    }
}

fn open<F: LogFormat>(disk: &SimDisk, clock: &Arc<ManualClock>, policy: FlushPolicy) -> LocalLogStore<F> {
    let clock = Arc::clone(clock) as Arc<dyn Clock>;
    LocalLogStore::open(Arc::new(disk.clone()), clock, options(policy)).unwrap()
}

fn options(policy: FlushPolicy) -> LocalLogOptions {
    LocalLogOptions {
        dirs: vec![PathBuf::from("/data")],
        flush_policy: policy,
        producer_id_expiration_ms: 2000,
        sync_threads: 0,
        ..LocalLogOptions::default()
    }
}

fn topic(id: u128, partitions: usize, epoch: i32, change: impl FnOnce(&mut LogConfig)) -> TopicLog {
    let mut config = LogConfig::default();
    change(&mut config);
    TopicLog {
        topic_id: Uuid::from_u128(id),
        name: TopicName::from(format!("topic{}", id % 100)),
        leader_epochs: vec![LeaderEpoch::new(epoch); partitions],
        config: Arc::new(config),
    }
}

fn partition(id: u128, index: i32) -> TopicIdPartition {
    TopicIdPartition::new(Uuid::from_u128(id), PartitionIndex::new(index))
}

fn batch(count: usize, bytes: usize) -> ValidatedBatch {
    let mut builder = BatchBuilder::new();
    for _ in 0..count {
        builder.push(NOW, None, Some(&vec![b'v'; bytes]), &[]).unwrap();
    }
    builder.build().unwrap()
}

fn produced(id: i64, sequence: i32) -> ValidatedBatch {
    let mut builder = BatchBuilder::new().producer(ProducerId::new(id), ProducerEpoch::new(0), sequence);
    builder.push(NOW, None, Some(b"v"), &[]).unwrap();
    builder.build().unwrap()
}

fn poll<T: Unpin>(pending: &mut Pending<T>) -> Poll<T> {
    std::pin::Pin::new(pending).poll(&mut Context::from_waker(Waker::noop()))
}

/// The answer that must be there already.
fn now<T: Unpin>(mut pending: Pending<T>) -> T {
    match poll(&mut pending) {
        Poll::Ready(answer) => answer,
        Poll::Pending => panic!("the answer is not there yet"),
    }
}

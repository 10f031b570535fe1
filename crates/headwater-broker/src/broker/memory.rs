//! Logs in memory, for as long as there are no others.
use std::{collections::HashMap, sync::Arc};

use headwater_codec::*;
use headwater_records::ValidatedBatch;
use headwater_storage::*;
use parking_lot::Mutex;
use tokio::sync::watch;

#[derive(Default)]
pub(super) struct MemoryLogs {
    all: Mutex<HashMap<TopicIdPartition, Arc<Mutex<One>>>>,
}
struct One {
    name: LogName,
    epoch: LeaderEpoch,
    batches: Vec<(i64, i64, bytes::Bytes)>,
    marks: watch::Sender<Watermarks>,
}
impl MemoryLogs {
    fn get(&self, partition: TopicIdPartition) -> Result<Arc<Mutex<One>>, StorageError> {
        self.all.lock().get(&partition).cloned().ok_or(StorageError::UnknownPartition { partition })
    }
}
impl LogStore for MemoryLogs {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            delete_records: true,
            idempotence: true,
            transactions: false,
            topic_configs: true,
            create_partitions: true,
        }
    }
    fn put_topic(&self, topic: TopicLog) -> Pending<Result<(), StorageError>> {
        for (i, epoch) in topic.leader_epochs.iter().enumerate() {
            let id = TopicIdPartition::new(topic.topic_id, PartitionIndex::new(i as i32));
            self.all.lock().entry(id).or_insert_with(|| {
                let marks = Watermarks { leader_epoch: *epoch, ..Default::default() };
                Arc::new(Mutex::new(One {
                    name: LogName::new(&format!("{}-{i}", topic.name)),
                    epoch: *epoch,
                    batches: vec![],
                    marks: watch::channel(marks).0,
                }))
            });
        }
        Pending::ready(Ok(()))
    }
    fn remove_topic(&self, topic_id: Uuid) -> Pending<Result<(), StorageError>> {
        self.all.lock().retain(|k, _| k.topic_id != topic_id);
        Pending::ready(Ok(()))
    }
    fn append(
        &self,
        partition: TopicIdPartition,
        mut batch: ValidatedBatch,
        _d: AppendDurability,
        _f: Fence,
    ) -> Pending<Result<Appended, StorageError>> {
        let one = match self.get(partition) {
            Ok(o) => o,
            Err(e) => return Pending::ready(Err(e)),
        };
        let mut one = one.lock();
        let base = one.marks.borrow().log_end;
        batch.assign(base, one.epoch);
        let end = base.plus(batch.record_count() as i64);
        one.batches.push((base.get(), end.get(), batch.to_bytes()));
        one.marks.send_modify(|m| {
            m.log_end = end;
            m.high_watermark = end;
            m.last_stable = end;
        });
        let log_start_offset = one.marks.borrow().log_start;
        Pending::ready(Ok(Appended {
            base_offset: base,
            log_append_time_ms: batch.log_append_time_ms(),
            log_start_offset,
            duplicate: false,
        }))
    }
    fn read(
        &self,
        partition: TopicIdPartition,
        r: ReadRequest,
    ) -> Pending<Result<ReadOutcome, StorageError>> {
        let one = match self.get(partition) {
            Ok(o) => o,
            Err(e) => return Pending::ready(Err(e)),
        };
        let one = one.lock();
        let w = *one.marks.borrow();
        if r.from < w.log_start || r.from > w.log_end {
            return Pending::ready(Err(StorageError::OffsetOutOfRange {
                log: one.name.clone(),
                requested: r.from,
                log_start: w.log_start,
                log_end: w.log_end,
            }));
        }
        let mut slices = vec![];
        let mut n = 0;
        for (_, end, b) in &one.batches {
            if *end <= r.from.get() {
                continue;
            }
            if n + b.len() > r.bytes_max && !(n == 0 && r.at_least_one_batch) {
                break;
            }
            n += b.len();
            slices.push(LogSlice::Bytes(b.clone()));
        }
        Pending::ready(Ok(ReadOutcome { slices, watermarks: w, aborted: vec![] }))
    }
    fn watermarks(&self, partition: TopicIdPartition) -> Result<watch::Receiver<Watermarks>, StorageError> {
        Ok(self.get(partition)?.lock().marks.subscribe())
    }
    fn find_timestamp(
        &self,
        _p: TopicIdPartition,
        _t: TimestampTarget,
        _i: Isolation,
    ) -> Pending<Result<Option<TimestampOffset>, StorageError>> {
        Pending::ready(Ok(None))
    }
    fn epoch_end(
        &self,
        p: TopicIdPartition,
        leader_epoch: LeaderEpoch,
    ) -> Result<Option<EpochEnd>, StorageError> {
        let one = self.get(p)?;
        let one = one.lock();
        let end_offset = one.marks.borrow().log_end;
        Ok((leader_epoch >= one.epoch).then_some(EpochEnd { leader_epoch: one.epoch, end_offset }))
    }
    fn delete_records(
        &self,
        p: TopicIdPartition,
        before: Option<Offset>,
    ) -> Pending<Result<Offset, StorageError>> {
        let one = match self.get(p) {
            Ok(o) => o,
            Err(e) => return Pending::ready(Err(e)),
        };
        let one = one.lock();
        one.marks.send_modify(|m| m.log_start = m.log_start.max(before.unwrap_or(m.high_watermark)));
        let w = one.marks.borrow().log_start;
        Pending::ready(Ok(w))
    }
    fn active_producers(&self, _p: TopicIdPartition) -> Result<Vec<ActiveProducer>, StorageError> {
        Ok(vec![])
    }
    fn log_dirs(&self) -> Pending<Vec<LogDirUsage>> {
        Pending::ready(vec![])
    }
    fn close(&self) -> Pending<Result<(), StorageError>> {
        Pending::ready(Ok(()))
    }
}

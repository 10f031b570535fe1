//! The promise itself: a script of everything a store does is run again and again, the power is cut at every write and
//! sync in turn, and what was not synced is dropped, kept in part, torn or reordered. Whatever is found then: nothing
//! that was acknowledged as committed is missing, nothing torn is served, offsets have no gaps, producers are known,
//! the next append works, and a topic has no record of another that had its name.

use std::collections::{BTreeMap, HashMap};

use proptest::prelude::*;

use super::*;

/// One step of a script. Topics are numbers; those that are equal modulo 100 have the same name.
#[derive(Clone, Debug)]
enum Step {
    Put(u128),
    /// Batches that are committed together.
    Commit {
        topic: u128,
        partition: i32,
        batches: usize,
        bytes: usize,
    },
    /// A batch that nobody waits for.
    Write {
        topic: u128,
        partition: i32,
        bytes: usize,
    },
    Checkpoint,
    Indexes,
    DeleteRecords {
        topic: u128,
        partition: i32,
    },
    Retention,
    Remove(u128),
    /// A clean stop and a start.
    Restart,
    /// The process dies and starts again; the system goes on.
    Kill,
    /// The next syncs of a segment fail.
    FailSyncs(u32),
    /// The next write to a segment fails after some bytes.
    FailWrite(usize),
}

/// What was promised.
#[derive(Default)]
struct Model {
    /// Whether a topic is there, as the metadata log would have it: from before it is put until before it is removed.
    topics: BTreeMap<u128, bool>,
    partitions: HashMap<TopicIdPartition, Promised>,
    epoch: i32,
    /// The disk was told to fail, so steps may.
    faulty: bool,
}

#[derive(Default)]
struct Promised {
    /// Committed batches: first offset and value.
    committed: Vec<(i64, String)>,
    /// How far the log's start may have been raised.
    start_max: i64,
    next_sequence: i32,
    sent: u64,
}

const PARTITIONS: usize = 2;

fn settings(config: &mut LogConfig) {
    config.segment_bytes = 1100;
    config.index_interval_bytes = 100;
    config.retention_bytes = Some(3000);
    config.retention_ms = None;
}

fn value(id: TopicIdPartition, number: u64, bytes: usize) -> String {
    format!("{id}/{number}/{}", "v".repeat(bytes))
}

fn batch_of(id: TopicIdPartition, sequence: i32, value: &str) -> ValidatedBatch {
    let producer = ProducerId::new(1000 + i64::from(id.partition.get()));
    let mut builder = BatchBuilder::new().producer(producer, ProducerEpoch::new(0), sequence);
    builder.push(NOW, None, Some(value.as_bytes()), &[]).unwrap();
    builder.push(NOW, None, Some(value.as_bytes()), &[]).unwrap();
    builder.build().unwrap()
}

struct Runner<F: LogFormat> {
    fixture: Option<StoreFixture<F>>,
    model: Model,
    /// The process died and the system did not, so that nothing written may be missing.
    kept: bool,
}

impl<F: LogFormat> Runner<F> {
    fn new(policy: FlushPolicy) -> Self {
        let disk = SimDisk::new();
        disk.create_dir(Path::new("/data")).unwrap();
        disk.sync_dir(Path::new("/")).unwrap();
        Self { fixture: Some(StoreFixture::on(disk, policy)), model: Model::default(), kept: false }
    }

    fn fixture(&self) -> &StoreFixture<F> {
        self.fixture.as_ref().expect("there is a store between steps")
    }

    fn disk(&self) -> SimDisk {
        self.fixture().disk.clone()
    }

    /// Goes through the script until the power is gone.
    fn run(&mut self, script: &[Step]) {
        for step in script {
            if self.try_step(step).is_err() {
                return;
            }
        }
    }

    /// One step; it may fail where the disk was told to.
    fn try_step(&mut self, step: &Step) -> Result<(), StorageError> {
        let result = self.step(step);
        let dead = self.disk().list(Path::new("/data")).is_err();
        if dead || !self.model.faulty { result } else { Ok(()) }
    }

    fn put_all(&mut self) -> Result<(), StorageError> {
        self.model.epoch += 1;
        let topics: Vec<u128> =
            self.model.topics.iter().filter(|(_, there)| **there).map(|(id, _)| *id).collect();
        for id in topics {
            self.fixture().finish(self.fixture().store.put_topic(topic(
                id,
                PARTITIONS,
                self.model.epoch,
                settings,
            )))?;
        }
        Ok(())
    }

    fn restart(&mut self) -> Result<(), StorageError> {
        let old = self.fixture.take().expect("there is a store between steps");
        let (disk, clock, policy) = (old.disk.clone(), Arc::clone(&old.clock), old.policy);
        drop(old);
        // A disk without power opens nothing; the fixture stays, as something to look at.
        let dead = disk.list(Path::new("/data")).is_err();
        let store = if dead { None } else { try_open(&disk, &clock, policy).ok() };
        let failed = store.is_none();
        let store = store.unwrap_or_else(|| open(&SimDisk::new(), &clock, policy));
        self.fixture = Some(StoreFixture { disk, clock, store, policy });
        if failed { Err(StorageError::Closed) } else { self.put_all() }
    }

    fn step(&mut self, step: &Step) -> Result<(), StorageError> {
        match *step {
            Step::Put(id) => {
                self.model.topics.insert(id, true);
                let put = self.fixture().store.put_topic(topic(id, PARTITIONS, self.model.epoch, settings));
                self.fixture().finish(put)
            }
            Step::Commit { topic, partition: index, batches, bytes } => {
                let id = partition(topic, index);
                let mut pending = Vec::new();
                for _ in 0..batches {
                    let (batch, value) = self.next_batch(id, bytes);
                    let store = &self.fixture().store;
                    pending.push((store.append(id, batch, AppendDurability::Committed, Fence(0)), value));
                }
                let mut result = Ok(());
                for (pending, value) in pending {
                    let appended = self.fixture().finish(pending);
                    let promised = self.model.partitions.entry(id).or_default();
                    match appended {
                        Ok(appended) => promised.committed.push((appended.base_offset.get(), value)),
                        Err(error) => result = Err(error),
                    }
                }
                self.after_failure(id, &result);
                result
            }
            Step::Write { topic, partition: index, bytes } => {
                let id = partition(topic, index);
                let (batch, _) = self.next_batch(id, bytes);
                let store = &self.fixture().store;
                let written =
                    self.fixture().finish(store.append(id, batch, AppendDurability::Written, Fence(0)));
                let written = written.map(|_| ());
                self.after_failure(id, &written);
                written
            }
            Step::FailSyncs(times) => {
                self.model.faulty = true;
                self.disk().inject(Fault {
                    op: DiskOp::Sync,
                    path: ".log".into(),
                    errno: 5,
                    written: 0,
                    times,
                });
                Ok(())
            }
            Step::FailWrite(written) => {
                self.model.faulty = true;
                self.disk().inject(Fault {
                    op: DiskOp::Write,
                    path: ".log".into(),
                    errno: 28,
                    written,
                    times: 1,
                });
                Ok(())
            }
            Step::Checkpoint => self.fixture().store.write_checkpoints(),
            Step::Indexes => self
                .fixture()
                .store
                .shared
                .partitions()
                .iter()
                .try_for_each(|partition| partition.write_indexes()),
            Step::DeleteRecords { topic, partition: index } => {
                let id = partition(topic, index);
                let watermarks = *self.fixture().store.watermarks(id)?.borrow();
                let before = (watermarks.log_start.get() + watermarks.high_watermark.get() + 1) / 2;
                let promised = self.model.partitions.entry(id).or_default();
                promised.start_max = promised.start_max.max(before);
                self.fixture().finish(self.fixture().store.delete_records(id, Offset::new(before)))?;
                Ok(())
            }
            Step::Retention => {
                for (id, promised) in &mut self.model.partitions {
                    if let Ok(watermarks) = self.fixture.as_ref().expect("a store").store.watermarks(*id) {
                        promised.start_max = promised.start_max.max(watermarks.borrow().high_watermark.get());
                    }
                }
                self.fixture().store.housekeep();
                self.fixture().store.run_pending();
                Ok(())
            }
            Step::Remove(id) => {
                self.model.topics.insert(id, false);
                let removed = self.fixture().finish(self.fixture().store.remove_topic(Uuid::from_u128(id)));
                self.fixture().store.run_pending();
                removed
            }
            Step::Restart => {
                let mut closing = self.fixture().store.close();
                let closed = loop {
                    if let Poll::Ready(closed) = poll(&mut closing) {
                        break closed;
                    }
                    std::thread::yield_now();
                };
                if !self.model.faulty {
                    closed?;
                }
                self.restart()
            }
            Step::Kill => self.restart(),
        }
    }

    fn next_batch(&mut self, id: TopicIdPartition, bytes: usize) -> (ValidatedBatch, String) {
        let promised = self.model.partitions.entry(id).or_default();
        promised.sent += 1;
        let value = value(id, promised.sent, bytes);
        let batch = batch_of(id, promised.next_sequence, &value);
        promised.next_sequence += 2;
        (batch, value)
    }

    /// A producer whose batch was refused goes on behind what is in the log.
    fn after_failure(&mut self, id: TopicIdPartition, result: &Result<(), StorageError>) {
        if result.is_err()
            && let Ok(producers) = self.fixture().store.active_producers(id)
        {
            let next = producers.first().map_or(0, |producer| producer.last_sequence + 1);
            self.model.partitions.entry(id).or_default().next_sequence = next;
        }
    }

    /// Cuts the power, starts again, and holds what is found against what was promised.
    fn check(&mut self, cut: PowerCut) -> Result<(), TestCaseError> {
        let clock = Arc::new(ManualClock::new(NOW));
        let mut disk = self.disk().power_cut(cut);
        self.kept = cut == PowerCut::Kept;
        // Twice: what was found once must be there after another cut.
        for round in 0..2 {
            let policy = self.fixture().policy;
            let store = try_open(&disk, &clock, policy)
                .map_err(|error| TestCaseError::fail(format!("the directory does not open: {error}")))?;
            let after: StoreFixture<F> =
                StoreFixture { disk: disk.clone(), clock: Arc::clone(&clock), store, policy };
            for (&id, &there) in &self.model.topics {
                if there {
                    let epoch = self.model.epoch + 1 + round;
                    let put = after.store.put_topic(topic(id, PARTITIONS, epoch, settings));
                    after.finish(put).map_err(|error| TestCaseError::fail(error.to_string()))?;
                    for index in 0..PARTITIONS {
                        self.check_partition(&after, partition(id, index as i32))?;
                    }
                }
            }
            disk = disk.power_cut(PowerCut::Dropped);
        }
        Ok(())
    }

    fn check_partition(&self, after: &StoreFixture<F>, id: TopicIdPartition) -> Result<(), TestCaseError> {
        let none = Promised::default();
        let promised = self.model.partitions.get(&id).unwrap_or(&none);
        let watermarks =
            after.store.watermarks(id).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let Watermarks { log_start, log_end, high_watermark, .. } = *watermarks.borrow();
        prop_assert_eq!(log_end, high_watermark);
        // A first segment that nobody waited for may be gone, and the log starts with the second.
        let lost =
            promised.committed.iter().find(|(at, _)| (promised.start_max..log_start.get()).contains(at));
        prop_assert!(
            lost.is_none() || !self.kept && after.policy == FlushPolicy::Os,
            "the log starts at {}, beyond {:?}",
            log_start,
            lost
        );
        let found = records_of(after, id, log_start.get())?;
        let mut next = log_start.get();
        for (offset, text, _) in &found {
            prop_assert_eq!(*offset, next, "offsets have no gaps");
            next += 1;
            prop_assert!(text.starts_with(&format!("{id}/")), "{}: a record of another topic", text);
        }
        prop_assert_eq!(next, log_end.get(), "everything below the end is readable");
        let kept = self.fixture().policy == FlushPolicy::GroupCommit || self.kept;
        for (offset, text) in
            promised.committed.iter().filter(|_| kept).filter(|(offset, _)| *offset + 1 >= log_start.get())
        {
            for offset in [*offset, offset + 1].into_iter().filter(|offset| *offset >= log_start.get()) {
                let at = found.iter().find(|(at, _, _)| *at == offset);
                prop_assert_eq!(at.map(|(_, text, _)| text), Some(text), "committed at {} of {}", offset, id);
            }
        }
        let producer = 1000 + i64::from(id.partition.get());
        let last = found.last().map(|(offset, text, sequence)| (*offset - 1, text.clone(), *sequence));
        if let Some((base, text, sequence)) = last.filter(|(base, ..)| *base >= log_start.get()) {
            let again = after.committed(id, batch_of(id, sequence, &text));
            let again = again.map_err(|error| TestCaseError::fail(format!("sent again: {error}")))?;
            prop_assert!(again.duplicate, "producer {} is known", producer);
            prop_assert_eq!(again.base_offset.get(), base);
            let next = after.committed(id, batch_of(id, sequence + 2, &value(id, 0, 10)));
            let next = next.map_err(|error| TestCaseError::fail(format!("the next one: {error}")))?;
            prop_assert_eq!((next.base_offset, next.duplicate), (log_end, false));
        } else {
            let next = after.committed(id, batch_of(id, promised.next_sequence, &value(id, 0, 10)));
            match next {
                Ok(next) => prop_assert_eq!((next.base_offset, next.duplicate), (log_end, false)),
                // It wrote something that is gone, and its next batch leaves a gap: that is told.
                Err(StorageError::OutOfOrderSequence { .. }) => {}
                Err(error) => return Err(TestCaseError::fail(format!("the next one: {error}"))),
            }
        }
        Ok(())
    }
}

/// Offset, value and first sequence of the producer's batch of every record from `from` on, each batch checked.
fn records_of<F: LogFormat>(
    after: &StoreFixture<F>,
    id: TopicIdPartition,
    from: i64,
) -> Result<Vec<(i64, String, i32)>, TestCaseError> {
    let mut found: Vec<(i64, String, i32)> = Vec::new();
    let mut next = Offset::new(from).unwrap();
    loop {
        let request = ReadRequest {
            from: next,
            bytes_max: 900,
            at_least_one_batch: true,
            isolation: Isolation::ReadUncommitted,
        };
        let outcome = after.finish(after.store.read(id, request));
        let outcome = outcome.map_err(|error| TestCaseError::fail(format!("{id} from {next}: {error}")))?;
        if outcome.slices.is_empty() {
            return Ok(found);
        }
        for slice in outcome.slices {
            let bytes = slice.to_bytes().map_err(|error| TestCaseError::fail(error.to_string()))?;
            let mut batches = Batches::new(&bytes);
            for batch in &mut batches {
                let batch = batch.map_err(|error| TestCaseError::fail(error.to_string()))?;
                prop_assert!(batch.check_crc().is_ok(), "nothing torn is served");
                for record in batch.records(10_000).unwrap().iter() {
                    let record = record.unwrap();
                    let text = String::from_utf8(record.value.unwrap_or_default().to_vec()).unwrap();
                    // A batch that is made when it is read may hold the rest of one: then it is the one before.
                    let sequence = match (batch.header().base_sequence, found.last()) {
                        (-1, Some((_, _, sequence))) => *sequence,
                        (sequence, _) => sequence,
                    };
                    if record.offset.get() >= from {
                        found.push((record.offset.get(), text, sequence));
                    }
                }
                next = batch.header().next_offset();
            }
            prop_assert!(batches.remaining().is_empty(), "whole batches");
        }
    }
}

fn try_open<F: LogFormat>(
    disk: &SimDisk,
    clock: &Arc<ManualClock>,
    policy: FlushPolicy,
) -> Result<LocalLogStore<F>, StorageError> {
    let options = LocalLogOptions {
        dirs: vec![PathBuf::from("/data")],
        flush_policy: policy,
        sync_threads: 0,
        ..LocalLogOptions::default()
    };
    LocalLogStore::open(Arc::new(disk.clone()), Arc::clone(clock) as Arc<dyn Clock>, options)
}

fn commit(topic: u128, partition: i32, batches: usize, bytes: usize) -> Step {
    Step::Commit { topic, partition, batches, bytes }
}

/// Everything a store does, more than once.
fn the_script() -> Vec<Step> {
    let mut script =
        vec![Step::Put(101), Step::Put(2), commit(101, 0, 1, 40), commit(101, 1, 3, 40), Step::Checkpoint];
    // Over several segments, with checkpoints and index writes between.
    for round in 0..4 {
        script.extend([
            commit(101, 0, 2, 150),
            Step::Write { topic: 101, partition: 0, bytes: 60 },
            commit(2, round % 2, 1, 90),
            Step::Indexes,
            Step::Checkpoint,
        ]);
    }
    script.extend([Step::Kill, commit(101, 0, 1, 30), commit(2, 1, 2, 300), Step::Checkpoint]);
    // A topic goes, and another takes its name.
    script.extend([
        Step::Remove(101),
        Step::Put(201),
        commit(201, 0, 2, 60),
        Step::Checkpoint,
        commit(201, 1, 1, 200),
        Step::Write { topic: 201, partition: 1, bytes: 400 },
    ]);
    script.extend([
        Step::DeleteRecords { topic: 2, partition: 1 },
        Step::Restart,
        commit(2, 1, 3, 250),
        commit(201, 0, 4, 300),
        Step::Retention,
        Step::Checkpoint,
        commit(201, 0, 1, 20),
        Step::DeleteRecords { topic: 201, partition: 0 },
        Step::DeleteRecords { topic: 201, partition: 0 },
        commit(201, 0, 1, 20),
        Step::Remove(2),
        Step::Put(102),
        commit(102, 0, 1, 10),
        Step::Restart,
        commit(102, 0, 1, 10),
    ]);
    script
}

fn cuts(op: u64) -> Vec<PowerCut> {
    let mut cuts = vec![PowerCut::Dropped, PowerCut::Kept];
    for seed in 0..3 {
        cuts.push(PowerCut::Torn { seed: op * 31 + seed });
    }
    for seed in 0..5 {
        cuts.push(PowerCut::Reordered { seed: op * 37 + seed });
    }
    cuts
}

#[test]
fn nothing_committed_is_lost_whenever_the_power_goes() {
    lose_nothing_whenever_the_power_goes::<KafkaBatches>();
}

#[test]
fn nothing_committed_to_native_topics_is_lost_whenever_the_power_goes() {
    lose_nothing_whenever_the_power_goes::<NativeRecords>();
}

fn lose_nothing_whenever_the_power_goes<F: LogFormat>() {
    let script = the_script();
    let mut whole = Runner::<F>::new(FlushPolicy::GroupCommit);
    for step in &script {
        whole.step(step).unwrap_or_else(|error| panic!("{step:?}: {error}"));
    }
    let ops = whole.disk().op_count();
    let (mut points, mut committed) = (0, 0);
    for op in 0..=ops {
        let mut runner = Runner::<F>::new(FlushPolicy::GroupCommit);
        runner.disk().cut_power_at(op + 2);
        runner.run(&script);
        committed += runner.model.partitions.values().map(|promised| promised.committed.len()).sum::<usize>();
        for cut in cuts(op) {
            points += 1;
            if let Err(error) = runner.check(cut) {
                panic!("power cut at operation {op} of {ops}, {cut:?}: {error}");
            }
        }
    }
    assert!(points > 1000 && committed > 1000);
    let cuts = cuts(0).len();
    eprintln!("power cuts: {points} ({ops} operations, {cuts} ways each, twice in a row)");
}

/// Under `os` the page cache is what counts: a process that dies loses nothing, and a power cut loses no more than the
/// end of a log.
#[test]
fn under_os_a_process_may_die_at_any_point() {
    die_at_any_point_under_os::<KafkaBatches>();
}

#[test]
fn under_os_a_process_with_native_topics_may_die_at_any_point() {
    die_at_any_point_under_os::<NativeRecords>();
}

fn die_at_any_point_under_os<F: LogFormat>() {
    let script = the_script();
    let mut whole = Runner::<F>::new(FlushPolicy::Os);
    for step in &script {
        whole.step(step).unwrap_or_else(|error| panic!("{step:?}: {error}"));
    }
    let ops = whole.disk().op_count();
    for op in 0..=ops {
        let mut runner = Runner::<F>::new(FlushPolicy::Os);
        runner.disk().cut_power_at(op + 2);
        runner.run(&script);
        for cut in [PowerCut::Kept, PowerCut::Dropped, PowerCut::Reordered { seed: op }] {
            if let Err(error) = runner.check(cut) {
                panic!("operation {op} of {ops}, {cut:?}: {error}");
            }
        }
    }
}

fn any_step() -> impl Strategy<Value = Step> {
    let topic = prop_oneof![Just(101u128), Just(201), Just(2)];
    let place = (topic.clone(), 0..PARTITIONS as i32);
    prop_oneof![
        2 => topic.clone().prop_map(Step::Put),
        6 => (place.clone(), 1..4usize, 0..400usize)
            .prop_map(|((topic, partition), batches, bytes)| commit(topic, partition, batches, bytes)),
        3 => (place.clone(), 0..400usize).prop_map(|((topic, partition), bytes)| Step::Write { topic, partition, bytes }),
        2 => Just(Step::Checkpoint),
        1 => Just(Step::Indexes),
        1 => place.prop_map(|(topic, partition)| Step::DeleteRecords { topic, partition }),
        1 => Just(Step::Retention),
        1 => topic.prop_map(Step::Remove),
        1 => Just(Step::Restart),
        1 => Just(Step::Kill),
        1 => (1..3u32).prop_map(Step::FailSyncs),
        1 => (0..500usize).prop_map(Step::FailWrite),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_scripts_keep_their_promises(
        steps in proptest::collection::vec(any_step(), 1..40),
        at in any::<prop::sample::Index>(),
        seed in any::<u64>(),
        native in any::<bool>(),
    ) {
        if native {
            keep_promises::<NativeRecords>(steps, at, seed)?;
        } else {
            keep_promises::<KafkaBatches>(steps, at, seed)?;
        }
    }
}

fn keep_promises<F: LogFormat>(
    steps: Vec<Step>,
    at: prop::sample::Index,
    seed: u64,
) -> Result<(), TestCaseError> {
    let mut whole = Runner::<F>::new(FlushPolicy::GroupCommit);
    // Steps on topics that are not there are left out.
    let mut script = vec![Step::Put(2)];
    let mut there = std::collections::BTreeSet::from([2u128]);
    for step in steps {
        let fits = match &step {
            // One topic has a name at a time.
            Step::Put(id) => !there.contains(id) && !there.iter().any(|other| other % 100 == id % 100),
            Step::Remove(topic)
            | Step::Commit { topic, .. }
            | Step::Write { topic, .. }
            | Step::DeleteRecords { topic, .. } => there.contains(topic),
            _ => true,
        };
        // An id is never given twice.
        let again = matches!(step, Step::Put(id) if script.iter().any(|s| matches!(s, Step::Put(other) if *other == id)));
        if fits && !again {
            match step {
                Step::Put(id) => drop(there.insert(id)),
                Step::Remove(id) => drop(there.remove(&id)),
                _ => {}
            }
            script.push(step);
        }
    }
    for step in &script {
        if let Err(error) = whole.try_step(step) {
            return Err(TestCaseError::fail(format!("{step:?}: {error}")));
        }
    }
    let ops = whole.disk().op_count() as usize;
    let op = at.index(ops + 1) as u64;
    let mut runner = Runner::<F>::new(FlushPolicy::GroupCommit);
    runner.disk().cut_power_at(op + 2);
    runner.run(&script);
    for cut in [PowerCut::Dropped, PowerCut::Kept, PowerCut::Torn { seed }, PowerCut::Reordered { seed }] {
        runner.check(cut)?;
    }
    Ok(())
}

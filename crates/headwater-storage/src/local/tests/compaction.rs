//! Compaction: what stays, what goes, and when (field cases C06, C22, C33, C34). What a crash leaves is in `compaction/crash.rs`.

use std::collections::BTreeMap;

use headwater_records::{BatchHeader, Compression, HeaderRef};

use super::*;

mod crash;
mod native;
mod transactions;

/// A record as a reader gets it.
#[derive(Clone, Debug, Eq, PartialEq)]
struct Read {
    offset: i64,
    timestamp: i64,
    key: Option<Vec<u8>>,
    value: Option<Vec<u8>>,
    headers: Vec<(Vec<u8>, Option<Vec<u8>>)>,
}

/// A record to produce: key, value, headers.
type Given<'a> = (&'a str, Option<&'a str>, &'a [HeaderRef<'a>]);

const TOPIC: u128 = 1;
const DELETE_RETENTION_MS: i64 = 5000;

fn id() -> TopicIdPartition {
    partition(TOPIC, 0)
}

/// Segments hold two batches of one small record.
fn compacted(config: &mut LogConfig) {
    config.cleanup_compact = true;
    config.cleanup_delete = false;
    config.segment_bytes = 160;
    config.min_cleanable_dirty_ratio = 0.0;
    config.delete_retention_ms = DELETE_RETENTION_MS;
    config.index_interval_bytes = 50;
}

fn fixture(change: impl FnOnce(&mut LogConfig)) -> Fixture {
    fixture_of(change)
}

fn fixture_of<F: LogFormat>(change: impl FnOnce(&mut LogConfig)) -> StoreFixture<F> {
    let f = StoreFixture::new();
    f.put_with(TOPIC, 1, 0, |config| {
        compacted(config);
        change(config);
    });
    f
}

fn records(given: &[Given<'_>], codec: Compression, timestamp: i64) -> ValidatedBatch {
    let mut builder = BatchBuilder::new().compression(codec);
    for (key, value, headers) in given {
        builder.push(timestamp, Some(key.as_bytes()), value.map(str::as_bytes), headers).unwrap();
    }
    builder.build().unwrap()
}

impl<F: LogFormat> StoreFixture<F> {
    /// Commits a batch of one record.
    fn set(&self, key: &str, value: Option<&str>) -> i64 {
        self.commit(&[(key, value, &[])])
    }

    fn commit(&self, given: &[Given<'_>]) -> i64 {
        self.committed(id(), records(given, Compression::None, self.clock.now_ms()))
            .unwrap()
            .base_offset
            .get()
    }

    /// Closes the active segment, and lets what was in it be compacted.
    fn roll(&self) {
        let partition = self.store.shared.partition(id()).unwrap();
        partition.roll_now();
        self.store.run_pending();
    }

    fn header_at(&self, offset: i64) -> BatchHeader {
        let request = ReadRequest {
            from: Offset::new(offset).unwrap(),
            bytes_max: 1,
            at_least_one_batch: true,
            isolation: Isolation::ReadUncommitted,
        };
        let outcome = self.finish(self.store.read(id(), request)).unwrap();
        let bytes = outcome.slices[0].to_bytes().unwrap();
        headwater_records::check(&bytes).unwrap()
    }

    fn records(&self) -> Vec<Read> {
        self.records_from(self.watermarks(id()).log_start.get())
    }

    fn records_from(&self, from: i64) -> Vec<Read> {
        let mut found = Vec::new();
        let mut from = Offset::new(from).unwrap();
        while from < self.watermarks(id()).high_watermark {
            let isolation = Isolation::ReadUncommitted;
            let request = ReadRequest { from, bytes_max: 200, at_least_one_batch: true, isolation };
            let outcome = self.finish(self.store.read(id(), request)).unwrap();
            assert!(!outcome.slices.is_empty(), "nothing at {from}, below the end");
            for slice in outcome.slices {
                from = read_all(&slice.to_bytes().unwrap(), from, &mut found);
            }
        }
        found
    }

    /// Keys and values, in the order of their offsets.
    fn values(&self) -> Vec<(String, Option<String>)> {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let pair = |read: Read| (text(&read.key.unwrap()), read.value.as_deref().map(text));
        self.records().into_iter().map(pair).collect()
    }

    fn files(&self) -> Vec<String> {
        let dir = self.store.shared.partition(id()).unwrap().dir.clone();
        let mut names: Vec<_> = self.disk.list(&dir).unwrap().into_iter().map(|entry| entry.name).collect();
        names.sort();
        names
    }

    fn log_files(&self) -> usize {
        self.files().iter().filter(|name| name.ends_with(".log")).count()
    }
}

/// Adds the records at or after `from`; gives where to read on.
fn read_all(bytes: &[u8], from: Offset, found: &mut Vec<Read>) -> Offset {
    let mut next = from;
    for batch in Batches::new(bytes) {
        let batch = batch.unwrap();
        batch.check_crc().unwrap();
        let records = batch.records(1 << 20).unwrap();
        for record in records.iter().map(Result::unwrap).filter(|record| record.offset >= from) {
            let headers = record.headers.map(|(name, value)| (name.to_vec(), value.map(<[u8]>::to_vec)));
            found.push(Read {
                offset: record.offset.get(),
                timestamp: record.timestamp,
                key: record.key.map(<[u8]>::to_vec),
                value: record.value.map(<[u8]>::to_vec),
                headers: headers.collect(),
            });
        }
        next = batch.header().next_offset();
    }
    next
}

fn pair(key: &str, value: &str) -> (String, Option<String>) {
    (key.to_owned(), Some(value.to_owned()))
}

#[test]
fn the_last_record_of_each_key_stays_where_it_was() {
    let f = fixture(|_| {});
    for round in 0..10 {
        for key in ["a", "b", "c"] {
            f.set(key, Some(&format!("{key}{round}")));
        }
    }
    let before = f.records();
    let log_files = f.log_files();
    assert_eq!(log_files, 15);
    f.put_with(TOPIC, 1, 0, |config| {
        compacted(config);
        config.segment_bytes = 700;
    });
    f.store.clean();
    // The active segment holds the last two; it stays as it is, and nobody looks at its keys.
    let after = f.records();
    assert_eq!(after, before[25..]);
    assert_eq!(f.watermarks(id()).log_end.get(), 30);
    assert_eq!(f.log_files(), 5, "four fit one: {:?}", f.files());
    let stats = f.store.cleaner_stats();
    assert!(stats.runs >= 1 && stats.failures == 0 && stats.bytes_written < stats.bytes_read, "{stats:?}");
    f.store.clean();
    assert_eq!(f.store.cleaner_stats().runs, stats.runs, "nothing is dirty any more");
}

#[test]
fn every_offset_up_to_the_end_stays_a_place_to_read_from() {
    // C22: keys overwritten many times, batches of several records, every codec.
    let f = fixture(|config| config.segment_bytes = 600);
    for round in 0..40 {
        let value = format!("value {round}");
        let given: Vec<Given<'_>> =
            ["a", "b", "c", "d", "e"].iter().map(|key| (*key, Some(value.as_str()), &[][..])).collect();
        let codec = Compression::ALL[round % 5];
        f.committed(id(), records(&given, codec, NOW + round as i64)).unwrap();
    }
    let check = |f: &Fixture| {
        let kept = f.records();
        assert!(kept.len() < 50, "{} are left", kept.len());
        for from in 0..200 {
            let header = f.header_at(from);
            assert!(header.last_offset().get() >= from, "at {from} a batch is given that ends before");
            let expected: Vec<_> = kept.iter().filter(|read| read.offset >= from).cloned().collect();
            assert_eq!(f.records_from(from), expected, "from {from}");
        }
    };
    f.store.clean();
    check(&f);
    f.store.write_checkpoints().unwrap();
    let f = f.after(PowerCut::Dropped);
    f.put_with(TOPIC, 1, 1, compacted);
    check(&f);
}

#[test]
fn headers_survive_as_they_came() {
    // C06: null is not empty; names repeat and keep their order.
    let headers: [HeaderRef<'_>; 5] = [
        (b"n", None),
        (b"e", Some(b"")),
        (b"n", Some(b"1")),
        (b"", Some(b"x")),
        (b"\xff\xfe", Some(b"\xc3\x28")),
    ];
    for codec in Compression::ALL {
        let f = fixture(|config| config.segment_bytes = 1000);
        let given: [Given<'_>; 3] =
            [("x", Some("0"), &headers), ("stay", Some("v"), &headers), ("x", Some("1"), &[])];
        f.committed(id(), records(&given, codec, NOW)).unwrap();
        f.set("x", Some("2"));
        f.roll();
        let before = f.records();
        f.store.clean();
        assert_eq!(f.records(), [before[1].clone(), before[3].clone()]);
        assert_eq!(f.records()[0].headers.len(), 5);
    }
}

#[test]
fn a_tombstone_with_headers_is_read_until_its_horizon_and_then_gone() {
    // C34.
    let headers: [HeaderRef<'_>; 3] = [(b"h1", Some(b"1")), (b"h2", None), (b"h1", Some(b"2"))];
    let f = fixture(|_| {});
    f.set("k", Some("old"));
    f.commit(&[("k", None, &headers)]);
    f.set("e", Some(""));
    f.set("other", Some("0"));
    f.roll();
    let before = f.records();
    f.store.clean();
    assert_eq!(f.records(), before[1..], "the old value is gone and nothing else has changed");
    let header = f.header_at(1);
    assert!(header.attributes.has_delete_horizon());
    assert_eq!(header.base_timestamp, NOW + DELETE_RETENTION_MS);
    f.clock.advance(DELETE_RETENTION_MS - 1);
    f.store.clean();
    assert_eq!(f.records(), before[1..]);
    // Nothing was written meanwhile; it goes all the same.
    f.clock.advance(1);
    f.store.clean();
    assert_eq!(f.records(), before[2..], "an empty value is a value");
    let runs = f.store.cleaner_stats().runs;
    f.clock.advance(DELETE_RETENTION_MS);
    f.store.clean();
    assert_eq!(f.store.cleaner_stats().runs, runs, "no horizon is to come");
}

#[test]
fn the_horizon_survives_a_restart_and_is_not_moved() {
    let f = fixture(|_| {});
    f.set("k", Some("old"));
    f.set("k", None);
    f.roll();
    f.store.clean();
    f.store.write_checkpoints().unwrap();
    let f = f.after(PowerCut::Kept);
    f.clock.advance(DELETE_RETENTION_MS);
    f.put_with(TOPIC, 1, 1, compacted);
    f.set("more", Some("1"));
    f.roll();
    f.store.clean();
    assert_eq!(f.values(), [pair("more", "1")]);
}

#[test]
fn gaps_stay_gaps_when_the_topic_is_not_compacted_any_more() {
    let f = fixture(|config| config.segment_bytes = 700);
    for value in 0..20 {
        f.set(&format!("k{}", value % 3), Some(&value.to_string()));
    }
    f.roll();
    f.store.clean();
    f.set("k0", Some("20"));
    let kept = f.records();
    assert!(kept.len() < 6, "{kept:?}");
    f.store.write_checkpoints().unwrap();
    // Everything has to be checked, and nothing tells what was on disk.
    f.disk.remove(Path::new("/data/recovery-point-offset-checkpoint")).unwrap();
    let f = f.after(PowerCut::Kept);
    f.put_with(TOPIC, 1, 1, |config| config.retention_ms = None);
    assert_eq!(f.records(), kept);
}

#[test]
fn the_active_segment_and_what_is_not_durable_stay() {
    let f = fixture(|config| config.segment_bytes = 10_000);
    for value in ["0", "1", "2"] {
        f.set("k", Some(value));
    }
    f.store.clean();
    assert_eq!(f.records().len(), 3, "all of it is in the active segment");
    let partition = f.store.shared.partition(id()).unwrap();
    partition.roll_now();
    f.store.clean();
    assert_eq!(f.records().len(), 3, "the closed one is not known to be durable");
    f.store.run_pending();
    f.store.clean();
    assert_eq!(f.values(), [pair("k", "2")]);
}

#[test]
fn a_log_is_compacted_when_enough_of_it_is_dirty() {
    let f = fixture(|config| {
        config.min_cleanable_dirty_ratio = 0.5;
        config.segment_bytes = 10_000;
    });
    for _ in 0..20 {
        f.set("k", Some("v"));
        f.set("l", Some("v"));
    }
    f.roll();
    f.store.clean();
    assert_eq!((f.records().len(), f.store.cleaner_stats().runs), (2, 1));
    f.set("k", Some("w"));
    f.roll();
    f.store.clean();
    assert_eq!(f.records().len(), 3, "one part in three is dirty");
    for _ in 0..10 {
        f.set("k", Some("x"));
    }
    f.roll();
    f.store.clean();
    assert_eq!(f.values(), [pair("l", "v"), pair("k", "x")]);
}

#[test]
fn lags_hold_compaction_back_and_demand_it() {
    let f = fixture(|config| {
        config.min_compaction_lag_ms = 1000;
        config.max_compaction_lag_ms = 10_000;
        config.min_cleanable_dirty_ratio = 0.75;
        config.segment_bytes = 10_000;
    });
    for value in ["0", "1", "2", "3"] {
        f.set("k", Some(value));
    }
    f.roll();
    f.store.clean();
    assert_eq!(f.records().len(), 4, "they are too young");
    f.clock.advance(1000);
    f.store.clean();
    assert_eq!(f.values(), [pair("k", "3")]);
    for _ in 0..10 {
        f.set("l", Some("0"));
    }
    f.set("k", Some("4"));
    f.roll();
    f.clock.advance(1000);
    f.store.clean();
    assert_eq!(f.values(), [pair("l", "0"), pair("k", "4")]);
    f.set("k", Some("5"));
    f.roll();
    f.clock.advance(9000);
    f.store.clean();
    assert_eq!(f.values().len(), 3, "a third is dirty, which is not enough");
    f.clock.advance(1001);
    f.store.clean();
    assert_eq!(f.values(), [pair("l", "0"), pair("k", "5")], "it has waited for too long");
}

#[test]
fn what_must_be_compacted_soon_does_not_stay_in_the_active_segment() {
    let f = fixture(|config| config.max_compaction_lag_ms = 1000);
    f.set("k", Some("0"));
    f.set("k", Some("1"));
    f.clock.advance(1001);
    f.store.housekeep();
    f.store.run_pending();
    f.store.clean();
    assert_eq!(f.values(), [pair("k", "1")]);
}

#[test]
fn little_memory_takes_more_rounds_and_comes_to_the_same() {
    let mut options = options(FlushPolicy::GroupCommit);
    // Four slots, of which three are used.
    options.cleaner.dedupe_buffer_size = 96;
    let f = Fixture::with(options);
    f.put_with(TOPIC, 1, 0, compacted);
    for round in 0..4 {
        for key in 0..25 {
            f.set(&format!("{key:02}"), Some(&round.to_string()));
        }
    }
    f.set("last", Some("0"));
    f.roll();
    f.store.clean();
    let expected: BTreeMap<_, _> = (0..25).map(|key| pair(&format!("{key:02}"), "3")).collect();
    let mut values: BTreeMap<_, _> = f.values().into_iter().collect();
    assert_eq!(values.remove("last"), Some(Some("0".into())));
    assert_eq!(values, expected);
    assert_eq!(f.records().len(), 26);
    assert!(f.store.cleaner_stats().runs > 10);
}

#[test]
fn slices_that_were_read_before_stay_valid() {
    let f = fixture(|_| {});
    for value in 0..12 {
        f.set("k", Some(&value.to_string()));
    }
    f.roll();
    let request = ReadRequest {
        from: Offset::ZERO,
        bytes_max: 10_000,
        at_least_one_batch: true,
        isolation: Isolation::ReadUncommitted,
    };
    let before = f.finish(f.store.read(id(), request)).unwrap();
    let bytes = |outcome: &ReadOutcome| -> Vec<u8> {
        outcome.slices.iter().flat_map(|slice| slice.to_bytes().unwrap().to_vec()).collect()
    };
    let expected = bytes(&before);
    let partition = f.store.shared.partition(id()).unwrap();
    let (view, replaced) = partition.view_now();
    f.store.clean();
    assert_eq!(f.records().len(), 1);
    assert_eq!(bytes(&before), expected);
    // A reader that looked before finds what was there, though the names belong to others now, and for as long as it likes.
    replaced.iter().for_each(|segment| segment.let_go(i64::MAX));
    let range = crate::log::Range { from: 0, bytes_max: 10_000, at_least_one: true, upto: view.end() };
    let slices = view.read::<crate::KafkaBatches>(range, crate::scan::Wait::ForDisk).unwrap();
    let read: Vec<u8> = slices.iter().flat_map(|slice| slice.to_bytes().unwrap().to_vec()).collect();
    assert_eq!(read, expected);
}

#[test]
fn records_without_a_key_go_once_a_topic_is_compacted() {
    let f = fixture(|_| {});
    f.committed(id(), batch(1, 20)).unwrap();
    f.set("k", Some("v"));
    f.roll();
    f.store.clean();
    assert_eq!(f.values(), [pair("k", "v")]);
}

#[test]
fn retention_and_compaction_go_together() {
    let f = fixture(|config| {
        config.cleanup_delete = true;
        config.retention_ms = Some(10_000);
    });
    for value in 0..6 {
        f.set(&format!("k{}", value % 3), Some(&value.to_string()));
    }
    f.roll();
    f.store.clean();
    assert_eq!(f.values(), [pair("k0", "3"), pair("k1", "4"), pair("k2", "5")]);
    f.clock.advance(10_001);
    f.set("new", Some("6"));
    f.store.housekeep();
    f.store.run_pending();
    assert_eq!(f.values(), [pair("new", "6")]);
    assert_eq!(f.watermarks(id()).log_start.get(), 6);
    f.set("new", Some("7"));
    f.roll();
    f.store.clean();
    assert_eq!(f.values(), [pair("new", "7")]);
}

#[test]
fn producers_are_known_after_their_records_are_gone() {
    let f = fixture(|config| config.segment_bytes = 10_000);
    let send = |f: &Fixture, producer: i64, sequence: i32| {
        let mut builder =
            BatchBuilder::new().producer(ProducerId::new(producer), ProducerEpoch::new(0), sequence);
        builder.push(NOW, Some(b"k"), Some(b"v"), &[]).unwrap();
        f.committed(id(), builder.build().unwrap())
    };
    for sequence in 0..8 {
        send(&f, 7, sequence).unwrap();
    }
    send(&f, 8, 0).unwrap();
    f.roll();
    f.store.clean();
    assert_eq!(f.records().len(), 1);
    let header = f.header_at(0);
    assert_eq!((header.record_count, header.last_offset().get(), header.last_sequence()), (0, 7, 7));
    f.store.write_checkpoints().unwrap();
    // The snapshots are gone, too: everything must be told from the log.
    let f = f.after(PowerCut::Dropped);
    for name in f.disk.list(Path::new("/data/topic1-0")).unwrap() {
        if name.name.ends_with(".snapshot") {
            f.disk.remove(&Path::new("/data/topic1-0").join(name.name)).unwrap();
        }
    }
    f.put_with(TOPIC, 1, 1, compacted);
    let duplicate = send(&f, 7, 7).unwrap();
    assert!(duplicate.duplicate && duplicate.base_offset.get() == 7);
    assert!(matches!(send(&f, 7, 9), Err(StorageError::OutOfOrderSequence { .. })));
    assert!(!send(&f, 7, 8).unwrap().duplicate);
}

#[test]
fn the_checkpoint_is_kafkas_and_goes_with_the_topic() {
    let f = fixture(|_| {});
    for value in 0..5 {
        f.set("k", Some(&value.to_string()));
    }
    f.roll();
    f.store.clean();
    let path = Path::new("/data/cleaner-offset-checkpoint");
    assert_eq!(f.disk.read(path).unwrap(), b"0\n1\ntopic1 0 5\n");
    f.finish(f.store.remove_topic(Uuid::from_u128(TOPIC))).unwrap();
    assert_eq!(f.disk.read(path).unwrap(), b"0\n0\n");
}

#[test]
fn damage_ends_the_cleaning_and_nothing_is_lost() {
    let f = fixture(|_| {});
    for value in 0..6 {
        f.set("k", Some(&value.to_string()));
    }
    f.roll();
    let segment = Path::new("/data/topic1-0/00000000000000000002.log");
    f.disk.damage(segment, |bytes| bytes[70] ^= 1).unwrap();
    let before = f.files();
    f.store.clean();
    assert_eq!(f.files(), before);
    let stats = f.store.cleaner_stats();
    assert_eq!((stats.runs, stats.failures), (0, 1));
    f.store.clean();
    assert_eq!(f.store.cleaner_stats().failures, 1, "it is not tried again at once");
    f.disk.damage(segment, |bytes| bytes[70] ^= 1).unwrap();
    f.clock.advance(300_000);
    f.store.clean();
    assert_eq!(f.values(), [pair("k", "5")]);
}

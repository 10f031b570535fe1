//! A log of native records: the same rules, although a batch is several entries and none tells its offset.

use headwater_records::native::{NativeError, NativeRecord};

use super::*;
use crate::NativeRecords;

type NativeLog = Log<NativeRecords>;

fn open_native(
    disk: &SimDisk,
    config: &LogConfig,
    recovery_point: i64,
) -> Result<(NativeLog, Recovered), StorageError> {
    let disk: Arc<dyn Disk> = Arc::new(disk.clone());
    let options = LogOptions {
        config: Arc::new(config.clone()),
        recovery_point: Offset::new(recovery_point),
        ..LogOptions::new("topic-0")
    };
    Log::open(&disk, &dir(), options, NOW)
}

fn native(change: impl FnOnce(&mut LogConfig)) -> (SimDisk, LogConfig, NativeLog) {
    let mut config = LogConfig::default();
    change(&mut config);
    let disk = SimDisk::new();
    disk.create_dir(Path::new("/logs")).unwrap();
    let log = open_native(&disk, &config, 0).unwrap().0;
    (disk, config, log)
}

fn append(log: &mut NativeLog, batch: ValidatedBatch) -> Result<(i64, bool), StorageError> {
    let entry = NativeRecords::entry(&log.name().clone(), batch, &log.config().clone())?;
    let outcome = log.append_one(entry, EPOCH, NOW)?;
    Ok((outcome.base_offset.get(), outcome.duplicate))
}

/// First offset, first sequence and record count of every batch that readers get from `from` on.
fn read(log: &NativeLog, from: i64) -> Vec<(i64, i32, i32)> {
    let mut found = Vec::new();
    let mut from = Offset::ZERO.plus(from);
    while from < log.log_end() {
        let bytes = bytes_of(&log.read(from, 10_000).unwrap());
        for batch in Batches::new(&bytes) {
            let batch = batch.unwrap();
            batch.check_crc().unwrap();
            let header = batch.header();
            found.push((header.base_offset.get(), header.base_sequence, header.record_count));
            from = header.next_offset();
        }
    }
    found
}

fn segment_path(base: i64) -> PathBuf {
    crate::segment::file_path(&dir(), base, "log")
}

/// A log with the batches of a producer at 0..=1, 2..=4, 5, all synced.
fn three_batches() -> (SimDisk, LogConfig, NativeLog) {
    let (disk, config, mut log) = native(|_| {});
    for (sequence, count) in [(0, 2), (2, 3), (5, 1)] {
        assert_eq!(append(&mut log, produced(1, 0, sequence, count)).unwrap(), (i64::from(sequence), false));
    }
    log.sync(NOW).unwrap();
    (disk, config, log)
}

/// Where each record of a segment begins, and where the last one ends.
fn places(disk: &SimDisk) -> Vec<usize> {
    let bytes = disk.read(&segment_path(0)).unwrap();
    let mut places = vec![0];
    while let Ok(record) = NativeRecord::parse(&bytes[*places.last().unwrap()..]) {
        places.push(places.last().unwrap() + record.bytes().len());
    }
    places
}

/// Damages a log, and expects that it is cut before `end`, or refused where everything below 6 was on disk.
fn check(what: &str, end: i64, change: impl Fn(&mut Vec<u8>, &[usize])) {
    let damaged = || {
        let (disk, config, _) = three_batches();
        let places = places(&disk);
        disk.damage(&segment_path(0), |bytes| change(bytes, &places)).unwrap();
        (disk, config)
    };
    let (disk, config) = damaged();
    let (mut log, _) = open_native(&disk, &config, 0).unwrap();
    assert_eq!(log.log_end().get(), end, "{what}");
    let kept: Vec<_> =
        [(0, 0, 2), (2, 2, 3), (5, 5, 1)].into_iter().filter(|(base, ..)| *base < end).collect();
    assert_eq!(read(&log, 0), kept, "{what}");
    // What the producer was not told of it sends again, and it is new.
    let next = i32::try_from(end).unwrap();
    assert_eq!(append(&mut log, produced(1, 0, next, 1)).unwrap(), (end, false), "{what}");

    let (disk, config) = damaged();
    let size = disk.stat(&segment_path(0)).unwrap().len;
    let error = open_native(&disk, &config, 6).expect_err(what);
    assert!(matches!(error, StorageError::Corrupt { .. }), "{what}: {error}");
    assert_eq!(disk.stat(&segment_path(0)).unwrap().len, size, "{what}: nothing is cut");
}

#[test]
fn any_damage_is_cut_above_the_recovery_point_and_refused_below() {
    let places = places(&three_batches().0);
    assert_eq!(places.len(), 7);
    let (last, end) = (places[5], places[6]);
    for cut in 1..=end - last {
        check(&format!("cut off {cut}"), 5, |bytes, _| bytes.truncate(bytes.len() - cut));
    }
    for bit in 0..8 * (end - last) {
        check(&format!("bit {bit}"), 5, |bytes, places| bytes[places[5] + bit / 8] ^= 1 << (bit % 8));
    }
    check("zeros", 5, |bytes, places| bytes[places[5]..].fill(0));
}

/// Otherwise the batch that its producer sends again would be taken for known.
#[test]
fn a_batch_of_which_a_part_is_there_is_cut_off_whole() {
    check("the second of three is damaged", 2, |bytes, places| bytes[places[4] - 1] ^= 1);
    check("the third of three is damaged", 2, |bytes, places| bytes[places[5] - 1] ^= 1);
    check("two of three are there", 2, |bytes, places| bytes.truncate(places[4]));
    check("one of three is there", 2, |bytes, places| bytes.truncate(places[3] + 5));
    check("one of two is there", 0, |bytes, places| bytes.truncate(places[1]));
}

#[test]
fn attributes_of_a_later_version_are_an_error_of_their_own() {
    for bit in [0x20, 0x40, 0x80] {
        let (disk, config, _) = three_batches();
        let at = places(&disk)[2] + 8;
        disk.damage(&segment_path(0), |bytes| bytes[at] |= bit).unwrap();
        let error = open_native(&disk, &config, 6).unwrap_err();
        let StorageError::Corrupt { damage: Damage::Record(damage), .. } = error else { panic!("{error}") };
        assert!(matches!(damage, NativeError::UnknownAttributes { .. }), "{damage}");
        assert_eq!(open_native(&disk, &config, 0).unwrap().0.log_end().get(), 2);
    }
}

#[test]
fn offsets_are_found_through_indexes_of_many_segments_and_without_them() {
    let (disk, config, mut log) = native(|config| {
        config.segment_bytes = 20_000;
        config.index_interval_bytes = 300;
    });
    for index in 0..200 {
        append(&mut log, batch(5, 200, NOW + 10 * index)).unwrap();
    }
    assert!(log.view().segments.len() > 3);
    log.close(NOW).unwrap();
    for without in ["", "index", "timeindex"] {
        for segment in log.view().segments.iter().filter(|_| !without.is_empty()) {
            disk.remove(&segment.path().with_extension(without)).unwrap();
        }
        log = open_native(&disk, &config, 1000).unwrap().0;
        assert_eq!(log.log_end().get(), 1000, "without {without}");
        let view = log.view();
        for offset in [0, 1, 77, 499, 500, 996, 999] {
            assert_eq!(read(&log, offset)[0].0, offset, "without {without}");
            let time = NOW + 10 * (offset / 5) + offset % 5;
            let target = TimestampTarget::AtOrAfter(time);
            let found = view.find_timestamp::<NativeRecords>(target, view.end()).unwrap().unwrap();
            assert_eq!((found.offset.get(), found.timestamp_ms), (offset, time), "without {without}");
            assert_eq!(found.leader_epoch, EPOCH);
        }
        log.close(NOW).unwrap();
    }
}

#[test]
fn producers_are_known_again_with_and_without_snapshots() {
    let (disk, config, mut log) = native(|config| config.segment_bytes = 400);
    for sequence in 0..8 {
        append(&mut log, produced(1, 0, 2 * sequence, 2)).unwrap();
    }
    log.sync(NOW).unwrap();
    let names: Vec<_> =
        disk.list(&dir()).unwrap().into_iter().filter(|e| e.name.ends_with(".snapshot")).collect();
    assert!(!names.is_empty());
    for damage in [false, true] {
        for entry in names.iter().filter(|_| damage) {
            disk.damage(&dir().join(&entry.name), |bytes| bytes[7] ^= 1).unwrap();
        }
        let (mut log, _) = open_native(&disk, &config, 0).unwrap();
        for sequence in [14, 12, 10, 8, 6] {
            let again = append(&mut log, produced(1, 0, sequence, 2)).unwrap();
            assert_eq!(again, (i64::from(sequence), true), "snapshots damaged: {damage}");
        }
        let error = append(&mut log, produced(1, 0, 18, 1)).unwrap_err();
        assert!(matches!(error, StorageError::OutOfOrderSequence { last: 15, found: 18, .. }), "{error}");
    }
}

#[test]
fn retention_and_deletion_follow_the_segments() {
    let (disk, config, mut log) = native(|config| {
        config.segment_bytes = 700;
        config.retention_bytes = Some(1500);
        config.retention_ms = None;
    });
    for index in 0..10 {
        append(&mut log, batch(2, 400, NOW + index)).unwrap();
    }
    let segments = log.view().segments.len();
    let done = log.apply_retention(log.log_end(), NOW).unwrap();
    assert!(done.segments > 0 && done.segments < segments);
    let start = log.log_start();
    assert_eq!(read(&log, start.get())[0].0, start.get());
    // Within a batch.
    let within = start.plus(1);
    assert_eq!(log.delete_records(within, log.log_end(), NOW).unwrap(), within);
    assert_eq!(read(&log, within.get())[0].0, within.get());
    assert!(matches!(log.read(start, 10), Err(StorageError::OffsetOutOfRange { .. })));
    log.close(NOW).unwrap();
    assert_eq!(open_native(&disk, &config, 20).unwrap().0.log_end().get(), 20);
}

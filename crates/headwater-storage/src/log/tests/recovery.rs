//! C37: whatever the damage, the log is cut at the last sound batch above the recovery point, and never below it.

use super::*;

/// A log with batches at 0..=2, 3, 4, all synced.
fn three_batches() -> Fixture {
    let mut f = Fixture::new();
    f.append(3, 90, NOW);
    f.append(1, 400, NOW);
    f.append(1, 30, NOW);
    f.log.sync(NOW).unwrap();
    f
}

/// Damages the last batch of a log, and expects it, and only it, to be cut, if it lies above the recovery point.
fn check(what: &str, change: impl Fn(&mut Vec<u8>, usize)) {
    let last_len = batch(1, 30, NOW).len();
    let damaged = || {
        let f = three_batches();
        f.disk
            .damage(&f.segment_path(0), |bytes| {
                let at = bytes.len() - last_len;
                change(bytes, at);
            })
            .unwrap();
        f
    };
    let mut f = damaged();
    let recovered = f.reopen(Some(4), false).unwrap();
    assert!(recovered.cut.is_some() || what == "cut off whole", "{what}");
    assert_eq!(f.offsets(), [(0, 2), (3, 3)], "{what}");
    assert_eq!(f.append(1, 10, NOW).get(), 4, "{what}");
    f.log.sync(NOW).unwrap();
    f.reopen(Some(4), false).unwrap();
    assert_eq!(f.offsets(), [(0, 2), (3, 3), (4, 4)], "{what}");

    let f = damaged();
    let size = f.disk.stat(&f.segment_path(0)).unwrap().len;
    let error = open(&f.disk, &f.config, Some(5), false).expect_err(what);
    let StorageError::Corrupt { path, position, .. } = &error else { panic!("{what}: {error}") };
    assert_eq!(*path, f.segment_path(0), "{what}");
    assert!(*position > 0, "{what}: {error}");
    assert_eq!(f.disk.stat(&f.segment_path(0)).unwrap().len, size, "{what}: nothing is cut");
}

#[test]
fn any_damage_is_cut_above_the_recovery_point_and_refused_below() {
    let last_len = batch(1, 30, NOW).len();
    for cut in 1..last_len {
        check(&format!("cut off {cut}"), |bytes, _| bytes.truncate(bytes.len() - cut));
    }
    check("cut off whole", |bytes, at| bytes.truncate(at));
    for length in [0i32, -1, i32::MAX, 20, 1 << 20] {
        check(&format!("length {length}"), |bytes, at| {
            bytes[at + 8..at + 12].copy_from_slice(&length.to_be_bytes())
        });
    }
    for bit in 0..8 * last_len {
        // Base offset and leader epoch stand outside of the checksum; the epoch may be anything.
        if (12..16).contains(&(bit / 8)) {
            continue;
        }
        check(&format!("bit {bit}"), |bytes, at| bytes[at + bit / 8] ^= 1 << (bit % 8));
    }
    check("zeros", |bytes, at| bytes[at..].fill(0));
    check("magic 1", |bytes, at| bytes[at + 16] = 1);
}

#[test]
fn what_follows_the_last_batch_is_cut_off() {
    for (what, tail) in [
        ("zeros", vec![0; 4096]),
        ("eleven bytes", vec![7; 11]),
        ("noise", (0..5000u32).map(|i| (i * 31 % 251) as u8).collect()),
    ] {
        let mut f = three_batches();
        f.disk.damage(&f.segment_path(0), |bytes| bytes.extend_from_slice(&tail)).unwrap();
        let recovered = f.reopen(Some(5), false).unwrap();
        assert_eq!(recovered.bytes_cut, tail.len() as u64, "{what}");
        assert_eq!(f.offsets(), [(0, 2), (3, 3), (4, 4)], "{what}");
        assert_eq!(f.append(1, 10, NOW).get(), 5, "{what}");
    }
}

#[test]
fn a_copy_of_an_earlier_batch_at_the_end_is_cut_off_and_no_more() {
    let mut f = three_batches();
    let first_len = batch(3, 90, NOW).len();
    f.disk.damage(&f.segment_path(0), |bytes| bytes.extend_from_within(..first_len)).unwrap();
    let recovered = f.reopen(Some(0), false).unwrap();
    let (_, _, damage) = recovered.cut.unwrap();
    assert!(matches!(damage, Damage::OffsetsGoBack { .. }), "{damage}");
    assert_eq!(f.offsets(), [(0, 2), (3, 3), (4, 4)]);
}

#[test]
fn everything_behind_a_cut_goes_later_segments_too() {
    let mut f = Fixture::with(|config| config.segment_bytes = 700);
    for _ in 0..10 {
        f.append(1, 200, NOW);
    }
    f.log.sync(NOW).unwrap();
    f.disk.damage(&f.segment_path(2), |bytes| *bytes.last_mut().unwrap() ^= 1).unwrap();
    f.reopen(Some(1), false).unwrap();
    assert_eq!(f.log.log_end().get(), 3);
    assert!(!f.disk.exists(&f.segment_path(4)).unwrap());
    assert_eq!(f.append(1, 10, NOW).get(), 3);
}

#[test]
fn a_missing_segment_is_a_gap() {
    let mut f = Fixture::with(|config| config.segment_bytes = 700);
    for _ in 0..10 {
        f.append(1, 200, NOW);
    }
    f.log.sync(NOW).unwrap();
    f.disk.remove(&f.segment_path(4)).unwrap();
    let error = open(&f.disk, &f.config, Some(5), false).unwrap_err();
    assert!(matches!(error, StorageError::Corrupt { .. }), "{error}");
    f.reopen(Some(3), false).unwrap();
    assert_eq!(f.log.log_end().get(), 4);
}

#[test]
fn a_directory_that_lost_everything_below_the_recovery_point_is_refused() {
    let f = three_batches();
    f.disk.remove(&f.segment_path(0)).unwrap();
    assert!(matches!(open(&f.disk, &f.config, Some(5), false), Err(StorageError::Corrupt { .. })));
}

#[test]
fn what_was_cut_stays_cut_after_another_power_cut() {
    let mut f = three_batches();
    f.disk.damage(&f.segment_path(0), |bytes| *bytes.last_mut().unwrap() ^= 1).unwrap();
    f.reopen(Some(0), false).unwrap();
    let disk = f.disk.power_cut(PowerCut::Dropped);
    let (log, recovered) = open(&disk, &f.config, Some(0), false).unwrap();
    assert_eq!((log.log_end().get(), recovered.cut), (4, None));
}

#[test]
fn a_clean_stop_spares_the_check() {
    let mut f = three_batches();
    f.log.close(NOW).unwrap();
    let recovered = f.reopen(None, true).unwrap();
    assert_eq!(recovered.cut, None);
    assert_eq!(f.offsets(), [(0, 2), (3, 3), (4, 4)]);
    assert_eq!(f.append(1, 10, NOW).get(), 5);
}

#[test]
fn a_check_after_a_crash_begins_at_the_recovery_point() {
    let mut f = Fixture::new();
    for _ in 0..1000 {
        f.append(1, 1000, NOW);
    }
    f.log.sync(NOW).unwrap();
    f.log.view().segments[0].write_indexes(true).unwrap();
    let recovered = f.reopen(Some(990), false).unwrap();
    assert!(recovered.entries_checked < 20, "{}", recovered.entries_checked);
    let recovered = f.reopen(None, false).unwrap();
    assert_eq!(recovered.entries_checked, 1000);
}

#[test]
fn indexes_that_are_missing_stale_or_damaged_are_made_anew() {
    type Change = fn(&mut Vec<u8>);
    let changes: [(&str, Change); 6] = [
        ("empty", |bytes| bytes.clear()),
        ("short", |bytes| bytes.truncate(bytes.len() / 2)),
        ("odd", |bytes| bytes.truncate(bytes.len() - 3)),
        ("zeros", |bytes| bytes.fill(0)),
        ("preallocated", |bytes| bytes.resize(10_485_760, 0)),
        ("wrong", |bytes| bytes.iter_mut().skip(3).step_by(8).for_each(|byte| *byte = byte.wrapping_add(1))),
    ];
    for (what, change) in changes {
        for extension in ["index", "timeindex"] {
            for clean in [true, false] {
                let mut f = Fixture::with(|config| config.segment_bytes = 100_000);
                for index in 0..300 {
                    f.append(1, 1000, NOW + index);
                }
                f.log.close(NOW).unwrap();
                for base in f.log.view().segments.iter().map(|segment| segment.base_offset()) {
                    f.disk.damage(&crate::segment::file_path(&dir(), base, extension), change).unwrap();
                }
                f.reopen(Some(300), clean).unwrap();
                for from in [0, 1, 50, 99, 150, 250, 299] {
                    let bytes = bytes_of(&f.log.read(Offset::new(from).unwrap(), 10).unwrap());
                    let header = headwater_records::check(&bytes).unwrap();
                    assert_eq!(header.base_offset.get(), from, "{what} {extension}, clean: {clean}");
                }
                let view = f.log.view();
                for target in [NOW, NOW + 1, NOW + 150, NOW + 299] {
                    let target = TimestampTarget::AtOrAfter(target);
                    let found =
                        view.find_timestamp::<crate::KafkaBatches>(target, view.end()).unwrap().unwrap();
                    assert_eq!(
                        found.timestamp_ms,
                        NOW + found.offset.get(),
                        "{what} {extension}, clean: {clean}"
                    );
                }
            }
        }
    }
}

#[test]
fn producers_are_known_again_after_a_crash() {
    let mut f = Fixture::with(|config| config.segment_bytes = 400);
    for sequence in 0..8 {
        f.log.append_one(produced(1, 0, sequence, 1), EPOCH, NOW).unwrap();
    }
    f.log.sync(NOW).unwrap();
    let names: Vec<_> =
        f.disk.list(&dir()).unwrap().into_iter().filter(|e| e.name.ends_with(".snapshot")).collect();
    assert!(!names.is_empty());
    for damage in [false, true] {
        if damage {
            for entry in &names {
                f.disk.damage(&dir().join(&entry.name), |bytes| bytes[7] ^= 1).unwrap();
            }
        }
        f.reopen(Some(0), false).unwrap();
        let again = f.log.append_one(produced(1, 0, 7, 1), EPOCH, NOW).unwrap();
        assert_eq!((again.base_offset.get(), again.duplicate), (7, true));
        let error = f.log.append_one(produced(1, 0, 9, 1), EPOCH, NOW).unwrap_err();
        assert!(matches!(error, StorageError::OutOfOrderSequence { last: 7, found: 9, .. }), "{error}");
    }
}

#[test]
fn snapshots_of_records_that_are_gone_are_removed() {
    let mut f = three_batches();
    f.log.close(NOW).unwrap();
    f.disk.damage(&f.segment_path(0), |bytes| *bytes.last_mut().unwrap() ^= 1).unwrap();
    assert!(f.disk.exists(&dir().join("00000000000000000005.snapshot")).unwrap());
    f.reopen(Some(0), false).unwrap();
    assert!(!f.disk.exists(&dir().join("00000000000000000005.snapshot")).unwrap());
}

#[test]
fn epochs_are_found_in_the_log_when_their_file_is_gone() {
    for remove in [false, true] {
        let mut f = Fixture::with(|config| config.segment_bytes = 700);
        for epoch in [0, 0, 0, 2, 2, 5] {
            f.log.append_one(batch(1, 200, NOW), LeaderEpoch::new(epoch), NOW).unwrap();
        }
        f.log.close(NOW).unwrap();
        let path = dir().join("leader-epoch-checkpoint");
        assert_eq!(f.disk.read(&path).unwrap(), b"0\n3\n0 0\n2 3\n5 5\n");
        if remove {
            f.disk.remove(&path).unwrap();
        }
        f.reopen(Some(6), true).unwrap();
        let end = |epoch| {
            let end = f.log.epoch_end(LeaderEpoch::new(epoch), LeaderEpoch::new(6));
            end.map(|end| (end.leader_epoch.get(), end.end_offset.get()))
        };
        assert_eq!(end(0), Some((0, 3)));
        assert_eq!(end(1), Some((0, 3)));
        assert_eq!(end(2), Some((2, 5)));
        assert_eq!(end(5), Some((5, 6)));
        assert_eq!(end(6), Some((6, 6)));
        assert_eq!(end(7), None);
    }
}

use super::*;

#[test]
fn an_absent_directory_is_an_empty_log_until_the_first_append() {
    let mut f = Fixture::new();
    assert_eq!((f.log.log_start().get(), f.log.log_end().get()), (0, 0));
    assert!(f.log.read(Offset::ZERO, 100).unwrap().is_empty());
    assert!(!f.disk.exists(&dir()).unwrap());
    f.append(1, 10, NOW);
    assert_eq!(f.disk.read(&dir().join("partition.metadata")).unwrap(), b"version: 0\n");
}

#[test]
fn offsets_continue_whatever_the_batches_say() {
    let mut f = Fixture::new();
    assert_eq!(f.append(3, 30, NOW).get(), 0);
    assert_eq!(f.append(1, 10, NOW).get(), 3);
    assert_eq!(f.append(2, 10, NOW).get(), 4);
    assert_eq!(f.offsets(), [(0, 2), (3, 3), (4, 5)]);
}

#[test]
fn the_leader_epoch_is_stamped_into_the_batch() {
    let mut f = Fixture::new();
    f.append(1, 10, NOW);
    let bytes = bytes_of(&f.log.read(Offset::ZERO, 1000).unwrap());
    assert_eq!(headwater_records::check(&bytes).unwrap().leader_epoch, EPOCH);
    assert_eq!(f.log.last_epoch(), Some(EPOCH));
}

#[test]
fn log_append_time_is_the_time_of_all_records() {
    let mut f =
        Fixture::with(|config| config.timestamp_type = headwater_records::TimestampType::LogAppendTime);
    let outcome = f.log.append_one(batch(2, 20, 5), EPOCH, NOW).unwrap();
    assert_eq!(outcome.log_append_time_ms, Some(NOW));
    let bytes = bytes_of(&f.log.read(Offset::ZERO, 1000).unwrap());
    let header = headwater_records::check(&bytes).expect("the checksum was made anew");
    assert_eq!(header.max_timestamp, NOW);
    assert_eq!(header.attributes.timestamp_type(), headwater_records::TimestampType::LogAppendTime);
}

#[test]
fn many_entries_go_to_the_disk_in_one_write() {
    let mut f = Fixture::new();
    f.append(1, 10, NOW);
    let mut jobs: Vec<_> = (0..100).map(|_| AppendJob::new(batch(2, 20, NOW))).collect();
    let before = f.disk.op_count();
    f.log.append(&mut jobs, EPOCH, NOW);
    assert_eq!(f.disk.op_count() - before, 1);
    let offsets: Vec<_> = jobs.into_iter().map(|job| job.into_outcome().unwrap().base_offset.get()).collect();
    assert_eq!(offsets, (0..100).map(|index| 1 + 2 * index).collect::<Vec<_>>());
    assert_eq!(f.log.log_end().get(), 201);
}

#[test]
fn a_segment_takes_no_batch_that_makes_it_too_long() {
    let mut f = Fixture::with(|config| config.segment_bytes = 1000);
    for _ in 0..10 {
        f.append(1, 300, NOW);
    }
    assert!(f.log.view().segments.len() >= 4);
    assert!(f.log.view().segments.iter().all(|segment| segment.size() <= 1000));
    assert_eq!(f.offsets().len(), 10);
    let error = f.log.append_one(batch(1, 1001, NOW), EPOCH, NOW).unwrap_err();
    assert!(matches!(error, StorageError::BatchTooLarge { .. }), "{error}");
}

#[test]
fn one_call_may_fill_several_segments() {
    let mut f = Fixture::with(|config| config.segment_bytes = 1000);
    let mut jobs: Vec<_> = (0..20).map(|_| AppendJob::new(batch(1, 300, NOW))).collect();
    f.log.append(&mut jobs, EPOCH, NOW);
    assert_eq!(f.offsets(), (0..20).map(|offset| (offset, offset)).collect::<Vec<_>>());
}

#[test]
fn an_old_segment_is_closed_when_the_next_batch_comes() {
    let mut f = Fixture::with(|config| config.segment_ms = 1000);
    f.append(1, 10, NOW);
    f.append(1, 10, NOW + 1000);
    assert_eq!(f.log.view().segments.len(), 1);
    f.append(1, 10, NOW + 1001);
    assert_eq!(f.log.view().segments.len(), 2);
}

#[test]
fn a_full_index_closes_the_segment() {
    let mut f = Fixture::with(|config| {
        config.index_interval_bytes = 0;
        config.segment_index_bytes = 24;
    });
    for index in 0..10 {
        f.append(1, 10, NOW + index);
    }
    assert!(f.log.view().segments.len() > 2);
    assert_eq!(f.offsets().len(), 10);
}

#[test]
fn a_failed_write_is_cut_back_and_the_next_one_takes_its_place() {
    let mut f = Fixture::new();
    f.append(1, 10, NOW);
    for written in [0, 1, 61, 100] {
        f.disk.inject(Fault { op: DiskOp::Write, path: ".log".into(), errno: 5, written, times: 1 });
        let size = f.log.size_bytes();
        let error = f.log.append_one(produced(1, 0, 0, 3), EPOCH, NOW).unwrap_err();
        assert!(matches!(error, StorageError::Io { .. }), "{error}");
        assert_eq!(f.disk.stat(&f.segment_path(0)).unwrap().len, size);
    }
    assert!(f.log.active_producers().is_empty(), "nobody wrote");
    let outcome = f.log.append_one(produced(1, 0, 0, 3), EPOCH, NOW).unwrap();
    assert_eq!((outcome.base_offset.get(), outcome.duplicate), (1, false));
}

#[test]
fn what_a_failed_write_left_does_not_come_back_after_a_clean_stop() {
    for seed in 0..20 {
        let mut f = Fixture::new();
        f.append(1, 10, NOW);
        f.log.sync(NOW).unwrap();
        f.disk.inject(Fault { op: DiskOp::Write, path: ".log".into(), errno: 28, written: 400, times: 1 });
        assert!(f.log.append_one(batch(1, 1000, NOW), EPOCH, NOW).is_err());
        f.log.close(NOW).unwrap();
        let disk = f.disk.power_cut(PowerCut::Reordered { seed });
        assert_eq!(batches(&open(&disk, &f.config, Some(1), true).unwrap().0, Offset::ZERO), [(0, 0)]);
    }
}

#[test]
fn noise_behind_the_end_of_a_closed_segment_is_not_read() {
    let mut f = Fixture::with(|config| config.segment_bytes = 400);
    for _ in 0..3 {
        f.append(1, 300, NOW);
    }
    f.log.close(NOW).unwrap();
    for extension in ["index", "none"] {
        let noise = crate::segment::file_path(&dir(), 1, extension);
        let _ = f.disk.remove(&noise);
        f.disk.damage(&f.segment_path(1), |bytes| bytes.extend_from_slice(&[7; 100])).unwrap();
        f.reopen(Some(3), true).unwrap();
        assert_eq!(f.offsets(), [(0, 0), (1, 1), (2, 2)]);
    }
}

#[test]
fn a_full_disk_is_an_error_until_there_is_room_again() {
    let mut f = Fixture::new();
    f.append(1, 10, NOW);
    f.disk.set_capacity(Some(f.log.size_bytes() + 40 + 11));
    assert!(matches!(f.log.append_one(batch(1, 500, NOW), EPOCH, NOW), Err(StorageError::Io { .. })));
    assert!(matches!(f.log.append_one(batch(1, 500, NOW), EPOCH, NOW), Err(StorageError::Io { .. })));
    f.disk.set_capacity(None);
    assert_eq!(f.append(1, 500, NOW).get(), 1);
    assert_eq!(f.offsets(), [(0, 0), (1, 1)]);
}

#[test]
fn a_failed_write_that_cannot_be_cut_off_blocks_until_it_can() {
    let mut f = Fixture::with(|config| config.segment_bytes = 400);
    f.append(1, 10, NOW);
    f.disk.inject(Fault { op: DiskOp::Write, path: ".log".into(), errno: 5, written: 70, times: 1 });
    f.disk.inject(Fault { op: DiskOp::SetLen, path: ".log".into(), errno: 5, written: 0, times: 2 });
    assert!(f.log.append_one(batch(1, 20, NOW), EPOCH, NOW).is_err());
    assert!(f.log.append_one(batch(1, 300, NOW), EPOCH, NOW).is_err(), "nor may the segment be closed so");
    assert_eq!(f.append(1, 20, NOW).get(), 1);
    assert_eq!(f.disk.stat(&f.segment_path(0)).unwrap().len, f.log.size_bytes());
}

#[test]
fn a_failed_sync_gives_up_what_it_was_to_cover_and_goes_on_in_a_new_segment() {
    let mut f = Fixture::new();
    f.log.append_one(produced(7, 0, 0, 2), EPOCH, NOW).unwrap();
    f.log.sync(NOW).unwrap();
    f.log.append_one(produced(7, 0, 2, 2), EPOCH, NOW).unwrap();
    f.disk.inject(Fault { op: DiskOp::Sync, path: "000.log".into(), errno: 5, written: 0, times: 1 });
    assert!(f.log.sync(NOW).is_err());
    assert_eq!(f.log.log_end().get(), 2);
    let again = f.log.append_one(produced(7, 0, 2, 2), EPOCH, NOW).unwrap();
    assert_eq!((again.base_offset.get(), again.duplicate), (2, false), "it is no duplicate of what is gone");
    let known = f.log.append_one(produced(7, 0, 0, 2), EPOCH, NOW).unwrap();
    assert_eq!((known.base_offset.get(), known.duplicate), (0, true));
    f.log.sync(NOW).unwrap();
    assert_eq!(f.log.view().segments.len(), 2);
    let disk = f.disk.power_cut(PowerCut::Dropped);
    let (log, _) = open(&disk, &f.config, Some(2), false).unwrap();
    assert_eq!(batches(&log, Offset::ZERO), [(0, 1), (2, 3)]);
}

#[test]
fn after_a_failed_sync_of_the_first_records_the_segment_is_made_anew() {
    let mut f = Fixture::new();
    f.append(1, 10, NOW);
    f.disk.inject(Fault { op: DiskOp::Sync, path: "000.log".into(), errno: 5, written: 0, times: 1 });
    assert!(f.log.sync(NOW).is_err());
    assert_eq!(f.append(1, 10, NOW).get(), 0);
    f.log.sync(NOW).unwrap();
    let disk = f.disk.power_cut(PowerCut::Dropped);
    let (log, _) = open(&disk, &f.config, Some(1), false).unwrap();
    assert_eq!(batches(&log, Offset::ZERO), [(0, 0)]);
}

#[test]
fn a_failed_sync_right_after_a_roll_leaves_the_closed_segment_alone() {
    let mut f = Fixture::with(|config| config.segment_bytes = 400);
    f.append(1, 300, NOW);
    f.log.roll(NOW).unwrap();
    f.log.sync(NOW).unwrap();
    f.append(1, 300, NOW);
    f.disk.inject(Fault { op: DiskOp::Sync, path: "001.log".into(), errno: 5, written: 0, times: 1 });
    assert!(f.log.sync(NOW).is_err());
    assert_eq!(f.offsets(), [(0, 0)]);
    assert_eq!(f.append(1, 300, NOW).get(), 1);
    f.log.sync(NOW).unwrap();
    let disk = f.disk.power_cut(PowerCut::Dropped);
    assert_eq!(batches(&open(&disk, &f.config, Some(2), false).unwrap().0, Offset::ZERO), [(0, 0), (1, 1)]);
}

#[test]
fn a_log_that_cannot_start_a_new_segment_stays_broken_until_it_can() {
    let mut f = Fixture::new();
    f.append(1, 10, NOW);
    f.log.sync(NOW).unwrap();
    f.append(1, 10, NOW);
    f.disk.inject(Fault { op: DiskOp::Sync, path: ".log".into(), errno: 5, written: 0, times: 2 });
    assert!(f.log.sync(NOW).is_err());
    assert!(f.log.is_broken());
    f.log.restart_at_synced(NOW).unwrap();
    assert_eq!(f.append(1, 10, NOW).get(), 1);
    f.log.sync(NOW).unwrap();
    assert_eq!(f.offsets(), [(0, 0), (1, 1)]);
}

#[test]
fn a_read_near_the_end_needs_no_file() {
    let mut f = Fixture::new();
    for _ in 0..200 {
        f.append(1, 1000, NOW);
    }
    f.disk.inject(Fault { op: DiskOp::Read, path: String::new(), errno: 5, written: 0, times: u32::MAX });
    for from in [0, 1, 120, 199] {
        let slices = f.log.read(Offset::new(from).unwrap(), 5000).unwrap();
        assert!(!slices.is_empty());
    }
}

#[test]
fn the_first_batch_comes_whole_whatever_the_limit() {
    let mut f = Fixture::new();
    f.append(10, 100_000, NOW);
    f.append(1, 10, NOW);
    let whole = |slices: &[LogSlice]| {
        Batches::new(&bytes_of(slices)).map(|b| b.unwrap().header().base_offset.get()).collect::<Vec<_>>()
    };
    assert_eq!(whole(&f.log.read(Offset::ZERO, 1).unwrap()), [0]);
    assert_eq!(whole(&f.log.read(Offset::new(4).unwrap(), 1).unwrap()), [0], "also from within it");
    assert_eq!(whole(&f.log.read(Offset::ZERO, 1 << 20).unwrap()), [0, 10]);
}

#[test]
fn a_read_gives_no_more_than_the_limit_and_goes_over_segments() {
    let mut f = Fixture::with(|config| config.segment_bytes = 2000);
    for _ in 0..50 {
        f.append(1, 300, NOW);
    }
    let slices = f.log.read(Offset::new(3).unwrap(), 5000).unwrap();
    assert!(slices.len() > 1);
    let len: usize = slices.iter().map(LogSlice::len).sum();
    assert!((4000..=5000).contains(&len), "{len}");
    f.reopen(None, false).unwrap();
    assert_eq!(f.log.read(Offset::new(3).unwrap(), 5000).unwrap().len(), slices.len());
}

#[test]
fn offsets_outside_of_the_log_are_refused() {
    let mut f = Fixture::new();
    f.append(2, 10, NOW);
    assert!(f.log.read(Offset::new(2).unwrap(), 10).unwrap().is_empty());
    assert!(matches!(f.log.read(Offset::new(3).unwrap(), 10), Err(StorageError::OffsetOutOfRange { .. })));
}

#[test]
fn slices_outlive_the_segments_they_are_in() {
    let mut f = Fixture::with(|config| config.segment_bytes = 400);
    for _ in 0..4 {
        f.append(1, 300, NOW);
    }
    let slices = f.log.read(Offset::ZERO, 300).unwrap();
    let before = bytes_of(&slices);
    f.log.delete_records(Offset::new(3).unwrap(), f.log.log_end(), NOW).unwrap();
    assert!(!f.disk.exists(&f.segment_path(0)).unwrap());
    assert_eq!(bytes_of(&slices), before);
}

#[test]
fn truncation_takes_batches_producers_and_epochs_back() {
    let mut f = Fixture::with(|config| config.segment_bytes = 400);
    for sequence in 0..6 {
        f.log.append_one(produced(1, 0, sequence, 1), EPOCH, NOW).unwrap();
    }
    f.log.append_one(produced(1, 0, 6, 1), LeaderEpoch::new(4), NOW).unwrap();
    f.log.truncate(Offset::new(3).unwrap(), NOW).unwrap();
    assert_eq!(f.offsets(), [(0, 0), (1, 1), (2, 2)]);
    assert_eq!(f.log.last_epoch(), Some(EPOCH));
    let outcome = f.log.append_one(produced(1, 0, 3, 1), EPOCH, NOW).unwrap();
    assert_eq!((outcome.base_offset.get(), outcome.duplicate), (3, false));
    f.log.sync(NOW).unwrap();
    let disk = f.disk.power_cut(PowerCut::Dropped);
    assert_eq!(open(&disk, &f.config, None, false).unwrap().0.log_end().get(), 4);
}

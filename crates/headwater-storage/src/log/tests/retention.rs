use super::*;

/// Five segments of two records each, the first offset of each even.
fn five_segments(change: impl FnOnce(&mut LogConfig)) -> Fixture {
    let mut f = Fixture::with(|config| {
        config.segment_bytes = 700;
        change(config);
    });
    f.disk.set_now_ms(NOW);
    for index in 0..10 {
        f.append(1, 200, NOW + index);
    }
    assert_eq!(f.log.view().segments.len(), 5);
    f.log.sync(NOW).unwrap();
    f
}

fn offset(offset: i64) -> Offset {
    Offset::new(offset).unwrap()
}

#[test]
fn deleting_records_raises_the_start_and_removes_whole_segments() {
    let mut f = five_segments(|_| {});
    let high = f.log.log_end();
    assert_eq!(f.log.delete_records(offset(5), high, NOW).unwrap(), offset(5));
    assert!(!f.disk.exists(&f.segment_path(0)).unwrap());
    assert!(!f.disk.exists(&f.segment_path(2)).unwrap());
    assert!(f.disk.exists(&f.segment_path(4)).unwrap(), "offset 5 is in it");
    assert_eq!(f.log.delete_records(offset(3), high, NOW).unwrap(), offset(5), "it never goes back");
    assert!(matches!(f.log.read(offset(4), 10), Err(StorageError::OffsetOutOfRange { .. })));
    assert!(matches!(
        f.log.delete_records(offset(11), high, NOW),
        Err(StorageError::OffsetOutOfRange { .. })
    ));
    assert_eq!(f.log.log_start(), offset(5));
}

#[test]
fn deleting_everything_empties_the_active_segment_too_and_keeps_the_offsets() {
    let mut f = five_segments(|_| {});
    let high = f.log.log_end();
    assert_eq!(f.log.delete_records(high, high, NOW).unwrap(), offset(10));
    assert_eq!(f.log.size_bytes(), 0);
    let disk = f.disk.power_cut(PowerCut::Dropped);
    let (mut log, _) = open(&disk, &f.config, None, false).unwrap();
    // The files may be back; whoever keeps the start on disk has it raised before. The end is what counts.
    assert_eq!(log.log_end(), offset(10));
    assert_eq!(log.append_one(batch(1, 10, NOW), EPOCH, NOW).unwrap().base_offset, offset(10));
}

#[test]
fn size_retention_deletes_from_the_start_and_not_below_the_limit() {
    let mut f = five_segments(|config| config.retention_bytes = Some(1500));
    let done = f.log.apply_retention(f.log.log_end(), NOW).unwrap();
    assert_eq!(done.segments, 2);
    assert!(f.log.size_bytes() >= 1500 - 700);
    assert_eq!(f.log.log_start(), offset(4));
}

#[test]
fn nothing_beyond_the_high_watermark_is_deleted() {
    let mut f = five_segments(|config| config.retention_bytes = Some(0));
    f.log.apply_retention(offset(5), NOW).unwrap();
    assert_eq!(f.log.log_start(), offset(4));
}

#[test]
fn time_retention_deletes_what_is_old_the_active_segment_included() {
    let mut f = five_segments(|config| config.retention_ms = Some(1000));
    f.log.apply_retention(f.log.log_end(), NOW + 1003).unwrap();
    assert_eq!(f.log.log_start(), offset(2), "the first segment's newest record is at +1");
    f.log.apply_retention(f.log.log_end(), NOW + 10_000).unwrap();
    assert_eq!((f.log.log_start(), f.log.size_bytes()), (offset(10), 0));
}

#[test]
fn nothing_young_is_deleted_after_a_restart() {
    for (clean, remove_indexes) in [(true, false), (false, false), (false, true)] {
        let mut f = five_segments(|config| config.retention_ms = Some(1000));
        f.log.close(NOW).unwrap();
        if remove_indexes {
            for base in [0, 2, 4, 6, 8] {
                for extension in ["index", "timeindex"] {
                    f.disk.remove(&crate::segment::file_path(&dir(), base, extension)).unwrap();
                }
            }
        }
        f.disk.set_now_ms(0);
        f.reopen(Some(10), clean).unwrap();
        f.log.apply_retention(f.log.log_end(), NOW + 1000).unwrap();
        assert_eq!(f.log.log_start(), offset(0));
        f.log.apply_retention(f.log.log_end(), NOW + 1002).unwrap();
        assert_eq!(f.log.log_start(), offset(2));
    }
}

#[test]
fn a_timestamp_in_the_future_does_not_hold_the_disk_for_ever() {
    let mut f = Fixture::with(|config| {
        config.segment_bytes = 700;
        config.retention_ms = Some(1000);
    });
    f.disk.set_now_ms(NOW);
    for timestamp in [NOW, NOW + 315_360_000_000, NOW, NOW * 1000, NOW, NOW] {
        f.append(1, 300, timestamp);
    }
    f.log.apply_retention(f.log.log_end(), NOW + 1000).unwrap();
    assert_eq!(f.log.log_start(), offset(0), "its file is young");
    f.log.apply_retention(f.log.log_end(), NOW + 1001).unwrap();
    assert_eq!(f.log.log_start(), f.log.log_end());
}

#[test]
fn compact_only_topics_keep_everything() {
    let mut f = five_segments(|config| {
        config.cleanup_delete = false;
        config.cleanup_compact = true;
        config.retention_ms = Some(1);
    });
    f.log.apply_retention(f.log.log_end(), NOW * 2).unwrap();
    assert_eq!(f.log.log_start(), offset(0));
}

#[test]
fn the_start_survives_when_it_is_handed_in_again() {
    let mut f = five_segments(|_| {});
    f.log.delete_records(offset(5), f.log.log_end(), NOW).unwrap();
    f.log.close(NOW).unwrap();
    let disk: Arc<dyn Disk> = Arc::new(f.disk.clone());
    let options = LogOptions { log_start: Some(offset(5)), clean: true, ..LogOptions::new("topic-0") };
    let (log, _) = Log::<crate::KafkaBatches>::open(&disk, &dir(), options, NOW).unwrap();
    assert_eq!(log.log_start(), offset(5));
}

use super::*;

#[test]
fn a_partitions_directory_appears_with_its_first_append_and_bears_the_topic_id() {
    let f = Fixture::new();
    f.put(1, 2);
    assert!(f.disk.list(Path::new("/data")).unwrap().is_empty());
    f.committed(partition(1, 1), batch(1, 10)).unwrap();
    let names: Vec<_> =
        f.disk.list(Path::new("/data")).unwrap().into_iter().map(|entry| entry.name).collect();
    assert_eq!(names, ["topic1-1"]);
    let metadata = f.disk.read(Path::new("/data/topic1-1/partition.metadata")).unwrap();
    assert_eq!(metadata, b"version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAQ");
}

#[test]
fn unknown_partitions_are_refused() {
    let f = Fixture::new();
    f.put(1, 1);
    for p in [partition(1, 1), partition(1, -1), partition(2, 0)] {
        assert!(matches!(f.written(p, batch(1, 1)), Err(StorageError::UnknownPartition { .. })));
        assert!(f.store.watermarks(p).is_err());
    }
}

#[test]
fn topics_grow_and_take_over_settings() {
    let f = Fixture::new();
    f.put(1, 1);
    f.written(partition(1, 0), batch(1, 1000)).unwrap();
    f.put_with(1, 3, 7, |config| config.segment_bytes = 500);
    f.written(partition(1, 2), batch(1, 10)).unwrap();
    assert!(matches!(f.written(partition(1, 0), batch(1, 1000)), Err(StorageError::BatchTooLarge { .. })));
    assert_eq!(f.watermarks(partition(1, 0)).leader_epoch.get(), 7);
}

#[test]
fn records_survive_a_clean_stop_and_a_crash() {
    for clean in [true, false] {
        let f = Fixture::new();
        f.put_with(1, 1, 0, |config| config.segment_bytes = 500);
        let p = partition(1, 0);
        for sequence in 0..10 {
            f.committed(p, produced(3, sequence)).unwrap();
        }
        if clean {
            f.store.set_broker_epoch(92);
            f.store_close();
            let mark = f.disk.read(Path::new("/data/.kafka_cleanshutdown")).unwrap();
            assert_eq!(mark, b"{\"version\":0,\"brokerEpoch\":92}");
            let points = f.disk.read(Path::new("/data/recovery-point-offset-checkpoint")).unwrap();
            assert_eq!(points, b"0\n1\ntopic1 0 10\n");
        }
        let f = f.after(PowerCut::Dropped);
        assert!(!f.disk.exists(Path::new("/data/.kafka_cleanshutdown")).unwrap(), "it counts once");
        f.put_with(1, 1, 1, |config| config.segment_bytes = 500);
        assert_eq!(f.visible(p).len(), 10);
        for sequence in [9, 5, 7] {
            let again = f.committed(p, produced(3, sequence)).unwrap();
            assert_eq!(
                (again.base_offset.get(), again.duplicate),
                (i64::from(sequence), true),
                "clean: {clean}"
            );
        }
        assert!(f.committed(p, produced(3, 4)).is_err(), "five are known again, no more");
        assert_eq!(f.committed(p, produced(3, 10)).unwrap().base_offset.get(), 10);
    }
}

impl Fixture {
    fn store_close(&self) {
        let closing = self.store.close();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(closing).unwrap();
    }
}

#[test]
fn a_removed_topic_is_gone_and_its_name_is_free() {
    let f = Fixture::new();
    f.put(101, 1);
    for sequence in 0..5 {
        f.committed(partition(101, 0), produced(3, sequence)).unwrap();
    }
    f.store.write_checkpoints().unwrap();
    f.finish(f.store.remove_topic(Uuid::from_u128(101))).unwrap();
    f.finish(f.store.remove_topic(Uuid::from_u128(101))).expect("once more does no harm");
    assert!(matches!(f.written(partition(101, 0), batch(1, 1)), Err(StorageError::UnknownPartition { .. })));
    f.store.run_pending();
    assert!(f.disk.list(Path::new("/data")).unwrap().iter().all(|entry| !entry.is_dir));
    // Another topic of the same name.
    f.put(201, 1);
    let first = f.committed(partition(201, 0), produced(3, 77)).unwrap();
    assert_eq!((first.base_offset.get(), first.duplicate), (0, false), "nothing is inherited");
    let f = f.after(PowerCut::Dropped);
    f.put(201, 1);
    assert_eq!(f.visible(partition(201, 0)), [(0, 0)]);
}

#[test]
fn slices_of_a_removed_topic_stay_valid() {
    let f = Fixture::new();
    f.put(1, 1);
    f.committed(partition(1, 0), batch(1, 10)).unwrap();
    let request = ReadRequest {
        from: Offset::ZERO,
        bytes_max: 1000,
        at_least_one_batch: true,
        isolation: Isolation::ReadUncommitted,
    };
    let outcome = f.finish(f.store.read(partition(1, 0), request)).unwrap();
    f.finish(f.store.remove_topic(Uuid::from_u128(1))).unwrap();
    f.store.run_pending();
    assert_eq!(outcome.slices[0].to_bytes().unwrap().len(), outcome.bytes_len());
}

#[test]
fn a_directory_of_another_topic_id_is_set_aside_and_not_adopted() {
    let f = Fixture::new();
    f.put(101, 1);
    f.committed(partition(101, 0), batch(1, 10)).unwrap();
    f.store.write_checkpoints().unwrap();
    let f = f.after(PowerCut::Kept);
    f.put(201, 1);
    assert_eq!(f.watermarks(partition(201, 0)).log_end.get(), 0);
    assert_eq!(f.committed(partition(201, 0), batch(1, 10)).unwrap().base_offset.get(), 0);
    let names: Vec<_> =
        f.disk.list(Path::new("/data")).unwrap().into_iter().map(|entry| entry.name).collect();
    assert!(names.iter().any(|name| name.starts_with("topic1-0.") && name.ends_with("-stray")), "{names:?}");
}

#[test]
fn directories_of_no_topic_are_set_aside_on_demand() {
    let f = Fixture::new();
    f.put(1, 1);
    f.put(2, 1);
    f.committed(partition(1, 0), batch(1, 10)).unwrap();
    f.committed(partition(2, 0), batch(1, 10)).unwrap();
    f.disk.create_dir(Path::new("/data/__cluster_metadata-0")).unwrap();
    let f = f.after(PowerCut::Kept);
    f.put(2, 1);
    assert_eq!(f.store.set_strays_aside().unwrap(), 1);
    assert!(f.disk.exists(Path::new("/data/__cluster_metadata-0")).unwrap());
    assert!(f.disk.exists(Path::new("/data/topic2-0")).unwrap());
    assert!(!f.disk.exists(Path::new("/data/topic1-0")).unwrap());
}

#[test]
fn what_a_deletion_left_behind_is_removed_at_the_next_start() {
    let f = Fixture::new();
    for name in ["t-0.0123456789abcdef0123456789abcdef-delete", "my-topic-delete", "a.b-delete"] {
        f.disk.create_dir(&Path::new("/data").join(name)).unwrap();
    }
    f.store.shared.remove_leftovers();
    let names: Vec<_> =
        f.disk.list(Path::new("/data")).unwrap().into_iter().map(|entry| entry.name).collect();
    assert_eq!(names, ["a.b-delete", "my-topic-delete"]);
}

#[test]
fn a_damaged_partition_is_offline_with_file_and_place_and_the_others_serve() {
    let f = Fixture::new();
    f.put(1, 2);
    for index in 0..2 {
        f.committed(partition(1, index), batch(1, 10)).unwrap();
        f.committed(partition(1, index), batch(1, 10)).unwrap();
    }
    f.store.write_checkpoints().unwrap();
    let log = Path::new("/data/topic1-0/00000000000000000000.log");
    f.disk.damage(log, |bytes| bytes.truncate(bytes.len() - 1)).unwrap();
    let f = f.after(PowerCut::Kept);
    f.put(1, 2);
    let error = f.written(partition(1, 0), batch(1, 10)).unwrap_err().to_string();
    assert!(
        error.contains("topic1-0") && error.contains("00000000000000000000.log") && error.contains("byte"),
        "{error}"
    );
    assert!(f.store.watermarks(partition(1, 0)).is_err());
    assert_eq!(f.visible(partition(1, 1)).len(), 2);
    // It has told already: the stop is in order, and the next start checks again.
    f.store_close();
    assert!(!f.disk.exists(Path::new("/data/.kafka_cleanshutdown")).unwrap());
}

#[test]
fn deleting_records_survives_a_stop_and_a_power_cut() {
    let f = Fixture::new();
    f.put_with(1, 1, 0, |config| config.segment_bytes = 300);
    let p = partition(1, 0);
    for _ in 0..10 {
        f.committed(p, batch(1, 50)).unwrap();
    }
    let delete = |before: Option<i64>| f.finish(f.store.delete_records(p, before.and_then(Offset::new)));
    assert_eq!(delete(Some(5)).unwrap().get(), 5);
    assert_eq!(delete(Some(3)).unwrap().get(), 5);
    assert!(matches!(delete(Some(11)), Err(StorageError::OffsetOutOfRange { .. })));
    assert!(f.read(p, 4, Isolation::ReadUncommitted).is_err());
    let f = f.after(PowerCut::Dropped);
    f.put_with(1, 1, 0, |config| config.segment_bytes = 300);
    assert_eq!(f.watermarks(p).log_start.get(), 5, "whole segments went, so it is on disk");
    let deleted = f.finish(f.store.delete_records(p, None)).unwrap();
    assert_eq!(deleted.get(), 10);
    let f = f.after(PowerCut::Dropped);
    f.put(1, 1);
    assert_eq!((f.watermarks(p).log_start.get(), f.watermarks(p).log_end.get()), (10, 10));
    assert_eq!(f.committed(p, batch(1, 10)).unwrap().base_offset.get(), 10);
}

#[test]
fn directories_tell_what_is_in_them() {
    let f = Fixture::new();
    f.put(1, 2);
    f.committed(partition(1, 0), batch(1, 100)).unwrap();
    let dirs = f.finish(f.store.log_dirs());
    assert_eq!(dirs.len(), 1);
    assert_eq!(dirs[0].path, "/data");
    assert!(dirs[0].online && dirs[0].total_bytes > 0);
    let bytes: Vec<_> =
        dirs[0].partitions.iter().map(|(id, bytes)| (id.partition.get(), *bytes > 0)).collect();
    assert_eq!(bytes, [(0, true), (1, false)]);
}

#[test]
fn thousands_of_partitions_cost_no_file_until_they_are_used() {
    let f = Fixture::new();
    let before = f.disk.op_count();
    f.put(1, 5000);
    assert_eq!(f.disk.op_count(), before);
    f.committed(partition(1, 4321), batch(1, 10)).unwrap();
    assert_eq!(f.disk.list(Path::new("/data")).unwrap().len(), 1);
}

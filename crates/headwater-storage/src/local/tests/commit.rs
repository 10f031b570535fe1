use super::*;

fn fault(op: DiskOp, path: &str, times: u32) -> Fault {
    Fault { op, path: path.into(), errno: 5, written: 0, times }
}

#[test]
fn a_committed_append_waits_for_the_sync_and_a_written_one_does_not() {
    let f = Fixture::new();
    f.put(1, 1);
    let p = partition(1, 0);
    let mut committed = f.append(p, 2);
    assert!(poll(&mut committed).is_pending());
    assert_eq!(f.written(p, batch(1, 10)).unwrap().base_offset.get(), 2);
    let before = f.watermarks(p);
    assert_eq!((before.high_watermark.get(), before.log_end.get()), (0, 3));
    assert!(f.visible(p).is_empty(), "nothing is visible before it is durable");
    f.store.run_pending();
    assert_eq!(now(committed).unwrap().base_offset.get(), 0);
    assert_eq!(
        f.watermarks(p).high_watermark.get(),
        3,
        "what was only written is visible with the next sync"
    );
    assert_eq!(f.visible(p), [(0, 1), (2, 2)]);
}

#[test]
fn one_sync_covers_many_appends() {
    let f = Fixture::new();
    f.put(1, 1);
    f.committed(partition(1, 0), batch(1, 10)).unwrap();
    let before = f.disk.sync_count();
    let pending: Vec<_> = (0..50).map(|_| f.append(partition(1, 0), 1)).collect();
    f.store.run_pending();
    assert_eq!(f.disk.sync_count() - before, 1);
    for (index, pending) in pending.into_iter().enumerate() {
        assert_eq!(now(pending).unwrap().base_offset.get(), 1 + index as i64);
    }
}

#[test]
fn a_duplicate_is_answered_when_the_original_is_durable() {
    let f = Fixture::new();
    f.put(1, 1);
    let p = partition(1, 0);
    let original = f.store.append(p, produced(5, 0), AppendDurability::Committed, Fence(0));
    let mut duplicate = f.store.append(p, produced(5, 0), AppendDurability::Committed, Fence(0));
    assert!(poll(&mut duplicate).is_pending());
    f.store.run_pending();
    let (original, duplicate) = (now(original).unwrap(), now(duplicate).unwrap());
    assert_eq!((original.base_offset.get(), original.duplicate), (0, false));
    assert_eq!((duplicate.base_offset.get(), duplicate.duplicate), (0, true));
    assert_eq!(f.watermarks(p).log_end.get(), 1);
    let late = f.store.append(p, produced(5, 0), AppendDurability::Committed, Fence(0));
    assert!(now(late).unwrap().duplicate, "durable long since: answered at once");
}

#[test]
fn under_os_everything_written_is_committed() {
    let f = Fixture::new();
    let f = Fixture::on(f.disk, FlushPolicy::Os);
    f.put(1, 1);
    let p = partition(1, 0);
    assert_eq!(now(f.append(p, 2)).unwrap().base_offset.get(), 0);
    assert_eq!(f.watermarks(p).high_watermark.get(), 2);
    assert_eq!(f.disk.sync_count(), 0);
}

#[test]
fn a_failed_sync_is_an_error_to_those_it_was_for_and_the_partition_serves_again() {
    let f = Fixture::new();
    f.put(1, 1);
    let p = partition(1, 0);
    f.committed(p, produced(1, 0)).unwrap();
    f.disk.inject(fault(DiskOp::Sync, "000.log", 1));
    let error = f.committed(p, produced(1, 1)).unwrap_err();
    assert!(matches!(error, StorageError::Io { .. }), "{error}");
    assert_eq!(f.visible(p), [(0, 0)]);
    assert_eq!(f.watermarks(p).log_end.get(), 1, "what was not durable is gone");
    let again = f.committed(p, produced(1, 1)).unwrap();
    assert_eq!((again.base_offset.get(), again.duplicate), (1, false));
    let f = f.after(PowerCut::Dropped);
    f.put(1, 1);
    assert_eq!(f.visible(p), [(0, 0), (1, 1)]);
}

#[test]
fn a_partition_whose_disk_fails_for_good_is_offline_and_comes_back() {
    let f = Fixture::new();
    f.put(1, 2);
    let (bad, good) = (partition(1, 0), partition(1, 1));
    f.committed(bad, batch(1, 10)).unwrap();
    f.committed(good, batch(1, 10)).unwrap();
    f.disk.inject(fault(DiskOp::Sync, "topic1-0", u32::MAX));
    assert!(f.committed(bad, batch(1, 10)).is_err());
    let error = f.committed(bad, batch(1, 10)).unwrap_err();
    assert!(matches!(error, StorageError::Offline { .. }), "{error}");
    f.committed(good, batch(1, 10)).expect("the others serve");
    assert_eq!(f.visible(bad), [(0, 0)], "what is durable can be read meanwhile");
    f.disk.heal();
    assert!(f.committed(bad, batch(1, 10)).is_err(), "it is not time yet");
    f.clock.advance(10_000);
    assert_eq!(f.committed(bad, batch(1, 10)).unwrap().base_offset.get(), 1);
}

#[test]
fn a_full_disk_refuses_and_serves_again_when_there_is_room() {
    let f = Fixture::new();
    f.put(1, 1);
    let p = partition(1, 0);
    f.committed(p, batch(1, 10)).unwrap();
    f.disk.set_capacity(Some(0));
    assert!(matches!(f.committed(p, batch(1, 10)), Err(StorageError::Io { .. })));
    assert_eq!(f.visible(p), [(0, 0)]);
    f.disk.set_capacity(None);
    assert_eq!(f.committed(p, batch(1, 10)).unwrap().base_offset.get(), 1);
}

#[test]
fn a_disk_that_is_full_at_the_first_append_leaves_an_empty_log() {
    let f = Fixture::new();
    f.put(1, 1);
    let p = partition(1, 0);
    f.disk.set_capacity(Some(10));
    assert!(f.committed(p, batch(1, 10)).is_err());
    f.disk.set_capacity(None);
    assert_eq!(f.committed(p, batch(1, 10)).unwrap().base_offset.get(), 0);
}

#[test]
fn an_older_fence_is_refused() {
    let f = Fixture::new();
    f.put(1, 1);
    let p = partition(1, 0);
    now(f.store.append(p, batch(1, 10), AppendDurability::Written, Fence(5))).unwrap();
    let error = now(f.store.append(p, batch(1, 10), AppendDurability::Written, Fence(4))).unwrap_err();
    assert!(matches!(error, StorageError::Fenced { known: Fence(5), found: Fence(4) }), "{error}");
}

#[test]
fn readers_are_woken_when_something_becomes_visible_and_not_before() {
    let f = Fixture::new();
    f.put(1, 1);
    let mut watch = f.store.watermarks(partition(1, 0)).unwrap();
    watch.mark_unchanged();
    let _pending = f.append(partition(1, 0), 1);
    assert!(!watch.has_changed().unwrap());
    f.store.run_pending();
    assert!(watch.has_changed().unwrap());
}

#[test]
fn silent_producers_are_forgotten_and_deleting_records_does_not_forget_them() {
    let f = Fixture::new();
    f.put(1, 1);
    let p = partition(1, 0);
    for sequence in 0..10 {
        f.committed(p, produced(5, sequence)).unwrap();
    }
    assert_eq!(f.finish(f.store.delete_records(p, None)).unwrap().get(), 10);
    assert!(f.committed(p, produced(5, 9)).unwrap().duplicate);
    assert!(f.committed(p, produced(5, 11)).is_err());
    f.clock.advance(5000);
    f.store.housekeep();
    assert_eq!(f.committed(p, produced(5, 20)).unwrap().base_offset.get(), 10);
}

#[test]
fn threads_commit_appends_from_many_threads() {
    let dir = tempfile::tempdir().unwrap();
    let options = LocalLogOptions { dirs: vec![dir.path().to_owned()], ..LocalLogOptions::default() };
    let store: LocalLogStore =
        LocalLogStore::open(Arc::new(crate::OsDisk), Arc::new(crate::SystemClock), options).unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    runtime.block_on(store.put_topic(topic(1, 3, 0, |config| config.segment_bytes = 100_000))).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (store, runtime) = (&store, &runtime);
            scope.spawn(move || {
                for index in 0..100 {
                    let p = partition(1, (thread + index) % 3);
                    let append = store.append(p, batch(2, 300), AppendDurability::Committed, Fence(0));
                    runtime.block_on(append).unwrap();
                }
            });
        }
    });
    let mut records = 0;
    for index in 0..3 {
        let watermarks = *store.watermarks(partition(1, index)).unwrap().borrow();
        assert_eq!(watermarks.high_watermark, watermarks.log_end);
        records += watermarks.log_end.get();
    }
    assert_eq!(records, 1600);
    assert!(store.sync_stats().count > 0);
    runtime.block_on(store.close()).unwrap();
    let late = store.append(partition(1, 0), batch(1, 1), AppendDurability::Written, Fence(0));
    assert!(matches!(now(late), Err(StorageError::Closed)));
}

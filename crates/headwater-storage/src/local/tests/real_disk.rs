use super::*;

fn options(dir: &Path) -> LocalLogOptions {
    LocalLogOptions {
        dirs: vec![dir.to_owned()],
        checkpoint_interval_ms: 5,
        retention_check_interval_ms: 20,
        ..LocalLogOptions::default()
    }
}

#[tokio::test]
async fn a_store_on_real_files_serves_stops_and_starts_again() {
    let dir = tempfile::tempdir().unwrap();
    let open = || {
        LocalLogStore::<KafkaBatches>::open(
            Arc::new(crate::OsDisk),
            Arc::new(crate::SystemClock),
            options(dir.path()),
        )
        .unwrap()
    };
    let p = partition(1, 0);
    for round in 0..3 {
        let store = open();
        store.put_topic(topic(1, 1, round, small_segments_for_ever)).await.unwrap();
        for _ in 0..100 {
            let append = store.append(p, batch(3, 100), AppendDurability::Committed, Fence(0));
            append.await.unwrap();
        }
        let mut from = Offset::ZERO;
        let mut count = 0;
        loop {
            let request = ReadRequest {
                from,
                bytes_max: 5000,
                at_least_one_batch: true,
                isolation: Isolation::ReadCommitted,
            };
            let outcome = store.read(p, request).await.unwrap();
            let Some(slice) = outcome.slices.first() else { break };
            let crate::LogSlice::File(file) = slice else { panic!("a local store gives files") };
            assert!(file.std_file().is_some());
            for batch in Batches::new(&slice.to_bytes().unwrap()) {
                let batch = batch.unwrap();
                batch.check_crc().unwrap();
                assert_eq!(batch.header().base_offset, from);
                from = batch.header().next_offset();
                count += 1;
            }
        }
        assert_eq!(count, 100 * (round + 1));
        // Every other round the process dies instead of stopping.
        if round % 2 == 0 {
            store.close().await.unwrap();
        }
    }
}

#[tokio::test]
async fn retention_runs_by_itself() {
    let dir = tempfile::tempdir().unwrap();
    let clock = Arc::new(ManualClock::new(NOW));
    let store: LocalLogStore = LocalLogStore::open(
        Arc::new(crate::OsDisk),
        Arc::clone(&clock) as Arc<dyn Clock>,
        options(dir.path()),
    )
    .unwrap();
    store.put_topic(topic(1, 1, 0, |config| config.retention_ms = Some(1000))).await.unwrap();
    store.append(partition(1, 0), batch(1, 100), AppendDurability::Committed, Fence(0)).await.unwrap();
    let mut watermarks = store.watermarks(partition(1, 0)).unwrap();
    clock.advance(1001);
    let deleted = watermarks.wait_for(|watermarks| watermarks.log_start.get() == 1);
    tokio::time::timeout(Duration::from_secs(10), deleted).await.expect("retention was started").unwrap();
    store.close().await.unwrap();
    let log_start = std::fs::read(dir.path().join("log-start-offset-checkpoint")).unwrap();
    assert_eq!(log_start, b"0\n1\ntopic1 0 1\n");
}

fn small_segments_for_ever(config: &mut LogConfig) {
    config.segment_bytes = 10_000;
    config.retention_ms = None;
}

#[tokio::test]
async fn a_disk_that_stalls_on_one_partition_holds_up_no_other() {
    let disk = SimDisk::new();
    let options = LocalLogOptions { dirs: vec![PathBuf::from("/data")], ..LocalLogOptions::default() };
    let store: LocalLogStore =
        LocalLogStore::open(Arc::new(disk.clone()), Arc::new(crate::SystemClock), options).unwrap();
    store.put_topic(topic(1, 2, 0, small_segments_for_ever)).await.unwrap();
    let (stalled, other) = (partition(1, 0), partition(1, 1));
    for p in [stalled, other] {
        store.append(p, batch(1, 10), AppendDurability::Committed, Fence(0)).await.unwrap();
    }
    disk.hold_syncs(true);
    let mut waiting = store.append(stalled, batch(1, 10), AppendDurability::Committed, Fence(0));
    assert!(poll(&mut waiting).is_pending());
    for p in [stalled, other] {
        let written = now(store.append(p, batch(1, 10), AppendDurability::Written, Fence(0))).unwrap();
        assert!(written.base_offset.get() > 0);
        let request = ReadRequest {
            from: Offset::ZERO,
            bytes_max: 1000,
            at_least_one_batch: true,
            isolation: Isolation::ReadUncommitted,
        };
        assert!(!now(store.read(p, request)).unwrap().slices.is_empty());
    }
    disk.hold_syncs(false);
    waiting.await.unwrap();
    store.close().await.unwrap();
}

//! Native logs are compacted by the same rules. A record there is an entry of its own, and there are no empty ones.

use super::*;

fn native(change: impl FnOnce(&mut LogConfig)) -> StoreFixture<NativeRecords> {
    fixture_of(change)
}

#[test]
fn the_last_record_of_each_key_stays_where_it_was_with_its_headers() {
    let headers: [HeaderRef<'_>; 5] = [
        (b"n", None),
        (b"e", Some(b"")),
        (b"n", Some(b"1")),
        (b"", Some(b"x")),
        (b"\xff\xfe", Some(b"\xc3\x28")),
    ];
    for codec in Compression::ALL {
        let f = native(|config| config.segment_bytes = 500);
        for round in 0..10 {
            let value = round.to_string();
            let given: [Given<'_>; 3] =
                [("a", Some(&value), &headers), ("b", Some(&value), &[]), ("c", Some(""), &headers)];
            f.committed(id(), records(&given, codec, NOW)).unwrap();
        }
        f.roll();
        let before = f.records();
        f.store.clean();
        assert_eq!(f.records(), before[27..], "{codec}");
        assert_eq!(f.records()[0].headers.len(), 5);
        for from in 0..30 {
            let expected: Vec<_> = before[27..].iter().filter(|read| read.offset >= from).cloned().collect();
            assert_eq!(f.records_from(from), expected, "from {from}");
        }
        f.store.write_checkpoints().unwrap();
        let f = f.after(PowerCut::Dropped);
        f.put_with(TOPIC, 1, 1, compacted);
        assert_eq!(f.records(), before[27..]);
        assert_eq!(f.set("d", Some("1")), 30);
    }
}

#[test]
fn a_tombstone_goes_after_its_horizon_and_an_empty_value_is_a_value() {
    let headers: [HeaderRef<'_>; 2] = [(b"h", Some(b"1")), (b"h", None)];
    let f = native(|config| config.segment_bytes = 10_000);
    f.set("k", Some("old"));
    f.commit(&[("k", None, &headers)]);
    f.set("e", Some(""));
    f.roll();
    let before = f.records();
    f.store.clean();
    assert_eq!(f.records(), before[1..]);
    f.clock.advance(DELETE_RETENTION_MS - 1);
    f.store.clean();
    assert_eq!(f.records(), before[1..]);
    f.clock.advance(1);
    f.store.clean();
    assert_eq!(f.records(), before[2..]);
}

#[test]
fn a_producers_last_record_is_kept_for_its_sequence() {
    let f = native(|config| config.segment_bytes = 10_000);
    let send = |f: &StoreFixture<NativeRecords>, sequence: i32| {
        let mut builder = BatchBuilder::new().producer(ProducerId::new(7), ProducerEpoch::new(0), sequence);
        builder.push(NOW, Some(b"k"), Some(b"v"), &[]).unwrap();
        f.committed(id(), builder.build().unwrap())
    };
    for sequence in 0..8 {
        send(&f, sequence).unwrap();
    }
    f.set("k", Some("last"));
    f.roll();
    f.store.clean();
    assert_eq!(f.values(), [pair("k", "v"), pair("k", "last")]);
    f.store.write_checkpoints().unwrap();
    let f = f.after(PowerCut::Dropped);
    f.put_with(TOPIC, 1, 1, compacted);
    assert!(send(&f, 7).unwrap().duplicate);
    assert!(matches!(send(&f, 9), Err(StorageError::OutOfOrderSequence { .. })));
    assert!(!send(&f, 8).unwrap().duplicate);
}

#[test]
fn gaps_stay_gaps_when_the_topic_is_not_compacted_any_more() {
    let f = native(|config| config.segment_bytes = 500);
    for value in 0..20 {
        f.set(&format!("k{}", value % 3), Some(&value.to_string()));
    }
    f.roll();
    f.store.clean();
    f.set("k0", Some("20"));
    let kept = f.records();
    assert_eq!(kept.len(), 4);
    f.store.write_checkpoints().unwrap();
    f.disk.remove(Path::new("/data/recovery-point-offset-checkpoint")).unwrap();
    let f = f.after(PowerCut::Kept);
    f.put_with(TOPIC, 1, 1, |config| config.retention_ms = None);
    assert_eq!(f.records(), kept);
}

/// Two segments that are not put together, of one batch each; the second has newer records for the first one's last keys.
fn batches_to_cut() -> StoreFixture<NativeRecords> {
    let f = native(|config| config.segment_bytes = 3000);
    let long = "x".repeat(2000);
    for (sequence, keys) in [(0, ["a", "b", "c"]), (3, ["b", "c", "d"])] {
        let mut builder = BatchBuilder::new().producer(ProducerId::new(7), ProducerEpoch::new(0), sequence);
        builder.push(NOW, Some(keys[0].as_bytes()), Some(long.as_bytes()), &[]).unwrap();
        for key in &keys[1..] {
            builder.push(NOW, Some(key.as_bytes()), Some(sequence.to_string().as_bytes()), &[]).unwrap();
        }
        f.committed(id(), builder.build().unwrap()).unwrap();
        f.roll();
    }
    f.set("e", Some("1"));
    f
}

#[test]
fn a_batch_whose_last_records_were_compacted_away_was_not_cut_short() {
    let f = batches_to_cut();
    let produced = f.records();
    let kept: Vec<_> = produced.iter().filter(|read| ![1, 2].contains(&read.offset)).cloned().collect();
    let first = f.disk.op_count();
    f.store.clean();
    assert_eq!(f.records(), kept);
    let last = f.disk.op_count();
    for op in first..=last + 1 {
        let f = batches_to_cut();
        assert_eq!(f.disk.op_count(), first, "each run is like the other");
        f.disk.cut_power_at(op);
        f.store.clean();
        for forgotten in [false, true] {
            for cut in [PowerCut::Kept, PowerCut::Dropped] {
                let disk = f.disk.power_cut(cut);
                if forgotten {
                    let _ = disk.remove(Path::new("/data/recovery-point-offset-checkpoint"));
                    let _ = disk.remove(Path::new("/data/cleaner-offset-checkpoint"));
                }
                let f = StoreFixture::<NativeRecords>::on(disk, f.policy);
                f.put_with(TOPIC, 1, 1, compacted);
                let found = f.records();
                assert!(found == kept || found == produced, "{op}, {cut:?}, {forgotten}: {found:?}");
            }
        }
    }
}

#[test]
fn either_checkpoint_tells_of_gaps_when_the_power_goes_and_the_topic_is_not_compacted_any_more() {
    for lost in ["recovery-point-offset-checkpoint", "cleaner-offset-checkpoint"] {
        let f = batches_to_cut();
        f.store.clean();
        let kept = f.records();
        assert_eq!(kept.len(), 5);
        let disk = f.disk.power_cut(PowerCut::Dropped);
        disk.remove(&Path::new("/data").join(lost)).unwrap();
        let f = StoreFixture::<NativeRecords>::on(disk, f.policy);
        f.put_with(TOPIC, 1, 1, |config| config.retention_ms = None);
        assert_eq!(f.records(), kept, "without {lost}");
    }
}

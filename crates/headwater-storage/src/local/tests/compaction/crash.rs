//! The power is cut at every write, sync and rename of a cleaning in turn. Whatever is found then: each key has its last
//! value, nothing is there that was not produced, the next append and the next cleaning work, and no file is left over.

use super::*;

const KEYS: [&str; 4] = ["a", "b", "c", "d"];

/// Values of four keys, one of them deleted in the end, and a producer's records; most of it compacted once already.
fn dirty() -> Fixture {
    dirty_of()
}

fn dirty_of<F: LogFormat>() -> StoreFixture<F> {
    let f = fixture_of(|_| {});
    for round in 0..4 {
        for key in KEYS {
            f.set(key, Some(&format!("{key}{round}")));
        }
    }
    f.roll();
    f.store.clean();
    f.commit(&[("d", None, &[(b"h", None)])]);
    for round in 4..7 {
        for key in &KEYS[..3] {
            f.set(key, Some(&format!("{key}{round}")));
        }
    }
    for sequence in 0..2 {
        let mut builder = BatchBuilder::new().producer(ProducerId::new(5), ProducerEpoch::new(0), sequence);
        builder.push(NOW, Some(b"p"), Some(sequence.to_string().as_bytes()), &[]).unwrap();
        f.committed(id(), builder.build().unwrap()).unwrap();
    }
    f.set("end", Some("1"));
    f.roll();
    f.store.write_checkpoints().unwrap();
    f
}

fn is_expected(values: &[(String, Option<String>)], at: &str) {
    let last: BTreeMap<_, _> = values.iter().cloned().collect();
    for (key, value) in [("a", "a6"), ("b", "b6"), ("c", "c6"), ("p", "1"), ("end", "1")] {
        assert_eq!(last.get(key), Some(&Some(value.to_owned())), "the last value of {key}, {at}");
    }
    assert!(matches!(last.get("d"), None | Some(None)), "d was deleted, {at}");
}

fn check<F: LogFormat>(f: StoreFixture<F>, produced: &[Read], at: &str) {
    f.put_with(TOPIC, 1, 1, compacted);
    let found = f.records();
    for read in &found {
        assert!(produced.contains(read), "{read:?} was never produced, {at}");
    }
    assert!(found.is_sorted_by(|a, b| a.offset < b.offset), "offsets go back, {at}");
    is_expected(&f.values(), at);
    let left = |name: &&String| [".cleaned", ".swap", ".deleted"].iter().any(|suffix| name.ends_with(suffix));
    assert_eq!(f.files().iter().filter(left).count(), 0, "{:?}, {at}", f.files());
    f.set("next", Some("1"));
    f.roll();
    f.store.clean();
    let mut values = f.values();
    is_expected(&values, at);
    values.retain(|(key, _)| key != "d");
    assert_eq!(values.len(), 6, "{values:?}, {at}");
    assert_eq!(f.store.cleaner_stats().failures, 0, "{at}");
    let again = f.committed(id(), {
        let mut builder = BatchBuilder::new().producer(ProducerId::new(5), ProducerEpoch::new(0), 1);
        builder.push(NOW, Some(b"p"), Some(b"1"), &[]).unwrap();
        builder.build().unwrap()
    });
    assert!(again.unwrap().duplicate, "the producer is known, {at}");
    // And the power goes once more.
    let f = f.after(PowerCut::Dropped);
    f.put_with(TOPIC, 1, 2, compacted);
    is_expected(&f.values(), at);
}

fn cut_everywhere<F: LogFormat>(cuts: impl Fn(u64) -> Vec<PowerCut>) {
    let f = dirty_of::<F>();
    let produced = f.records();
    let first = f.disk.op_count();
    f.store.clean();
    let last = f.disk.op_count();
    assert!(last - first > 20, "there is something to cut");
    for op in first..=last {
        for cut in cuts(op) {
            let f = dirty_of::<F>();
            assert_eq!(f.disk.op_count(), first, "each run is like the other");
            f.disk.cut_power_at(op);
            f.store.clean();
            check(
                f.after(cut),
                &produced,
                &format!("power cut at {} of {}: {cut:?}", op - first, last - first),
            );
        }
    }
}

#[test]
fn the_power_may_go_at_any_moment_of_a_cleaning() {
    cut_everywhere::<KafkaBatches>(|_| vec![PowerCut::Dropped, PowerCut::Kept]);
}

#[test]
fn the_power_may_go_at_any_moment_of_a_native_logs_cleaning() {
    cut_everywhere::<NativeRecords>(|op| {
        vec![PowerCut::Dropped, PowerCut::Kept, PowerCut::Reordered { seed: op }]
    });
}

#[test]
fn writes_may_reach_the_disk_in_any_order() {
    cut_everywhere::<KafkaBatches>(|op| {
        let seeds = (0..2).map(|seed| PowerCut::Reordered { seed: op * 31 + seed });
        seeds.chain([PowerCut::Torn { seed: op }]).collect()
    });
}

#[test]
fn a_rename_that_fails_leaves_old_or_new() {
    for (path, halfway) in [
        (".log.cleaned", false),
        (".index.cleaned", false),
        (".log.swap", true),
        (".timeindex.swap", true),
        ("2.log", true),
    ] {
        let f = dirty();
        let produced = f.records();
        f.disk.inject(Fault { op: DiskOp::Rename, path: path.into(), errno: 5, written: 0, times: 1 });
        f.store.clean();
        assert!(f.store.cleaner_stats().failures > 0, "{path}");
        is_expected(&f.values(), path);
        f.set("more", Some("1"));
        f.clock.advance(300_000);
        f.roll();
        let runs = f.store.cleaner_stats().runs;
        f.store.clean();
        assert_eq!(f.store.cleaner_stats().runs > runs, !halfway, "{path}");
        f.store.write_checkpoints().unwrap();
        let f = f.after(PowerCut::Kept);
        f.put_with(TOPIC, 1, 1, compacted);
        is_expected(&f.values(), path);
        drop(produced);
    }
}

#[test]
fn a_full_disk_costs_nothing() {
    let f = dirty();
    let before = (f.records(), f.files());
    f.disk.set_capacity(Some(0));
    f.store.clean();
    assert_eq!(f.store.cleaner_stats().failures, 1);
    assert_eq!((f.records(), f.files()), before);
    f.disk.set_capacity(None);
    f.clock.advance(300_000);
    f.store.clean();
    assert_eq!(f.store.cleaner_stats().failures, 1);
    assert!(f.records().len() < before.0.len());
}

#[test]
fn a_swap_that_kafka_began_is_finished() {
    // Kafka marks the replaced segments' files only after the new segment's are `.swap`; a crash between leaves all of them.
    let f = dirty();
    let before = f.values();
    let f = f.after(PowerCut::Kept);
    let dir = Path::new("/data/topic1-0");
    let mut names: Vec<_> = f.disk.list(dir).unwrap().into_iter().map(|entry| entry.name).collect();
    names.retain(|name| name.ends_with(".log"));
    names.sort();
    let replaced = names[1..3].to_vec();
    let whole: Vec<u8> = names[..3].iter().flat_map(|name| f.disk.read(&dir.join(name)).unwrap()).collect();
    f.disk.replace(&dir.join("00000000000000000000.log.swap"), &whole, true).unwrap();
    f.disk.replace(&dir.join("00000000000000000020.log.cleaned"), b"half", true).unwrap();
    f.disk.replace(&dir.join("00000000000000000004.log.deleted"), b"old", true).unwrap();
    f.put_with(TOPIC, 1, 1, compacted);
    assert_eq!(f.values(), before);
    let files = f.files();
    assert!(!files.iter().any(|name| replaced.contains(name)), "{replaced:?} in {files:?}");
    assert!(files.iter().all(|name| !name.ends_with(".swap") && !name.ends_with(".cleaned")), "{files:?}");
}

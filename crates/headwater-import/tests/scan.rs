//! What is found in directories that were written from the layout's description.

#[path = "scan/old_directory.rs"]
mod old_directory;

use std::{fs, path::Path};

use headwater_import::{Backend, Found, ImportError, Scan, SourceDirectory};
use headwater_records::native::NativeError;
use old_directory::{OldPartition, OldRecord};
use tempfile::TempDir;

fn scratch() -> TempDir {
    tempfile::tempdir().expect("a directory")
}

fn scan(data: &Path) -> Scan {
    let directory = SourceDirectory::open(data).expect("a directory");
    let topic = &directory.topics[0];
    Scan::of(&directory, &topic.name, &topic.partitions[0]).expect("it can be read")
}

fn records(keys: &[&str]) -> Vec<OldRecord> {
    keys.iter().map(|key| OldRecord::new(key, "value")).collect()
}

#[test]
fn finds_topics_of_both_backends_and_leaves_the_internal_ones() {
    let dir = scratch();
    let orders = OldPartition::new(dir.path(), "orders", 1);
    orders.segmented(&[&records(&["a", "b"]), &records(&["c"])]);
    OldPartition::new(dir.path(), "orders", 2).segmented(&[]);
    let users = OldPartition::new(dir.path(), "users", 1);
    users.commit_log(0, &[(0, OldRecord::new("a", "1")), (3, OldRecord::new("b", "2"))]);
    OldPartition::new(dir.path(), "__consumer_offsets", 1).segmented(&[]);
    fs::create_dir(dir.path().join("no-topic")).expect("made");
    fs::write(dir.path().join("users/topic.config"), "cleanup_policy=compact\n").expect("written");

    let directory = SourceDirectory::open(dir.path()).expect("topics");
    let names: Vec<_> =
        directory.topics.iter().map(|topic| (&topic.name[..], topic.partitions.len())).collect();
    assert_eq!(names, [("orders", 2), ("users", 1)]);
    assert_eq!(directory.internal, ["__consumer_offsets"]);
    let backends = directory.topics.iter().map(|topic| topic.partitions[0].backend);
    assert_eq!(backends.collect::<Vec<_>>(), [Backend::Segmented, Backend::CommitLog]);
    assert_eq!(directory.topics[1].settings.cleanup_policy.as_deref(), Some("compact"));
    assert_eq!(scan(dir.path()).found, Found { importable: 3, ..Found::default() });
}

#[test]
fn partitions_are_numbered_without_a_gap() {
    let dir = scratch();
    OldPartition::new(dir.path(), "t", 1).segmented(&[]);
    OldPartition::new(dir.path(), "t", 3).segmented(&[]);
    let error = SourceDirectory::open(dir.path()).expect_err("a gap");
    assert!(matches!(error, ImportError::MissingPartition { missing: 2, last: 3, .. }), "{error}");
    assert!(matches!(SourceDirectory::open(&dir.path().join("t")), Err(ImportError::NoTopics { .. })));
}

#[test]
fn a_torn_tail_is_told_and_what_is_before_it_counts() {
    let dir = scratch();
    let partition = OldPartition::new(dir.path(), "t", 1);
    partition.segmented(&[&records(&["a", "b", "c"])]);
    let path = partition.path("00000000000000000000.log");
    let bytes = fs::read(&path).expect("read");
    let record_len = bytes.len() / 3;
    for cut in [record_len + 1, record_len + 9, 2 * record_len - 1] {
        fs::write(&path, &bytes[..cut]).expect("written");
        let scan = scan(dir.path());
        assert_eq!((scan.found.importable, scan.damage_count), (1, 1), "cut at {cut}");
        let damage = &scan.damages[0];
        assert_eq!((damage.at, damage.bytes), (record_len as u64, (cut - record_len) as u64));
        assert!(damage.is_tail && matches!(damage.error, NativeError::Truncated { .. }), "{damage:?}");
    }
}

#[test]
fn what_follows_damage_counts_too() {
    let dir = scratch();
    let partition = OldPartition::new(dir.path(), "t", 1);
    partition.segmented(&[&records(&["a", "b", "c"]), &records(&["d"])]);
    let path = partition.path("00000000000000000000.log");
    let sound = fs::read(&path).expect("read");
    let record_len = sound.len() / 3;
    // The length of the second record, which no checksum covers, its header, its payload, an unknown bit.
    for (at, bit) in [(7, 0x40), (7, 0x01), (9, 1), (record_len - 1, 1), (8, 0x20)] {
        let mut bytes = sound.clone();
        bytes[record_len + at] ^= bit;
        fs::write(&path, &bytes).expect("written");
        let scan = scan(dir.path());
        assert_eq!((scan.found.importable, scan.damage_count), (3, 1), "byte {at}");
        let damage = &scan.damages[0];
        assert_eq!((damage.at, damage.bytes, damage.is_tail), (record_len as u64, record_len as u64, false));
    }
}

#[test]
fn a_compaction_that_was_cut_short_is_finished_or_forgotten() {
    let dir = scratch();
    let partition = OldPartition::new(dir.path(), "t", 1);
    partition.commit_log(0, &[(0, OldRecord::new("a", "1")), (1, OldRecord::new("a", "2"))]);
    let cleaned = partition.path("00000000000000000000.log.cleaned");
    fs::write(&cleaned, OldRecord::new("a", "2").bytes()).expect("written");
    assert_eq!(scan(dir.path()).found.importable, 2, "the old one is there");
    fs::remove_file(partition.path("00000000000000000000.log")).expect("removed");
    assert_eq!(scan(dir.path()).found.importable, 1, "the new one alone is there");
}

#[test]
fn transactions_count_by_how_they_ended() {
    let dir = scratch();
    let data = |key: &str, pid| OldRecord::new(key, "v").of(pid, 3);
    OldPartition::new(dir.path(), "t", 1).segmented(&[
        &[data("a", 7), data("b", 8), OldRecord::new("c", "v"), data("d", 7), OldRecord::marker(true, 7, 3)],
        &[OldRecord::marker(false, 8, 3), data("e", 8), data("f", 7), OldRecord::marker(true, 8, 3)],
    ]);
    let expected = Found { importable: 4, control: 3, aborted: 1, unfinished: 1 };
    assert_eq!(scan(dir.path()).found, expected);
}

#[test]
fn listed_aborts_count_in_the_offsets_of_their_backend() {
    let dir = scratch();
    let records = ["a", "b", "c"].map(|key| OldRecord::new(key, "v").of(7, 0));
    let record_len = records[0].bytes().len();
    let marker = OldRecord::marker(true, 7, 0);
    let list = |first: usize, upto: usize| {
        let entry =
            format!(r#"{{"topic":"t","partition":1,"pid":7,"epoch":0,"first":{first},"upto":{upto}}}"#);
        fs::write(dir.path().join("txn-aborts.json"), format!(r#"{{"entries":[{entry}]}}"#))
            .expect("written");
    };
    let found = || scan(dir.path()).found;
    let expected = Found { importable: 2, control: 1, aborted: 1, unfinished: 0 };

    let partition = OldPartition::new(dir.path(), "t", 1);
    partition.segmented(&[&[&records[..], std::slice::from_ref(&marker)].concat()]);
    list(record_len, 2 * record_len);
    assert_eq!(found(), expected);

    // After compaction the index tells: record b has offset 6.
    let [a, b, c] = records;
    partition.commit_log(0, &[(0, a), (6, b), (7, c), (8, marker)]);
    list(6, 7);
    assert_eq!(found(), expected);
    list(1, 3);
    assert_eq!(found(), Found { importable: 3, aborted: 0, ..expected });
}

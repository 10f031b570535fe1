//! Offsets after compaction: a record that follows a gap says its own.

use headwater_records::native::{NativeBatches, NativeEntry, NativeError, NativeRecord};
use headwater_records::{RecordError, native::NativeRun};

use super::given::{MAX, idempotent, keys, offset, plain, rebuilt, records, run};

/// Writes the records with these offsets again, as compaction does.
fn compacted(run: &NativeRun, kept: &[i64]) -> Vec<u8> {
    let (mut log, mut next) = (Vec::new(), 0);
    for &at in kept {
        let start = if at == 0 { 0 } else { run.ends()[at as usize - 1] };
        let record = NativeRecord::checked(&run.bytes()[start..]).expect("a record");
        record.write_at((at != next).then(|| offset(at)), &mut log).expect("a record");
        next = at + 1;
    }
    log
}

#[test]
fn records_keep_their_offsets_and_everything_else() {
    let given = keys(&["a", "b", "c", "d", "e"]);
    let run = run(&plain(&given));
    let back = records(&rebuilt(&compacted(&run, &[1, 2, 4]), 0, MAX));
    let expected: Vec<_> = [1, 2, 4].map(|at| (at, given[at as usize].clone())).into();
    assert_eq!(back, expected);
}

#[test]
fn only_the_record_after_a_gap_says_its_offset() {
    let run = run(&plain(&keys(&["a", "b", "c", "d"])));
    let log = compacted(&run, &[0, 2, 3]);
    let mut offsets = Vec::new();
    let mut rest = &log[..];
    while !rest.is_empty() {
        let entry = NativeEntry::parse(rest).expect("a record");
        offsets.push(entry.offset());
        rest = &rest[entry.head().total_len()..];
    }
    assert_eq!(offsets, [None, Some(offset(2)), None]);
    // What was not moved is what it was.
    assert_eq!(&log[..run.ends()[0]], &run.bytes()[..run.ends()[0]]);
}

#[test]
fn a_second_compaction_says_the_offset_once() {
    let run = run(&plain(&keys(&["a", "b"])));
    let second = NativeRecord::checked(&run.bytes()[run.ends()[0]..]).expect("a record");
    let (mut once, mut twice, mut back) = (Vec::new(), Vec::new(), Vec::new());
    second.write_at(Some(offset(1)), &mut once).expect("a record");
    let moved = NativeRecord::checked(&once).expect("a record");
    moved.write_at(Some(offset(1)), &mut twice).expect("a record");
    assert_eq!(once, twice);
    moved.write_at(None, &mut back).expect("a record");
    assert_eq!(back, second.bytes());
}

#[test]
fn a_producers_batch_ends_where_it_ended_before() {
    let first = run(&idempotent(&keys(&["a", "b", "c"]), 0));
    let mut log = compacted(&first, &[0, 2]);
    log.extend_from_slice(run(&plain(&keys(&["d"]))).bytes());
    let batches = rebuilt(&log, 0, MAX);
    let counts: Vec<_> =
        batches.iter().map(|batch| (batch.record_count(), batch.producer().is_some())).collect();
    assert_eq!(counts, [(2, true), (1, false)]);
    assert_eq!(records(&batches).iter().map(|(at, _)| *at).collect::<Vec<_>>(), [0, 2, 3]);
}

#[test]
fn an_offset_that_leads_back_is_damage() {
    let run = run(&plain(&keys(&["a"])));
    let mut log = Vec::new();
    let record = NativeRecord::checked(run.bytes()).expect("a record");
    record.write_at(Some(offset(4)), &mut log).expect("a record");
    let error =
        NativeBatches::new(&log, offset(5), MAX).next_batch(MAX, |_| 0.into()).expect_err("it leads back");
    let RecordError::Native(error) = error else { panic!("{error}") };
    assert_eq!(error, NativeError::Offset { offset: offset(4), expected: offset(5) });
}

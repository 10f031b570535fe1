//! Which records become one batch.

use headwater_codec::{LeaderEpoch, ProducerEpoch, ProducerId, records::ControlRecordType};
use headwater_records::{
    BatchBuilder, NO_SEQUENCE, TimestampType, ValidatedBatch,
    native::{
        ControlMarker, HeaderBlock, HeaderBlockBuilder, NativeBatches, NativeEntry, NativeFields,
        NativeRecord, NativeRun,
    },
};

use super::given::{
    Given, MAX, PRODUCER, batch, idempotent, keys, log, offset, plain, rebuilt, records, run,
};

/// First offset, count and base sequence of each batch.
fn shapes(batches: &[ValidatedBatch]) -> Vec<(i64, i32, i32)> {
    batches
        .iter()
        .map(|batch| {
            let header = batch.header();
            (header.base_offset.get(), header.record_count, header.base_sequence)
        })
        .collect()
}

/// A transaction marker as a broker writes it.
fn marker(kind: ControlRecordType) -> ValidatedBatch {
    let mut builder =
        BatchBuilder::new().producer(PRODUCER.0, PRODUCER.1, NO_SEQUENCE).transactional(true).control(true);
    builder.push(5, Some(&kind.to_key()), Some(&[0; 6]), &[]).expect("room");
    builder.build().expect("a batch")
}

#[test]
fn batches_without_a_producer_run_together() {
    let log = log(&[plain(&keys(&["a", "b"])), plain(&keys(&["c"]))]);
    assert_eq!(shapes(&rebuilt(&log, 0, MAX)), [(0, 3, -1)]);
}

#[test]
fn a_producers_batches_stay_what_they_were() {
    let log = log(&[
        plain(&keys(&["a"])),
        idempotent(&keys(&["b", "c"]), 0),
        idempotent(&keys(&["d"]), 2),
        plain(&keys(&["e"])),
    ]);
    let batches = rebuilt(&log, 0, MAX);
    assert_eq!(shapes(&batches), [(0, 1, -1), (1, 2, 0), (3, 1, 2), (4, 1, -1)]);
    assert_eq!(batches[1].producer(), idempotent(&keys(&["b", "c"]), 0).producer());
    assert_eq!(batches[3].producer(), None);
}

#[test]
fn a_read_from_within_a_producers_batch_has_no_producer() {
    let run = run(&idempotent(&keys(&["a", "b", "c"]), 7));
    let tail = &run.bytes()[run.ends()[0]..];
    assert_eq!(shapes(&rebuilt(tail, 1, MAX)), [(1, 2, -1)]);
}

#[test]
fn kinds_of_time_do_not_mix() {
    let mut appended = plain(&keys(&["b", "c"]));
    appended.set_log_append_time(40);
    let mut later = plain(&keys(&["d"]));
    later.set_log_append_time(41);
    let batches = rebuilt(&log(&[plain(&keys(&["a"])), appended, later]), 0, MAX);
    assert_eq!(shapes(&batches), [(0, 1, -1), (1, 2, -1), (3, 1, -1)]);
    let times: Vec<_> = batches.iter().map(ValidatedBatch::log_append_time_ms).collect();
    assert_eq!(times, [None, Some(40), Some(41)]);
    assert_eq!(batches[0].header().attributes.timestamp_type(), TimestampType::CreateTime);
}

#[test]
fn transactions_and_their_markers_stand_alone() {
    let transactional = batch(
        BatchBuilder::new().producer(PRODUCER.0, PRODUCER.1, 0).transactional(true),
        &keys(&["a", "b"]),
    );
    let batches = rebuilt(
        &log(&[
            transactional.clone(),
            marker(ControlRecordType::Commit),
            marker(ControlRecordType::Abort),
            plain(&keys(&["c"])),
        ]),
        0,
        MAX,
    );
    assert_eq!(shapes(&batches), [(0, 2, 0), (2, 1, -1), (3, 1, -1), (4, 1, -1)]);
    assert_eq!(batches[0].to_bytes()[21..], transactional.to_bytes()[21..]);
    for (batch, kind) in batches[1..].iter().zip([ControlRecordType::Commit, ControlRecordType::Abort]) {
        assert_eq!(batch.to_bytes()[21..], marker(kind).to_bytes()[21..]);
    }
    assert!(!batches[3].header().attributes.is_transactional());
}

#[test]
fn records_of_a_transaction_say_so_wherever_the_read_begins() {
    let run = run(&batch(
        BatchBuilder::new().producer(PRODUCER.0, PRODUCER.1, 3).transactional(true),
        &keys(&["a", "b"]),
    ));
    let [batch] = &rebuilt(&run.bytes()[run.ends()[0]..], 1, MAX)[..] else { panic!("one batch") };
    let producer = batch.producer().expect("it is a transaction's");
    assert_eq!((producer.id, producer.epoch, producer.base_sequence), (PRODUCER.0, PRODUCER.1, NO_SEQUENCE));
    assert!(batch.header().attributes.is_transactional());
}

#[test]
fn a_marker_has_no_headers() {
    let run = run(&marker(ControlRecordType::Commit));
    let mut expected = Vec::new();
    let marker = ControlMarker { committed: true, producer_id: PRODUCER.0, producer_epoch: PRODUCER.1 };
    NativeFields::write_marker(marker, 5, &mut expected).expect("a marker");
    assert_eq!(run.bytes(), expected);
    assert!(run.is_control() && run.is_transactional());
}

#[test]
fn what_others_put_beside_a_marker_is_not_looked_at() {
    let plain = run(&marker(ControlRecordType::Abort));
    let read = NativeRecord::checked(plain.bytes()).expect("a record");
    let mut headers = HeaderBlockBuilder::new();
    let idempotent = run(&idempotent(&keys(&["a"]), 0));
    let producer = NativeRecord::checked(idempotent.bytes()).expect("a record").headers();
    producer.iter().for_each(|(name, value)| headers.push(name, value).expect("short"));
    headers.push(b"headwater.time", &(-3_i64).to_be_bytes()).expect("short");
    headers.push(b"headwater.append", b"").expect("short");
    headers.push(b"own", b"value").expect("short");
    let mut log = Vec::new();
    read.fields().write(headers.block(), &mut log).expect("a record");
    let entry = NativeEntry::parse(&log).expect("a record");
    assert_eq!((entry.timestamp(), entry.producer()), (5, None));
    let (theirs, ours) = (rebuilt(&log, 0, MAX), rebuilt(plain.bytes(), 0, MAX));
    assert_eq!(theirs[0].to_bytes(), ours[0].to_bytes());
}

#[test]
fn a_leader_epoch_ends_a_batch() {
    let log = log(&[plain(&keys(&["a", "b", "c"]))]);
    let mut batches = NativeBatches::new(&log, offset(0), MAX);
    let epoch = |at: headwater_codec::Offset| LeaderEpoch::new(if at.get() < 2 { 1 } else { 6 });
    let mut found = Vec::new();
    while let Some(batch) = batches.next_batch(MAX, epoch).expect("sound") {
        found.push((batch.header().leader_epoch.get(), batch.record_count()));
    }
    assert_eq!(found, [(1, 2), (6, 1)]);
    assert_eq!(batches.next_offset(), offset(3));
}

#[test]
fn a_partial_record_ends_the_run_and_damage_comes_after_what_is_sound() {
    let log = log(&[plain(&keys(&["a", "b", "c"]))]);
    let end = log.len() / 3 * 2;
    let mut batches = NativeBatches::new(&log[..end + 5], offset(0), MAX);
    let batch = batches.next_batch(MAX, |_| LeaderEpoch::new(0)).expect("sound").expect("a batch");
    assert_eq!((batch.record_count(), batches.remaining().len()), (2, 5));
    assert!(batches.next_batch(MAX, |_| LeaderEpoch::new(0)).expect("no error").is_none());

    let mut damaged = log.clone();
    *damaged.last_mut().expect("bytes") ^= 1;
    let mut batches = NativeBatches::new(&damaged, offset(0), MAX);
    let batch = batches.next_batch(MAX, |_| LeaderEpoch::new(0)).expect("sound").expect("a batch");
    assert_eq!(batch.record_count(), 2);
    let error = batches.next_batch(MAX, |_| LeaderEpoch::new(0)).expect_err("damaged");
    assert_eq!(error.error_code().code(), 2);
    assert_eq!(batches.next_offset(), offset(2));
}

#[test]
fn zero_length_fields_of_a_native_writer_are_null() {
    let mut log = Vec::new();
    NativeFields::default().write(HeaderBlock::EMPTY, &mut log).expect("a record");
    assert_eq!(records(&rebuilt(&log, 0, MAX)), [(0, Given::default())]);
}

#[test]
fn empty_fields_are_marked_and_null_ones_are_not() {
    let empty = Given { key: Some(vec![]), value: Some(vec![]), ..Given::default() };
    let marked = run(&plain(&[empty]));
    let record = NativeRecord::checked(marked.bytes()).expect("a record");
    assert_eq!(record.headers().iter().collect::<Vec<_>>(), [(&b"headwater.empty"[..], &[3][..])]);
    assert!(
        NativeRecord::checked(run(&plain(&[Given::default()])).bytes()).expect("one").headers().is_empty()
    );
}

#[test]
fn names_like_ours_are_stored_under_others() {
    let headers = ["", "headwater.offset", "headwater.h.x", "headwater", "own"];
    let headers: Vec<_> = headers.iter().map(|name| (name.as_bytes().to_vec(), Some(vec![1]))).collect();
    let run = run(&plain(&[Given { headers, ..Given::default() }]));
    let record = NativeRecord::checked(run.bytes()).expect("a record");
    let stored: Vec<_> =
        record.headers().iter().map(|(name, _)| str::from_utf8(name).expect("text")).collect();
    let expected =
        ["headwater.h.", "headwater.h.headwater.offset", "headwater.h.headwater.h.x", "headwater", "own"];
    assert_eq!(stored, expected);
}

#[test]
fn a_run_tells_a_log_what_a_batch_did() {
    let mut given = keys(&["a", "b", "c"]);
    given[1].timestamp = 50;
    let batch = idempotent(&given, 7);
    let run = run(&batch);
    assert_eq!((run.record_count(), run.max_timestamp(), run.max_timestamp_offset_delta()), (3, 50, 1));
    assert_eq!(run.producer(), batch.producer());
    let entry = NativeEntry::parse(run.bytes()).expect("a record");
    let producer = entry.producer().expect("its producer");
    assert_eq!((producer.id, producer.count), (ProducerId::new(9), 3));
    assert_eq!((producer.epoch, producer.base_sequence), (ProducerEpoch::new(1), 7));
    let same = NativeRun::of_batch(&batch, &Default::default(), MAX).expect("again").into_bytes();
    assert_eq!(same, run.bytes());
}

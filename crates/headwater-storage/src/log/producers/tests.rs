use headwater_records::BatchProducer;

use super::*;

const P: i64 = 9;
const NOW: i64 = 1_000;

fn head(epoch: i16, sequence: i32, count: i32, offset: i64) -> EntryHead {
    EntryHead {
        len: 100,
        base_offset: offset,
        last_offset: offset + i64::from(count) - 1,
        run_last_offset: offset + i64::from(count) - 1,
        leader_epoch: 0,
        max_timestamp: NOW,
        producer: Some(BatchProducer {
            id: ProducerId::new(P),
            epoch: ProducerEpoch::new(epoch),
            base_sequence: sequence,
            last_sequence: headwater_records::increment_sequence(sequence, count - 1),
        }),
        transactional: false,
        control: false,
    }
}

/// Offers a batch and appends it if it is new; gives the offset or the error.
fn offer(
    producers: &mut Producers,
    epoch: i16,
    sequence: i32,
    count: i32,
    next: &mut i64,
) -> Result<i64, StorageError> {
    let head = head(epoch, sequence, count, *next);
    match producers.check(&LogName::new("t-0"), &head)? {
        Verdict::New => {
            producers.apply(&head, NOW);
            *next = head.next_offset();
            Ok(head.base_offset)
        }
        Verdict::Duplicate { base_offset, .. } => Ok(base_offset),
    }
}

fn after(sequences: std::ops::Range<i32>) -> (Producers, i64) {
    let (mut producers, mut next) = (Producers::default(), 0);
    for sequence in sequences {
        offer(&mut producers, 0, sequence, 1, &mut next).unwrap();
    }
    (producers, next)
}

#[test]
fn the_last_five_batches_are_known_again_with_their_offsets() {
    let (mut producers, mut next) = after(0..7);
    for sequence in [6, 4, 2] {
        assert_eq!(offer(&mut producers, 0, sequence, 1, &mut next).unwrap(), i64::from(sequence));
    }
    let error = offer(&mut producers, 0, 1, 1, &mut next).unwrap_err();
    assert!(matches!(error, StorageError::OutOfOrderSequence { found: 1, .. }), "{error}");
    assert_eq!(offer(&mut producers, 0, 7, 1, &mut next).unwrap(), 7);
}

#[test]
fn a_duplicate_matches_on_first_and_last_sequence() {
    let (mut producers, mut next) = (Producers::default(), 0);
    offer(&mut producers, 0, 0, 5, &mut next).unwrap();
    assert_eq!(offer(&mut producers, 0, 0, 5, &mut next).unwrap(), 0);
    assert!(offer(&mut producers, 0, 0, 4, &mut next).is_err());
    assert!(offer(&mut producers, 0, 1, 4, &mut next).is_err());
}

#[test]
fn a_gap_is_refused() {
    let (mut producers, mut next) = after(0..3);
    assert!(matches!(
        offer(&mut producers, 0, 4, 1, &mut next),
        Err(StorageError::OutOfOrderSequence { last: 2, found: 4, .. })
    ));
}

#[test]
fn an_unknown_producer_may_start_anywhere_and_keeps_order_from_there() {
    let (mut producers, mut next) = (Producers::default(), 0);
    offer(&mut producers, 3, 10, 1, &mut next).unwrap();
    assert!(offer(&mut producers, 3, 12, 1, &mut next).is_err());
    offer(&mut producers, 3, 11, 1, &mut next).unwrap();
}

#[test]
fn sequences_wrap_to_zero() {
    let (mut producers, mut next) = (Producers::default(), 0);
    offer(&mut producers, 0, i32::MAX - 1, 2, &mut next).unwrap();
    assert!(offer(&mut producers, 0, 1, 1, &mut next).is_err());
    assert_eq!(offer(&mut producers, 0, 0, 1, &mut next).unwrap(), 2);
    // Across the wrap within one batch.
    let (mut producers, mut next) = (Producers::default(), 0);
    offer(&mut producers, 0, i32::MAX, 3, &mut next).unwrap();
    assert_eq!(offer(&mut producers, 0, i32::MAX, 3, &mut next).unwrap(), 0, "known again");
    assert_eq!(offer(&mut producers, 0, 2, 1, &mut next).unwrap(), 3);
}

#[test]
fn a_new_epoch_starts_at_zero_and_fences_the_old_one() {
    let (mut producers, mut next) = after(0..3);
    assert!(matches!(
        offer(&mut producers, 1, 3, 1, &mut next),
        Err(StorageError::OutOfOrderSequence { .. })
    ));
    assert_eq!(offer(&mut producers, 1, 0, 1, &mut next).unwrap(), 3);
    let error = offer(&mut producers, 0, 3, 1, &mut next).unwrap_err();
    assert!(matches!(error, StorageError::InvalidProducerEpoch { .. }), "{error}");
}

#[test]
fn silent_producers_are_forgotten_and_may_come_back_anywhere() {
    let (mut producers, mut next) = after(0..3);
    producers.expire(NOW);
    assert_eq!(producers.active().len(), 1);
    producers.expire(NOW + 1);
    assert!(producers.active().is_empty());
    assert_eq!(offer(&mut producers, 0, 10, 1, &mut next).unwrap(), 3);
}

#[test]
fn what_is_undone_leaves_no_trace() {
    let (mut producers, _) = after(0..7);
    let before = producers.to_snapshot();
    let undo = producers.apply(&head(0, 7, 1, 7), NOW).unwrap();
    producers.undo(undo);
    assert_eq!(producers.to_snapshot(), before);
    let mut fresh = Producers::default();
    let undo = fresh.apply(&head(0, 7, 1, 7), NOW).unwrap();
    fresh.undo(undo);
    assert!(fresh.active().is_empty());
}

#[test]
fn a_snapshot_is_kafkas_byte_for_byte() {
    // `00000000000000000003.snapshot` of a partition of an Apache Kafka 4.3.0: producer 1... wrote sequences 0 to 2.
    let kafkas = [
        0x00, 0x01, 0x18, 0x2d, 0xa8, 0xa4, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00,
        0x00, 0x02, 0x00, 0x00, 0x01, 0xa2, 0x2b, 0x99, 0xed, 0x6c, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        0xff, 0xff, 0xff, 0xff, 0xff,
    ];
    let read = Producers::from_snapshot(&kafkas).unwrap();
    assert_eq!(read.active().len(), 1);
    assert_eq!(read.active()[0].last_sequence, 2);
    assert_eq!(read.to_snapshot(), kafkas);
    for len in 0..kafkas.len() {
        assert!(Producers::from_snapshot(&kafkas[..len]).is_none(), "{len} bytes");
    }
    for at in 0..kafkas.len() {
        let mut damaged = kafkas;
        damaged[at] ^= 0x10;
        assert!(Producers::from_snapshot(&damaged).is_none(), "byte {at}");
    }
}

#[test]
fn an_open_transaction_holds_the_stable_offset_back() {
    let mut producers = Producers::default();
    let offset = |offset| Offset::new(offset).unwrap();
    producers.apply(&EntryHead { transactional: true, ..head(0, 0, 2, 5) }, NOW);
    assert_eq!(producers.last_stable(offset(10)), offset(5));
    assert_eq!(producers.last_stable(offset(3)), offset(3));
    let again = Producers::from_snapshot(&producers.to_snapshot()).unwrap();
    assert_eq!(again.last_stable(offset(10)), offset(5));
    producers.expire(i64::MAX);
    assert_eq!(producers.active().len(), 1, "it is not forgotten meanwhile");
    producers.apply(&EntryHead { transactional: true, control: true, ..head(0, -1, 1, 7) }, NOW);
    assert_eq!(producers.last_stable(offset(10)), offset(10));
}

use headwater_codec::{ProducerEpoch, ProducerId};
use headwater_records::BatchProducer;

use super::*;

/// An entry of two records of a producer's transaction, or the marker that ends it.
fn head(producer: i64, base_offset: i64, control: bool) -> EntryHead {
    EntryHead {
        len: 100,
        base_offset,
        last_offset: base_offset + i64::from(!control),
        run_last_offset: base_offset + i64::from(!control),
        leader_epoch: 0,
        max_timestamp: 0,
        producer: Some(BatchProducer {
            id: ProducerId::new(producer),
            epoch: ProducerEpoch::new(0),
            base_sequence: if control { -1 } else { 0 },
            last_sequence: if control { -1 } else { 1 },
        }),
        transactional: true,
        control,
    }
}

#[test]
fn aborted_are_the_records_from_the_first_to_the_marker() {
    let mut transactions = Transactions::default();
    transactions.note(&head(1, 0, false), None);
    transactions.note(&head(2, 2, false), None);
    transactions.note(&head(1, 4, false), None);
    assert_eq!(transactions.first_open(), Some(0));
    transactions.note(&head(1, 6, true), Some(Marker::Abort));
    assert_eq!((transactions.first_open(), transactions.scanned()), (Some(2), 7));
    transactions.note(&head(1, 7, false), None);
    transactions.note(&head(2, 9, true), Some(Marker::Commit));
    transactions.note(&head(1, 10, true), Some(Marker::Commit));
    assert_eq!(transactions.first_open(), None);
    let aborted = |producer, offset| transactions.aborted_at(producer, offset).is_some();
    assert!(aborted(1, 0) && aborted(1, 4) && aborted(1, 6));
    assert!(!aborted(1, 7) && !aborted(1, 10) && !aborted(2, 2) && !aborted(3, 0));
    let found = transactions.aborted_at(1, 4).unwrap();
    let mut entry = Vec::new();
    found.encode(&mut entry);
    // Version, producer, first and last offset, and the last stable offset: producer 2 had one open from 2 on.
    let expected =
        [&[0, 0][..], &1_i64.to_be_bytes(), &0_i64.to_be_bytes(), &6_i64.to_be_bytes(), &2_i64.to_be_bytes()];
    assert_eq!(entry, expected.concat());
    transactions.forget(1, 6);
    assert_eq!(transactions.aborted_at(1, 0), None);
}

#[test]
fn a_marker_without_records_or_content_aborts_nothing() {
    let mut transactions = Transactions::default();
    transactions.note(&head(1, 0, true), Some(Marker::Abort));
    transactions.note(&head(1, 1, false), None);
    transactions.note(&head(1, 3, true), None);
    assert_eq!(transactions.aborted_at(1, 0), None);
    assert_eq!(transactions.first_open(), Some(1), "an emptied marker says nothing");
}

#[test]
fn a_marker_is_spent_when_nothing_of_its_transaction_was_come_upon() {
    let mut traversed = Traversed::default();
    traversed.note(1);
    assert!(!traversed.ends_spent(1));
    assert!(traversed.ends_spent(1), "that was the one before");
    assert!(traversed.ends_spent(2));
}

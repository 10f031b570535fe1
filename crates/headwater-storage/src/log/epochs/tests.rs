use super::*;

fn epochs(entries: &[(i32, i64)]) -> Epochs {
    let mut epochs = Epochs::default();
    for (epoch, offset) in entries {
        epochs.note(*epoch, *offset);
    }
    epochs
}

fn end(epochs: &Epochs, epoch: i32, current: i32) -> Option<(i32, i64)> {
    let end = epochs.end_of(epoch, LeaderEpoch::new(current), Offset::new(100).unwrap());
    end.map(|end| (end.leader_epoch.get(), end.end_offset.get()))
}

#[test]
fn an_epoch_ends_where_the_next_one_starts() {
    let epochs = epochs(&[(0, 0), (0, 5), (2, 10), (5, 40)]);
    assert_eq!(end(&epochs, 0, 5), Some((0, 10)));
    assert_eq!(end(&epochs, 1, 5), Some((0, 10)));
    assert_eq!(end(&epochs, 2, 5), Some((2, 40)));
    assert_eq!(end(&epochs, 5, 5), Some((5, 100)));
    assert_eq!(end(&epochs, 5, 6), Some((5, 100)), "nothing is written in epoch 6");
    assert_eq!(end(&epochs, 6, 6), Some((6, 100)));
    assert_eq!(end(&epochs, 7, 6), None);
}

#[test]
fn epochs_never_go_down_and_leave_no_trace_without_records() {
    let mut epochs = epochs(&[(3, 0), (2, 5)]);
    epochs.note(4, 10);
    epochs.note(5, 10);
    assert_eq!(**epochs.entries(), [(3, 0), (5, 10)]);
}

#[test]
fn cutting_either_end_keeps_what_is_left() {
    let mut epochs = epochs(&[(0, 0), (2, 10), (5, 40)]);
    epochs.cut_start(20);
    assert_eq!(**epochs.entries(), [(2, 20), (5, 40)]);
    assert_eq!(end(&epochs, 0, 5), Some((0, 20)), "older than anything that is left");
    epochs.cut_end(40);
    assert_eq!(**epochs.entries(), [(2, 20)]);
}

#[test]
fn the_file_is_kafkas_text() {
    let mut epochs = epochs(&[(2, 0)]);
    // From a partition of an Apache Kafka 4.3.0.
    assert_eq!(epochs.take_unwritten(), Some(("leader-epoch-checkpoint", b"0\n1\n2 0\n".to_vec())));
    assert_eq!(epochs.take_unwritten(), None);
}

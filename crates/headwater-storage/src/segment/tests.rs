use super::*;

#[test]
fn index_entries_are_kafkas_byte_for_byte() {
    let mut offsets = OffsetIndex::new();
    offsets.push(OffsetEntry { relative: 0x35, position: 0x1114 });
    // From the metadata log of an Apache Kafka 4.3.0.
    assert_eq!(offsets.take_unwritten().bytes, [0, 0, 0, 0x35, 0, 0, 0x11, 0x14]);
    let mut times = TimeIndex::new();
    times.push(TimeEntry { timestamp: 0x01a2_2b99_f19c, relative: 0x35 });
    assert_eq!(times.take_unwritten().bytes, [0, 0, 0x01, 0xa2, 0x2b, 0x99, 0xf1, 0x9c, 0, 0, 0, 0x35]);
}

#[test]
fn an_index_is_read_back_up_to_the_zeros_that_were_taken_in_advance() {
    let mut offsets = OffsetIndex::new();
    for at in 1..10 {
        offsets.push(OffsetEntry { relative: at, position: at * 100 });
    }
    let mut bytes = offsets.take_unwritten().bytes;
    assert_eq!(OffsetIndex::parse(&bytes).unwrap().as_slice(), offsets.as_slice());
    bytes.resize(1000, 0);
    let read = OffsetIndex::parse(&bytes).unwrap();
    assert_eq!(read.as_slice(), offsets.as_slice());
    assert!(read.is_dirty(), "the zeros must go");
    bytes[500] = 1;
    assert_eq!(OffsetIndex::parse(&bytes), None);
    bytes.truncate(20);
    assert_eq!(OffsetIndex::parse(&bytes), None, "half an entry");
}

#[test]
fn entries_that_do_not_ascend_are_left_out_and_refused() {
    let mut times = TimeIndex::new();
    times.push(TimeEntry { timestamp: 10, relative: 1 });
    times.push(TimeEntry { timestamp: 10, relative: 2 });
    times.push(TimeEntry { timestamp: 9, relative: 3 });
    assert_eq!(times.as_slice().len(), 1);
    let bytes = [10i64.to_be_bytes().as_slice(), &[0, 0, 0, 1], &9i64.to_be_bytes(), &[0, 0, 0, 2]].concat();
    assert_eq!(TimeIndex::parse(&bytes), None);
}

#[test]
fn only_what_is_new_is_written() {
    let mut offsets = OffsetIndex::new();
    offsets.push(OffsetEntry { relative: 1, position: 1 });
    assert_eq!(offsets.take_unwritten().cut_to, Some(0));
    assert!(!offsets.is_dirty());
    offsets.push(OffsetEntry { relative: 2, position: 2 });
    let unwritten = offsets.take_unwritten();
    assert_eq!((unwritten.cut_to, unwritten.position, unwritten.bytes.len()), (None, 8, 8));
    offsets.keep_while(|entry| entry.relative < 2);
    assert_eq!(offsets.take_unwritten().cut_to, Some(8));
}

#[test]
fn lookups_find_the_entry_at_or_below() {
    let mut offsets = OffsetIndex::new();
    for at in [10, 20, 30] {
        offsets.push(OffsetEntry { relative: at, position: at * 10 });
    }
    let floor = |relative| offsets.floor_offset(relative).map(|entry| entry.relative);
    assert_eq!([floor(9), floor(10), floor(19), floor(35)], [None, Some(10), Some(10), Some(30)]);
    let below = |position| offsets.floor_position(position).map(|entry| entry.position);
    assert_eq!([below(99), below(100), below(250)], [None, Some(100), Some(200)]);
}

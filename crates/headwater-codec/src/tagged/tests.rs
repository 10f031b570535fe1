use super::*;

fn reader(bytes: &'static [u8]) -> Reader {
    Reader::new(Bytes::from_static(bytes), 0, true)
}

fn written(unknown: &UnknownTags) -> Bytes {
    let mut writer = Writer::new(0, true);
    write(&mut writer, unknown).unwrap();
    writer.finish().unwrap().0.to_bytes().unwrap()
}

const THREE: &[u8] = b"\x03\x00\x01a\x05\x00\x80\x01\x02bc";

#[test]
fn an_empty_block_is_one_byte_and_round_trips() {
    let mut writer = Writer::new(0, true);
    write_empty(&mut writer);
    assert_eq!(writer.finish().unwrap().0.to_bytes().unwrap(), [0][..]);
    assert_eq!(written(&UnknownTags::NONE), [0][..]);

    let mut unknown = UnknownTags::NONE;
    let mut reader = reader(&[0]);
    assert_eq!(read_into(&mut reader, &mut unknown), Ok(()));
    assert!(unknown.is_empty());
    assert_eq!(reader.finish(), Ok(()));
}

#[test]
fn several_fields_round_trip() {
    let mut unknown = UnknownTags::NONE;
    read_into(&mut reader(THREE), &mut unknown).unwrap();
    let tags: Vec<_> = unknown.as_slice().iter().map(|field| (field.tag, &field.value[..])).collect();
    assert_eq!(tags, [(0, &b"a"[..]), (5, b""), (128, b"bc")]);
    assert_eq!(written(&unknown), THREE);
}

#[test]
fn read_discards_what_read_into_keeps() {
    let mut discarding = reader(THREE);
    assert_eq!(read(&mut discarding), Ok(()));
    assert_eq!(discarding.finish(), Ok(()));

    let (mut keeping, mut unknown) = (reader(THREE), UnknownTags::NONE);
    assert_eq!(read_into(&mut keeping, &mut unknown), Ok(()));
    assert_eq!(keeping.finish(), Ok(()));
    assert_eq!(unknown.as_slice().len(), 3);
}

#[test]
fn tags_that_do_not_ascend_are_refused() {
    let twice = read(&mut reader(b"\x02\x01\x00\x01\x00")).unwrap_err();
    assert_eq!(twice.kind(), DecodeErrorKind::TagOrder { previous: 1, tag: 1 });
    let descending = read(&mut reader(b"\x02\x02\x00\x01\x00")).unwrap_err();
    assert_eq!(descending.kind(), DecodeErrorKind::TagOrder { previous: 2, tag: 1 });
}

#[test]
fn a_field_that_is_longer_than_the_input_is_refused() {
    let error = read(&mut reader(b"\x01\x00\x05abc")).unwrap_err();
    assert_eq!(error.kind(), DecodeErrorKind::LengthPastEnd { length: 5, left: 3 });
    let mut take_all = |reader: &mut Reader, _| reader.int8().map(|_| true);
    let error = read_known(&mut reader(b"\x01\x00\x05abc"), &mut UnknownTags::NONE.clone(), &mut take_all);
    assert_eq!(error.unwrap_err().kind(), DecodeErrorKind::LengthPastEnd { length: 5, left: 3 });
}

#[test]
fn a_known_tag_must_fill_its_size_exactly() {
    let read = |bytes| {
        let mut known = |reader: &mut Reader, tag| match tag {
            7 => reader.int16().map(|_| true),
            _ => Ok(false),
        };
        read_known(&mut reader(bytes), &mut UnknownTags::default(), &mut known)
    };
    assert_eq!(read(b"\x01\x07\x02ab"), Ok(()));
    assert_eq!(read(b"\x01\x07\x03abc").unwrap_err().kind(), DecodeErrorKind::TrailingBytes(1));
    assert_eq!(read(b"\x01\x07\x01abc").unwrap_err().kind(), DecodeErrorKind::Truncated);
}

#[test]
fn a_hostile_number_of_fields_is_refused_before_it_is_believed() {
    let error = read(&mut reader(b"\xff\xff\xff\xff\x0fabc")).unwrap_err();
    assert_eq!(error.kind(), DecodeErrorKind::CountPastEnd { count: u32::MAX as usize, left: 3 });
}

#[test]
fn kept_fields_cost_budget() {
    let cost = size_of::<Kept>() + 3 * GROWTH_FACTOR * size_of::<UnknownTag>();
    assert_eq!(read_into(&mut reader(THREE).with_budget(cost), &mut UnknownTags::default()), Ok(()));
    let mut poor = reader(THREE).with_budget(cost - 1);
    let error = read_into(&mut poor, &mut UnknownTags::default()).unwrap_err();
    assert!(matches!(error.kind(), DecodeErrorKind::BudgetExceeded { .. }));
    assert_eq!(read(&mut reader(THREE).with_budget(0)), Ok(()), "what is discarded costs nothing");
}

#[test]
fn kept_fields_have_no_more_room_than_they_cost() {
    let mut unknown = UnknownTags::NONE;
    for tag in 0..100 {
        unknown.insert(tag, Bytes::new());
        let Kept(fields) = &**unknown.0.as_ref().unwrap();
        assert!(fields.capacity() <= GROWTH_FACTOR * fields.len());
    }
}

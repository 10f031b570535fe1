use super::*;

fn external(length: u32) -> Records {
    Records::External { length, token: 42 }
}

#[test]
fn external_records_leave_their_token_and_count_towards_the_frame() {
    let mut writer = Writer::new(0, false).framed();
    writer.int16(1);
    writer.nullable_records(Some(&external(1000))).unwrap();
    writer.int8(2);
    let (frame, _) = writer.finish().unwrap();
    assert_eq!(frame.length, 4 + 2 + 4 + 1000 + 1);
    assert_eq!(
        frame.chunks,
        [
            Chunk::Bytes(Bytes::from_static(b"\x00\x00\x03\xef\x00\x01\x00\x00\x03\xe8")),
            Chunk::External { length: 1000, token: 42 },
            Chunk::Bytes(Bytes::from_static(&[2])),
        ]
    );
    assert_eq!(frame.to_bytes(), None);
}

#[test]
fn long_records_are_shared_and_short_ones_copied() {
    let long = Bytes::from(vec![1; COPIED_RECORDS_MAX + 1]);
    let mut writer = Writer::new(0, true).framed();
    writer.nullable_records(Some(&Records::Bytes(Bytes::from_static(b"short")))).unwrap();
    writer.nullable_records(Some(&Records::Bytes(long.clone()))).unwrap();
    let (frame, _) = writer.finish().unwrap();
    let [Chunk::Bytes(first), Chunk::Bytes(second)] = &frame.chunks[..] else { panic!("{frame:?}") };
    assert_eq!(first, &b"\x00\x00\x04\x09\x06short\x82\x08"[..]);
    assert_eq!(second.as_ptr(), long.as_ptr());
    assert_eq!(frame.to_bytes().unwrap().len(), frame.length);
}

#[test]
fn empty_records_are_not_null() {
    let mut writer = Writer::new(0, true);
    writer.nullable_records(Some(&external(0))).unwrap();
    writer.nullable_records(Some(&Records::default())).unwrap();
    writer.nullable_records(None).unwrap();
    assert_eq!(writer.finish().unwrap().0.to_bytes().unwrap(), [1, 1, 0][..]);
}

#[test]
fn a_sized_value_moves_up_when_its_size_takes_several_bytes() {
    for length in [0, 127, 128, 16_383, 16_384] {
        let mut writer = Writer::new(0, true);
        writer.int8(9);
        writer
            .sized(&mut |writer| {
                writer.raw(&vec![7; length]);
                Ok(())
            })
            .unwrap();
        let mut expected = vec![9];
        varint::write_u32(&mut expected, length as u32);
        expected.resize(expected.len() + length, 7);
        assert_eq!(writer.finish().unwrap().0.to_bytes().unwrap(), expected);
    }
}

#[test]
fn external_records_cannot_stand_in_a_tagged_field() {
    let mut writer = Writer::new(0, true);
    let error = writer.sized(&mut |writer| writer.nullable_records(Some(&external(1)))).unwrap_err();
    assert_eq!(error.kind(), EncodeErrorKind::ExternalNotAllowed);
}

#[test]
fn a_buffer_is_used_again() {
    let mut buf = BytesMut::with_capacity(4096);
    let start = buf.as_ptr();
    for _ in 0..10 {
        let mut writer = Writer::with_buffer(std::mem::take(&mut buf), 0, false);
        writer.raw(&[1; 3000]);
        let (frame, spare) = writer.finish().unwrap();
        let [Chunk::Bytes(bytes)] = &frame.chunks[..] else { panic!("{frame:?}") };
        assert_eq!(bytes.as_ptr(), start);
        drop(frame);
        buf = spare;
        buf.reserve(4096);
    }
}

#[test]
fn a_string_that_outgrows_its_length_is_refused() {
    let long = "x".repeat(1 << 15);
    let error = Writer::new(0, false).nullable_string(Some(&long)).unwrap_err();
    assert_eq!(error.kind(), EncodeErrorKind::TooLong(1 << 15));
    assert!(Writer::new(0, true).nullable_string(Some(&long)).is_ok());
}

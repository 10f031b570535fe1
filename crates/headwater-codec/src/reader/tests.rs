use super::*;

fn flexible(bytes: &[u8]) -> Reader {
    Reader::new(Bytes::copy_from_slice(bytes), 0, true)
}

fn classic(bytes: &[u8]) -> Reader {
    Reader::new(Bytes::copy_from_slice(bytes), 0, false)
}

#[test]
fn lengths_are_compact_in_flexible_versions_and_classic_in_others() {
    assert_eq!(flexible(b"\x03ab").string().unwrap(), "ab");
    assert_eq!(classic(b"\x00\x02ab").string().unwrap(), "ab");
    assert_eq!(flexible(b"\x03ab").bytes().unwrap(), b"ab"[..]);
    assert_eq!(classic(b"\x00\x00\x00\x02ab").bytes().unwrap(), b"ab"[..]);
    assert_eq!(flexible(b"\x03\x00\x01\x00\x02").array::<i16>().unwrap(), [1, 2]);
    assert_eq!(classic(b"\x00\x00\x00\x02\x00\x01\x00\x02").array::<i16>().unwrap(), [1, 2]);
}

#[test]
fn null_has_its_own_length() {
    assert_eq!(flexible(&[0]).nullable_string(), Ok(None));
    assert_eq!(flexible(&[1]).nullable_string(), Ok(Some(Str::default())));
    assert_eq!(classic(&[0xff, 0xff]).nullable_string(), Ok(None));
    assert_eq!(flexible(&[0]).nullable_array::<i32>(), Ok(None));
    assert_eq!(classic(&[0xff; 4]).nullable_bytes(), Ok(None));
    assert_eq!(flexible(&[0]).string().unwrap_err().kind(), DecodeErrorKind::NullNotAllowed);
    assert_eq!(classic(&[0xff; 4]).array::<i32>().unwrap_err().kind(), DecodeErrorKind::NullNotAllowed);
    assert_eq!(
        classic(&[0xff, 0xfe]).nullable_string().unwrap_err().kind(),
        DecodeErrorKind::NegativeLength(-2)
    );
}

#[test]
fn strings_and_bytes_share_the_frame() {
    let frame = Bytes::copy_from_slice(b"\x03ab\x03cd");
    let mut reader = Reader::new(frame.clone(), 0, true);
    assert_eq!(reader.string().unwrap().as_wire().as_ptr(), frame[1..].as_ptr());
    assert_eq!(reader.bytes().unwrap().as_ptr(), frame[4..].as_ptr());
}

#[test]
fn a_hostile_count_is_refused_before_memory_is_taken() {
    let error = classic(&[0x7f, 0xff, 0xff, 0xff, 1, 2, 3, 4]).array::<i32>().unwrap_err();
    assert_eq!(error.kind(), DecodeErrorKind::CountPastEnd { count: i32::MAX as usize, left: 4 });
    let error = flexible(&[0xff, 0xff, 0xff, 0xff, 0x0f, 1]).array::<Str>().unwrap_err();
    assert_eq!(error.kind(), DecodeErrorKind::CountPastEnd { count: u32::MAX as usize - 1, left: 1 });
}

#[test]
fn memory_that_the_frame_does_not_justify_is_refused() {
    const COUNT: u32 = 1 << 20;
    let mut bytes = Vec::new();
    crate::varint::write_u32(&mut bytes, COUNT + 1);
    bytes.resize(bytes.len() + COUNT as usize, 1);
    let mut reader = flexible(&bytes);
    let budget = reader.budget();
    let error = reader.array::<Str>().unwrap_err();
    assert_eq!(
        error.kind(),
        DecodeErrorKind::BudgetExceeded { needed: COUNT as usize * size_of::<Str>(), left: budget }
    );
    assert!(flexible(&bytes).with_budget(usize::MAX).array::<Str>().is_ok());
}

#[test]
fn a_length_past_the_end_is_refused() {
    let error = flexible(b"\x05ab").string().unwrap_err();
    assert_eq!(error.kind(), DecodeErrorKind::LengthPastEnd { length: 4, left: 2 });
    assert_eq!(error.position(), 1);
}

#[test]
fn every_fixed_size_value_is_big_endian() {
    let bytes: Vec<u8> = (0..38).collect();
    let mut reader = classic(&bytes);
    assert_eq!(reader.boolean(), Ok(false));
    assert_eq!(reader.int8(), Ok(1));
    assert_eq!(reader.uint16(), Ok(0x0203));
    assert_eq!(reader.uint32(), Ok(0x04050607));
    assert_eq!(reader.int64(), Ok(0x08090a0b0c0d0e0f));
    assert_eq!(reader.uuid(), Ok(Uuid::from_u128(0x101112131415161718191a1b1c1d1e1f)));
    assert_eq!(reader.int16(), Ok(0x2021));
    assert_eq!(reader.int32(), Ok(0x22232425));
    assert_eq!(reader.finish(), Ok(()));
    assert_eq!(classic(&1.5_f64.to_be_bytes()).float64(), Ok(1.5));
    assert_eq!(classic(&[7]).boolean(), Ok(true));
}

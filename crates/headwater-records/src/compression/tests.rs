use super::*;

const MAX: usize = 1 << 20;

/// Bytes that compress, but not to nothing.
fn sample(length: usize) -> Vec<u8> {
    (0..length).map(|i| ((i * i / 7) % 251) as u8).collect()
}

fn error_of(codec: Compression, packed: &[u8], max: usize) -> RecordError {
    codec.unpack(packed, max).expect_err("should be refused")
}

#[test]
fn what_is_packed_unpacks_to_the_same() {
    for codec in Compression::ALL {
        for length in [0, 1, 100, 32 << 10, (32 << 10) + 1, 300_000] {
            let unpacked = sample(length);
            let packed = codec.pack(&unpacked).unwrap();
            assert_eq!(codec.unpack(&packed, length).unwrap(), unpacked, "{codec}, {length} bytes");
        }
    }
}

#[test]
fn one_byte_more_than_the_bound_is_refused() {
    for codec in &Compression::ALL[1..] {
        for length in [1, 1000, 32 << 10, 300_000] {
            let packed = codec.pack(&sample(length)).unwrap();
            let error = error_of(*codec, &packed, length - 1);
            assert!(
                matches!(error, RecordError::UnpackedTooLarge { max, .. } if max == length - 1),
                "{error}"
            );
        }
    }
}

#[test]
fn truncated_data_is_refused() {
    for codec in &Compression::ALL[1..] {
        let packed = codec.pack(&sample(100_000)).unwrap();
        for cut in [1, 2, 4, 5, 9, packed.len() / 2, packed.len() - 1] {
            let error = error_of(*codec, &packed[..packed.len() - cut], MAX);
            assert!(matches!(error, RecordError::Unpack { .. }), "{codec} cut by {cut}: {error}");
        }
    }
}

#[test]
fn bytes_after_the_data_are_refused() {
    for codec in &Compression::ALL[1..] {
        let mut packed = codec.pack(&sample(1000)).unwrap();
        packed.extend_from_slice(b"some more");
        let error = error_of(*codec, &packed, MAX);
        assert!(matches!(error, RecordError::Unpack { .. }), "{codec}: {error}");
    }
}

#[test]
fn gzip_of_several_members_and_zstd_of_several_frames_are_read() {
    for codec in [Compression::Gzip, Compression::Zstd] {
        let packed = [codec.pack(b"one ").unwrap(), codec.pack(b"two").unwrap()].concat();
        assert_eq!(codec.unpack(&packed, MAX).unwrap(), b"one two");
    }
}

#[test]
fn snappy_is_read_raw_and_in_blocks() {
    let unpacked = sample(70_000);
    let raw = snap::raw::Encoder::new().compress_vec(&unpacked).unwrap();
    assert_eq!(Compression::Snappy.unpack(&raw, MAX).unwrap(), unpacked);

    let mut blocks = b"\x82SNAPPY\0\0\0\0\x01\0\0\0\x01".to_vec();
    for piece in [&unpacked[..10], &[], &unpacked[10..50_000], &unpacked[50_000..]] {
        let block = snap::raw::Encoder::new().compress_vec(piece).unwrap();
        blocks.extend_from_slice(&(block.len() as u32).to_be_bytes());
        blocks.extend_from_slice(&block);
    }
    assert_eq!(Compression::Snappy.unpack(&blocks, MAX).unwrap(), unpacked);
}

#[test]
fn a_snappy_block_beyond_the_end_is_refused() {
    let mut packed = Compression::Snappy.pack(b"some bytes").unwrap();
    packed[19] += 1;
    assert!(matches!(error_of(Compression::Snappy, &packed, MAX), RecordError::Unpack { .. }));
    packed[16] = 0xff;
    assert!(matches!(error_of(Compression::Snappy, &packed, MAX), RecordError::Unpack { .. }));
}

#[test]
fn a_snappy_block_that_lies_about_its_length_takes_no_memory() {
    // A raw block that says it unpacks to 4 GiB - 1.
    let claim = [0xff, 0xff, 0xff, 0xff, 0x0f, 0x00];
    let error = error_of(Compression::Snappy, &claim, MAX);
    assert!(matches!(error, RecordError::UnpackedTooLarge { .. }), "{error}");
    let error = error_of(Compression::Snappy, &claim, usize::MAX);
    assert!(matches!(error, RecordError::Unpack { .. }), "{error}");
}

#[test]
fn lz4_frames_that_java_cannot_read_are_refused() {
    let mut linked = Vec::new();
    let frame = lz4_flex::frame::FrameInfo::new().block_mode(lz4_flex::frame::BlockMode::Linked);
    let mut encoder = lz4_flex::frame::FrameEncoder::with_frame_info(frame, &mut linked);
    std::io::Write::write_all(&mut encoder, b"some bytes").unwrap();
    encoder.finish().unwrap();
    assert!(matches!(error_of(Compression::Lz4, &linked, MAX), RecordError::Unpack { .. }));

    let legacy = [0x02, 0x21, 0x4c, 0x18, 0, 0, 0, 0, 0, 0, 0, 0];
    assert!(matches!(error_of(Compression::Lz4, &legacy, MAX), RecordError::Unpack { .. }));
}

#[test]
fn an_lz4_frame_without_its_whole_end_mark_is_refused() {
    // The last byte of the data is 0, so that it and three bytes of the end mark look like an end mark.
    let packed = Compression::Lz4.pack(&[1, 0]).unwrap();
    for cut in 1..=4 {
        assert!(Compression::Lz4.unpack(&packed[..packed.len() - cut], MAX).is_err(), "cut by {cut}");
    }
}

#[test]
fn lz4_checksums_and_content_sizes_are_checked() {
    let frame = lz4_flex::frame::FrameInfo::new()
        .block_checksums(true)
        .content_checksum(true)
        .content_size(Some(10))
        .block_mode(lz4_flex::frame::BlockMode::Independent);
    let mut packed = Vec::new();
    let mut encoder = lz4_flex::frame::FrameEncoder::with_frame_info(frame, &mut packed);
    std::io::Write::write_all(&mut encoder, b"some bytes").unwrap();
    encoder.finish().unwrap();
    assert_eq!(Compression::Lz4.unpack(&packed, MAX).unwrap(), b"some bytes");
    for at in 4..packed.len() {
        let mut changed = packed.clone();
        changed[at] ^= 1;
        assert!(Compression::Lz4.unpack(&changed, MAX).is_err(), "byte {at}");
    }
}

#[test]
fn a_zstd_window_larger_than_the_format_allows_by_default_is_refused() {
    // A frame header that asks for a window of 2^31 bytes, then one raw, last block of a byte.
    let packed = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 21 << 3, 0x09, 0x00, 0x00, b'x'];
    assert!(matches!(error_of(Compression::Zstd, &packed, MAX), RecordError::Unpack { .. }));
    let small = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x00, 0x09, 0x00, 0x00, b'x'];
    assert_eq!(Compression::Zstd.unpack(&small, MAX).unwrap(), b"x");
}

#[test]
fn a_zstd_context_is_good_for_the_next_batch_whatever_became_of_the_last() {
    let unpacked = sample(100_000);
    let packed = Compression::Zstd.pack(&unpacked).unwrap();
    for cut in [0, 1, 5, 60, packed.len() / 2, packed.len()] {
        let _ = Compression::Zstd.unpack(&packed[..packed.len() - cut], MAX);
        let _ = Compression::Zstd.unpack(&packed[cut..], MAX);
        let _ = Compression::Zstd.unpack(&packed, 10);
        assert_eq!(Compression::Zstd.unpack(&packed, MAX).unwrap(), unpacked);
    }
}

#[test]
fn numbers_and_names_are_kafkas() {
    for (id, name) in ["none", "gzip", "snappy", "lz4", "zstd"].into_iter().enumerate() {
        let codec = Compression::from_id(id as u8).unwrap();
        assert_eq!((usize::from(codec.id()), codec.name()), (id, name));
    }
    assert!((5..=u8::MAX).all(|id| Compression::from_id(id).is_none()));
}

//! Damaged records: each kind of damage has its own error, and nothing panics or takes memory for it.

use headwater_codec::{ProducerEpoch, ProducerId};
use headwater_records::{
    RecordError,
    native::{
        ControlMarker, HeaderBlock, HeaderFault, NativeError, NativeFields, NativeRecord, ValueCodec, check,
    },
};

use super::{
    golden::{HEADERS, PLAIN, TRANSACTIONAL, hex},
    old_reader::crc32,
};

/// A record of this header and payload with sound checksums, whatever it says.
fn sealed(header: &[u8], payload: &[u8]) -> Vec<u8> {
    let size = (header.len() + payload.len() + 8) as u64;
    let crcs = (crc32(header).to_be_bytes(), crc32(payload).to_be_bytes());
    [&size.to_be_bytes()[..], header, &crcs.0, payload, &crcs.1].concat()
}

fn header(attributes: u8, key_len: u32, timestamp: u64, rest: &[u8]) -> Vec<u8> {
    [&[attributes][..], &key_len.to_be_bytes(), &timestamp.to_be_bytes(), rest].concat()
}

#[test]
fn a_cut_record_is_a_torn_tail_wherever_it_is_cut() {
    for record in [PLAIN, TRANSACTIONAL, HEADERS].map(hex) {
        for cut in 0..record.len() {
            let error = check(&record[..cut]).expect_err("it is cut");
            let NativeError::Truncated { have, need } = error else { panic!("cut at {cut}: {error}") };
            assert!(have == cut && need > cut && need <= record.len(), "{have} {need}");
        }
    }
}

#[test]
fn every_flipped_bit_is_seen() {
    for record in [PLAIN, TRANSACTIONAL, HEADERS].map(hex) {
        for bit in 8 * 8..record.len() * 8 {
            let mut damaged = record.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(check(&damaged).is_err(), "bit {bit}");
        }
    }
}

#[test]
fn damage_has_its_own_error() {
    let flipped = |at: usize| {
        let mut record = hex(PLAIN);
        record[at] ^= 1;
        check(&record).expect_err("damaged")
    };
    assert!(matches!(flipped(12), NativeError::BadHeaderCrc { .. }));
    assert!(matches!(flipped(34), NativeError::BadPayloadCrc { .. }));
    for bits in [0x20, 0x40, 0x80, 0xff] {
        // Sound checksums do not help: the bit may mean another layout.
        let record = sealed(&header(bits, 0, 0, &[]), b"");
        assert_eq!(check(&record), Err(NativeError::UnknownAttributes { bits }));
    }
}

#[test]
fn lengths_that_no_record_has_are_refused_before_anything_is_read() {
    for total_size in [0, 20, i32::MAX as u64 - 7, 1 << 63, u64::MAX] {
        let mut record = hex(PLAIN);
        record[..8].copy_from_slice(&total_size.to_be_bytes());
        assert_eq!(check(&record), Err(NativeError::BadLength { total_size }));
    }
    // Long enough for a plain record and too short for these attributes.
    let mut record = hex(TRANSACTIONAL);
    record[..8].copy_from_slice(&30_u64.to_be_bytes());
    assert_eq!(check(&record), Err(NativeError::BadLength { total_size: 30 }));
}

#[test]
fn lengths_within_a_record_are_added_without_overflow() {
    for (headers_len, key_len) in
        [(u32::MAX, u32::MAX), (u32::MAX, 1), (2, u32::MAX - 1), (2, 5), (0, 0), (1, 0)]
    {
        let record = sealed(&header(0x10, key_len, 0, &headers_len.to_be_bytes()), &[0; 6]);
        let payload_len = 6;
        assert_eq!(check(&record), Err(NativeError::Payload { headers_len, key_len, payload_len }));
    }
    let record = sealed(&header(0, 3, 0, &[]), b"ab");
    let expected = NativeError::Payload { headers_len: 0, key_len: 3, payload_len: 2 };
    assert_eq!(check(&record), Err(expected));
}

#[test]
fn numbers_beyond_63_bits_are_refused() {
    let record = sealed(&header(0, 0, 1 << 63, &[]), b"");
    assert_eq!(check(&record), Err(NativeError::Timestamp { raw: 1 << 63 }));
    let producer = [u64::MAX.to_be_bytes().as_slice(), &[0, 0]].concat();
    let record = sealed(&header(8, 0, 0, &producer), b"");
    assert_eq!(check(&record), Err(NativeError::ProducerId { raw: u64::MAX }));
    let mut log = Vec::new();
    let negative = NativeFields { timestamp_ms: -1, ..NativeFields::default() };
    let raw = u64::MAX;
    assert_eq!(negative.write(HeaderBlock::EMPTY, &mut log), Err(NativeError::Timestamp { raw }));
    let nobody = Some((ProducerId::new(-1), ProducerEpoch::new(0)));
    let negative = NativeFields { producer: nobody, ..NativeFields::default() };
    assert_eq!(negative.write(HeaderBlock::EMPTY, &mut log), Err(NativeError::ProducerId { raw }));
    assert_eq!(log, [0; 0], "nothing is written");
}

#[test]
fn a_header_block_fits_its_length_exactly() {
    let with_block = |block: &[u8]| {
        let headers_len = (block.len() as u32).to_be_bytes();
        check(&sealed(&header(0x10, 1, 0, &headers_len), &[block, b"k"].concat()))
    };
    assert!(with_block(&[0, 0]).is_ok());
    assert_eq!(with_block(&[0, 0, 1]), Err(HeaderFault::BytesLeft(1).into()));
    assert_eq!(with_block(&[0, 1]), Err(HeaderFault::Truncated.into()));
    assert_eq!(with_block(&[0, 1, 0, 1, b'a', 0, 0, 0, 1]), Err(HeaderFault::Truncated.into()));
    assert!(with_block(&[0, 1, 0, 0, 0, 0, 0, 0]).is_ok(), "an empty name is read");
}

#[test]
fn a_value_is_unpacked_within_a_bound() {
    for codec in ValueCodec::ALL {
        let stored_value = codec.pack(&[7; 1000]).expect("packed");
        let mut log = Vec::new();
        let fields = NativeFields { codec, stored_value: &stored_value, ..NativeFields::default() };
        fields.write(HeaderBlock::EMPTY, &mut log).expect("a record");
        let record = NativeRecord::checked(&log).expect("a record");
        assert_eq!(record.value(1000).expect("1000 bytes"), vec![7; 1000]);
        if codec != ValueCodec::None {
            assert!(matches!(record.value(999), Err(RecordError::UnpackedTooLarge { max: 999, .. })));
        }
    }
}

#[test]
fn a_snappy_claim_takes_no_memory() {
    // 2^31 bytes from six.
    let block = [0x80, 0x80, 0x80, 0x80, 0x08, 0];
    let unpacked = ValueCodec::Snappy.unpack(&block, usize::MAX);
    assert!(matches!(unpacked, Err(RecordError::Unpack { .. })));
}

#[test]
fn a_control_value_that_is_no_marker_is_an_error() {
    for value in [&[][..], &[1; 10], &[1; 12], &[2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]] {
        assert_eq!(ControlMarker::parse(value), Err(NativeError::Marker));
    }
    let beyond = [0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(ControlMarker::parse(&beyond), Err(NativeError::ProducerId { raw: 1 << 63 }));
}

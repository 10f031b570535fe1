use super::*;
use crate::native::HeaderBlockBuilder;

fn block(headers: &[(&[u8], &[u8])]) -> HeaderBlockBuilder {
    let mut builder = HeaderBlockBuilder::new();
    headers.iter().for_each(|(name, value)| builder.push(name, value).unwrap());
    builder
}

#[test]
fn a_records_own_headers_end_the_reserved_ones() {
    let time = (-5_i64).to_be_bytes();
    let block = block(&[(TIMESTAMP, &time), (b"own", b""), (LOG_APPEND_TIME, b"")]);
    let reserved = ReservedHeaders::read(block.block()).unwrap();
    assert_eq!((reserved.timestamp, reserved.log_append_time, reserved.count), (Some(-5), false, 1));
}

#[test]
fn what_is_not_known_is_the_records_own() {
    for name in [&b"headwater.later"[..], ESCAPE, b"headwater.h.headwater.offset", b"headwater."] {
        let block = block(&[(name, b"x")]);
        assert_eq!(ReservedHeaders::read(block.block()), Ok(ReservedHeaders::default()));
    }
}

#[test]
fn nonsense_is_an_error() {
    let negative = (-1_i64).to_be_bytes();
    let nobody =
        RunProducer { id: ProducerId::new(7), epoch: ProducerEpoch::new(0), base_sequence: 0, count: 0 };
    for header in [
        (OFFSET, &negative[..]),
        (OFFSET, b"1234567"),
        (TIMESTAMP, &[0; 8]),
        (TIMESTAMP, b""),
        (LOG_APPEND_TIME, b"1"),
        (EMPTY, b""),
        (EMPTY, b"\x01\0"),
        (PRODUCER, &nobody.encode()),
        (PRODUCER, &[0; 19]),
    ] {
        let block = block(&[header]);
        assert_eq!(
            ReservedHeaders::read(block.block()),
            Err(NativeError::Reserved { index: 0 }),
            "{header:?}"
        );
    }
}

#[test]
fn a_producers_sequence_numbers_wrap() {
    let producer = RunProducer {
        id: ProducerId::new(7),
        epoch: ProducerEpoch::new(3),
        base_sequence: i32::MAX,
        count: 2,
    };
    let block = block(&[(PRODUCER, &producer.encode())]);
    assert_eq!(ReservedHeaders::read(block.block()).unwrap().producer, Some(producer));
    assert_eq!(producer.batch_producer().last_sequence, 0);
}

//! What a native topic does not take, and what a conversion may hold.

use headwater_codec::records::ControlRecordType;
use headwater_records::{
    BatchBuilder, Compression, NO_SEQUENCE, RecordError,
    native::{HeaderFault, HeaderLimits, NativeBatches, NativeError, NativeRecord, NativeRun, ValueCodec},
};

use super::given::{Given, MAX, PRODUCER, batch, offset, plain, rebuilt, records, run};

fn with_headers(headers: Vec<(Vec<u8>, Option<Vec<u8>>)>) -> Result<NativeRun, RecordError> {
    let records = [Given::default(), Given { headers, ..Given::default() }];
    NativeRun::of_batch(&plain(&records), &HeaderLimits::default(), MAX)
}

#[track_caller]
fn check_refused(headers: Vec<(Vec<u8>, Option<Vec<u8>>)>, expected: HeaderFault) {
    let error = with_headers(headers).expect_err("over a limit");
    assert_eq!(error.error_code().code(), 87);
    let RecordError::Headers { index: 1, fault } = error else { panic!("{error}") };
    assert_eq!(fault, expected);
}

#[test]
fn headers_over_a_limit_are_refused_with_the_record() {
    let name = |bytes: usize| vec![b'n'; bytes];
    assert!(with_headers(vec![(name(255), None)]).is_ok());
    check_refused(vec![(name(256), None)], HeaderFault::NameTooLong { index: 0, bytes: 256, max: 255 });
    assert!(with_headers(vec![(name(1), None); 256]).is_ok());
    check_refused(vec![(name(1), None); 257], HeaderFault::TooMany { count: 257, max: 256 });
    // Count, two lengths and a name of one byte.
    let room = 65_536 - 2 - 6 - 1;
    assert!(with_headers(vec![(name(1), Some(vec![0; room]))]).is_ok());
    check_refused(
        vec![(name(1), Some(vec![0; room + 1]))],
        HeaderFault::TooLong { bytes: 65_537, max: 65_536 },
    );
}

#[test]
fn reserved_headers_do_not_count() {
    // As many as are allowed, each with an empty value, and an escaped name as long as is allowed.
    let mut name = b"headwater.".to_vec();
    name.resize(255, b'n');
    let mut headers = vec![(b"n".to_vec(), Some(vec![])); 255];
    headers.push((name, Some(vec![])));
    let given = Given { timestamp: -1, key: Some(vec![]), value: Some(vec![]), headers };
    let back = rebuilt(run(&plain(std::slice::from_ref(&given))).bytes(), 0, MAX);
    assert_eq!(records(&back), [(0, given)]);
}

#[test]
fn what_a_batch_unfolds_to_is_bounded() {
    let given = vec![Given { value: Some(vec![0; 1000]), ..Given::default() }; 100];
    let packed = batch(BatchBuilder::new().compression(Compression::Gzip), &given);
    let convert = |max| NativeRun::of_batch(&packed, &HeaderLimits::default(), max);
    assert!(matches!(convert(99_000), Err(RecordError::UnpackedTooLarge { max: 99_000, .. })));
    // Native records without anything in them are longer than Kafka's.
    let tiny = plain(&vec![Given::default(); 1000]);
    let error = NativeRun::of_batch(&tiny, &HeaderLimits::default(), 28_999).expect_err("29 bytes each");
    assert!(matches!(error, RecordError::NativeTooLarge { max: 28_999 }));
    assert_eq!(error.error_code().code(), 10);
    assert!(NativeRun::of_batch(&tiny, &HeaderLimits::default(), 29_000).is_ok());
}

#[test]
fn what_a_value_unfolds_to_is_bounded() {
    let given = Given { value: Some(vec![0; 10_000]), ..Given::default() };
    for codec in [Compression::Gzip, Compression::Snappy, Compression::Zstd] {
        let run = run(&batch(BatchBuilder::new().compression(codec), std::slice::from_ref(&given)));
        let next = |max| NativeBatches::new(run.bytes(), offset(0), max).next_batch(MAX, |_| 0.into());
        assert!(matches!(next(9_999), Err(RecordError::UnpackedTooLarge { max: 9_999, .. })));
        assert!(next(10_000).is_ok_and(|batch| batch.is_some()));
    }
}

#[test]
fn values_are_compressed_as_the_batch_was_where_that_helps() {
    for codec in Compression::ALL {
        let values = [Some(vec![7; 1000]), Some((0..=40).collect()), Some(vec![]), None];
        let given = values.map(|value| Given { value, ..Given::default() });
        let run = run(&batch(BatchBuilder::new().compression(codec), &given));
        let mut rest = run.bytes();
        for given in &given {
            let record = NativeRecord::checked(rest).expect("a record");
            rest = &rest[record.head().total_len()..];
            let len = given.value.as_ref().map_or(0, Vec::len);
            let expected = if len == 1000 { ValueCodec::of_batch(codec) } else { ValueCodec::None };
            assert_eq!(record.head().attributes().codec(), expected);
            assert_eq!(record.stored_value().len() < len, expected != ValueCodec::None);
        }
    }
}

#[test]
fn control_records_other_than_markers_are_refused() {
    let mut builder =
        BatchBuilder::new().producer(PRODUCER.0, PRODUCER.1, NO_SEQUENCE).transactional(true).control(true);
    builder.push(5, Some(&ControlRecordType::LeaderChange.to_key()), Some(&[0; 6]), &[]).expect("room");
    let batch = builder.build().expect("a batch");
    let error = NativeRun::of_batch(&batch, &HeaderLimits::default(), MAX).expect_err("no marker");
    assert!(matches!(error, RecordError::Native(NativeError::Marker)));
}

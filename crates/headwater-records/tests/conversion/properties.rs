//! Any record there and back.

use headwater_codec::{LeaderEpoch, Offset, ProducerEpoch, ProducerId};
use headwater_records::{
    BatchBuilder, Compression, TimestampType, check,
    native::{
        self, HeaderBlockBuilder, HeaderLimits, NativeBatches, NativeEntry, NativeError, NativeFields,
        NativeHead, NativeRecord, NativeRun, ReservedHeaders, ValueCodec,
    },
};
use proptest::{collection::vec, option, prelude::*, sample::Index};

use super::given::{Given, MAX, PRODUCER, batch, log, rebuilt, records, run};

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![4 => vec(any::<u8>(), 0..40), 1 => vec(0..4_u8, 0..5_000)]
}

fn name() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        vec(any::<u8>(), 0..20),
        Just(b"same".to_vec()),
        prop::sample::select(vec!["offset", "producer", "time", "append", "empty", "h.", "h.h.x", ""])
            .prop_map(|rest| format!("headwater.{rest}").into_bytes()),
    ]
}

fn given() -> impl Strategy<Value = Given> {
    let timestamp = prop_oneof![4 => 0..1_700_000_000_000_i64, 1 => Just(-1), 1 => any::<i64>()];
    (timestamp, option::of(bytes()), option::of(bytes()), vec((name(), option::of(bytes())), 0..5))
        .prop_map(|(timestamp, key, value, headers)| Given { timestamp, key, value, headers })
}

fn codec() -> impl Strategy<Value = Compression> {
    prop::sample::select(Compression::ALL.to_vec())
}

/// A native record as it may come from elsewhere.
fn native() -> impl Strategy<Value = Vec<u8>> {
    let headers = vec((vec(any::<u8>(), 1..20), bytes()), 0..4);
    let producer = option::of((0..=i64::MAX, any::<i16>()));
    (0..=i64::MAX, producer, bytes(), bytes(), prop::sample::select(ValueCodec::ALL.to_vec()), headers)
        .prop_map(|(timestamp_ms, producer, key, value, codec, headers)| {
            let mut block = HeaderBlockBuilder::new();
            headers.iter().for_each(|(name, value)| block.push(name, value).expect("short"));
            let fields = NativeFields {
                timestamp_ms,
                control: false,
                producer: producer.map(|(id, epoch)| (ProducerId::new(id), ProducerEpoch::new(epoch))),
                key: &key,
                codec,
                stored_value: &codec.pack(&value).expect("packed"),
            };
            let mut record = Vec::new();
            fields.write(block.block(), &mut record).expect("a record");
            record
        })
}

/// Makes both checksums of the record at the front fit, so that a changed one gets past them.
fn seal(log: &mut [u8]) {
    if let Err(NativeError::BadHeaderCrc { computed, .. }) = native::check(log) {
        let header_len = 13 + if log[8] & 8 == 0 { 0 } else { 10 } + if log[8] & 16 == 0 { 0 } else { 4 };
        log[8 + header_len..][..4].copy_from_slice(&computed.to_be_bytes());
    }
    if let Err(NativeError::BadPayloadCrc { computed, .. }) = native::check(log) {
        let len = NativeHead::parse(log).expect("its header is sound").total_len();
        log[len - 4..len].copy_from_slice(&computed.to_be_bytes());
    }
}

/// Makes batches of what was written by whomever, native records of those, and batches again: the records stay equal.
fn rebuild(log: &[u8]) {
    let limits = HeaderLimits { block_bytes_max: MAX, count_max: MAX, name_bytes_max: MAX };
    let mut batches = NativeBatches::new(log, Offset::ZERO, MAX);
    while let Ok(Some(batch)) = batches.next_batch(MAX, |_| LeaderEpoch::new(4)) {
        let run = NativeRun::of_batch(&batch, &limits, 2 * MAX).expect("it came from native records");
        let again = rebuilt(run.bytes(), batch.header().base_offset.get(), usize::MAX);
        let given = |batches: &[_]| records(batches).into_iter().map(|(_, given)| given).collect::<Vec<_>>();
        assert_eq!(given(&again), given(std::slice::from_ref(&batch)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn what_others_wrote_is_refused_or_kept(
        theirs in native(),
        ours in vec(given(), 1..4),
        first in any::<bool>(),
        changes in vec((any::<Index>(), any::<u8>()), 0..4),
    ) {
        let ours: Vec<u8> = log(&[super::given::idempotent(&ours, 3)]);
        let mut log = if first { [ours, theirs].concat() } else { [theirs, ours].concat() };
        for (at, byte) in changes {
            // Beyond the length, so that the record stays one.
            let at = 8 + at.index(log.len() - 8);
            log[at] = byte;
        }
        seal(&mut log);
        rebuild(&log);
    }

    #[test]
    fn a_kafka_record_is_equal_after_it_was_a_native_one(
        codec in codec(),
        producer in any::<bool>(),
        transactional in any::<bool>(),
        log_append_time in any::<bool>(),
        given in vec(given(), 1..12),
    ) {
        let mut builder = BatchBuilder::new().compression(codec);
        if producer || transactional {
            builder = builder.producer(PRODUCER.0, PRODUCER.1, PRODUCER.2).transactional(transactional);
        }
        let mut given_batch = batch(builder, &given);
        if log_append_time {
            given_batch.set_log_append_time(7);
        }
        let back = rebuilt(&log(std::slice::from_ref(&given_batch)), 0, MAX);
        // One batch becomes one again, the same but for its codec.
        prop_assert_eq!(back.len(), 1);
        prop_assert_eq!(back[0].producer(), given_batch.producer());
        let (attributes, expected) = (back[0].header().attributes, given_batch.header().attributes);
        prop_assert_eq!(attributes, expected.with_codec(Compression::None));
        prop_assert_eq!(back[0].max_timestamp(), given_batch.max_timestamp());
        prop_assert_eq!(back[0].max_timestamp_offset_delta(), given_batch.max_timestamp_offset_delta());
        prop_assert!(check(&back[0].to_bytes()).is_ok(), "its checksum is its own");
        let expected = given.into_iter().map(|given| {
            if log_append_time { Given { timestamp: 7, ..given } } else { given }
        });
        prop_assert_eq!(records(&back), (0..).zip(expected).collect::<Vec<_>>());
    }

    #[test]
    fn a_native_record_is_equal_after_it_was_a_kafka_one(native in native()) {
        let [batch] = &rebuilt(&native, 0, MAX)[..] else { panic!("one batch") };
        let limits = HeaderLimits { block_bytes_max: MAX, ..HeaderLimits::default() };
        let run = NativeRun::of_batch(batch, &limits, MAX).unwrap();
        let (before, after) = (NativeRecord::checked(&native).unwrap(), NativeRecord::checked(run.bytes()).unwrap());
        prop_assert_eq!(before.key(), after.key());
        prop_assert_eq!(before.value(MAX).unwrap(), after.value(MAX).unwrap());
        prop_assert_eq!(before.head().timestamp_ms(), after.head().timestamp_ms());
        prop_assert_eq!(before.head().producer(), after.head().producer());
        // A transaction's batch says its producer; nothing else was added.
        let added = usize::from(before.head().producer().is_some());
        prop_assert_eq!(ReservedHeaders::read(after.headers()).unwrap().producer.is_some(), added == 1);
        let own: Vec<_> = after.headers().iter().skip(added).collect();
        prop_assert_eq!(own, before.headers().iter().collect::<Vec<_>>());
    }

    #[test]
    fn a_log_learns_from_the_front_what_the_whole_record_says(codec in codec(), given in vec(given(), 1..6)) {
        let builder = BatchBuilder::new().compression(codec).producer(PRODUCER.0, PRODUCER.1, PRODUCER.2);
        let given_batch = batch(builder, &given);
        let run = run(&given_batch);
        prop_assert_eq!(run.record_count(), given.len());
        let mut start = 0;
        for (index, &end) in run.ends().iter().enumerate() {
            let mut bytes = Vec::new();
            let record = NativeRecord::checked(&run.bytes()[start..end]).unwrap();
            record.write_at(super::given::offset(1 << 40).into(), &mut bytes).unwrap();
            let entry = NativeEntry::parse(&bytes[..bytes.len().min(NativeEntry::LEN_MAX)]).unwrap();
            prop_assert_eq!(entry.head().total_len(), bytes.len());
            prop_assert_eq!(entry.offset().map(|offset| offset.get()), Some(1 << 40));
            prop_assert_eq!(entry.timestamp(), given[index].timestamp);
            let producer = entry.producer().map(|producer| producer.batch_producer());
            prop_assert_eq!(producer, given_batch.producer().filter(|_| index == 0));
            start = end;
        }
        prop_assert_eq!(start, run.bytes().len());
    }

    #[test]
    fn the_append_time_may_be_set_after_the_conversion(
        before in any::<bool>(),
        given in vec(given(), 1..6),
        now in 0..=i64::MAX,
    ) {
        let mut early = batch(BatchBuilder::new().producer(PRODUCER.0, PRODUCER.1, PRODUCER.2), &given);
        let mut late = run(&early);
        if before {
            early.set_log_append_time(5);
            late = run(&early);
        }
        late.set_log_append_time(now).unwrap();
        early.set_log_append_time(now);
        let expected = run(&early);
        prop_assert_eq!((late.bytes(), late.ends()), (expected.bytes(), expected.ends()));
        prop_assert_eq!(late.max_timestamp(), now);
        prop_assert_eq!(early.header().attributes.timestamp_type(), TimestampType::LogAppendTime);
    }

    #[test]
    fn batches_are_as_long_as_allowed_and_lose_nothing(given in vec(given(), 1..40), bytes_max in 0..4_000_usize) {
        let all: Vec<_> = given.chunks(3).map(super::given::plain).collect();
        let back = rebuilt(&log(&all), 10, bytes_max);
        for batch in &back {
            prop_assert!(batch.len() <= bytes_max || batch.record_count() == 1);
        }
        prop_assert_eq!(records(&back), (10..).zip(given).collect::<Vec<_>>());
    }
}

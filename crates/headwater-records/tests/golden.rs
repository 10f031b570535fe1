//! Batches that a real client made pass the door and read back as what it was given.

use bytes::Bytes;
use headwater_records::{Batch, BatchBuilder, Compression, ProduceRules, RecordView, validate};

const JAVA: &str = include_str!("golden/java-4.3.0.txt");
const BASE_TIMESTAMP: i64 = 1_700_000_000_000;

/// The batches of the Java client, each with its codec.
fn java_batches() -> Vec<(Compression, Bytes)> {
    let lines = JAVA.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let (name, hex) = line.split_once(' ').expect("a codec and a batch");
            let codec =
                Compression::ALL.into_iter().find(|codec| codec.name() == name).expect("a codec's name");
            let byte = |at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hex");
            (codec, (0..hex.len()).step_by(2).map(byte).collect())
        })
        .collect()
}

fn check_records(records: &[RecordView<'_>]) {
    let [first, second, third] = records else { panic!("{} records", records.len()) };
    assert_eq!((first.key, first.value), (Some(&b"k0"[..]), Some(&b"v0"[..])));
    let headers: Vec<_> = first.headers.collect();
    assert_eq!(headers, [(&b"h"[..], None), (b"h", Some(&[][..])), ("é".as_bytes(), Some(&[0xff]))]);
    assert_eq!((second.key, second.value, second.headers.len()), (None, Some(&[][..]), 0));
    assert_eq!((third.key, third.value, third.headers.len()), (Some(&[][..]), None, 0));
    let places: Vec<_> = records.iter().map(|r| (r.offset.get(), r.timestamp - BASE_TIMESTAMP)).collect();
    assert_eq!(places, [(0, 0), (1, 500), (2, 250)]);
}

#[test]
fn batches_of_the_java_client_pass_unchanged_and_read_back() {
    let rules = ProduceRules { transactional_allowed: true, ..ProduceRules::new(BASE_TIMESTAMP) };
    let batches = java_batches();
    assert_eq!(batches.len(), Compression::ALL.len());
    for (codec, bytes) in batches {
        let validated = validate(bytes.clone(), &rules).expect("a sound batch");
        assert_eq!(validated.to_bytes(), bytes);
        assert_eq!(validated.header().attributes.codec(), Some(codec));
        assert_eq!(
            (validated.max_timestamp() - BASE_TIMESTAMP, validated.max_timestamp_offset_delta()),
            (500, 1)
        );
        let producer = validated.producer().expect("a producer");
        assert_eq!((producer.id.get(), producer.epoch.get()), (7, 3));
        assert_eq!((producer.base_sequence, producer.last_sequence), (i32::MAX - 1, 0));
        let batch = Batch::parse(&bytes).expect("a batch");
        let records = batch.records(1 << 16).expect("records");
        check_records(&records.iter().collect::<Result<Vec<_>, _>>().expect("sound records"));
    }
}

#[test]
fn what_is_built_is_what_the_java_client_builds() {
    for (codec, bytes) in java_batches() {
        // Encoders differ between libraries; without one the bytes are the same.
        if codec != Compression::None {
            continue;
        }
        let given = Batch::parse(&bytes).expect("a batch");
        let header = given.header();
        let mut builder = BatchBuilder::new()
            .producer(header.producer_id, header.producer_epoch, header.base_sequence)
            .transactional(true);
        for record in given.records(1 << 16).expect("records").iter() {
            let record = record.expect("a sound record");
            let headers: Vec<_> = record.headers.collect();
            builder.push(record.timestamp, record.key, record.value, &headers).expect("room");
        }
        assert_eq!(builder.build().expect("a batch").to_bytes(), bytes);
    }
}

//! Replay of what Apache Kafka wrote, and what our own checkpoints keep of it.

use std::{collections::BTreeSet, path::Path, sync::Arc};

use bytes::Bytes;
use headwater_codec::{BrokerId, Offset, PartitionIndex, records::MetadataLogRecord};
use headwater_records::Batches;
use uuid::Uuid;

use super::{
    batch::{LogRecord, data_batch, read_batch},
    checkpoint::{CheckpointId, CheckpointWriter, read_checkpoint},
    control::ControlRecord,
    error::CorruptMetadata,
    image::MetadataImage,
    kafka_uuid::uuid_from_text,
    node::Endpoint,
    replay::Replay,
};
use crate::ConfigResource;

const LOG: &[u8] = include_bytes!("../../tests/golden/kafka-4.3.0/00000000000000000000.log");
const CHECKPOINT: &[u8] =
    include_bytes!("../../tests/golden/kafka-4.3.0/00000000000000000122-0000000003.checkpoint");
const LOG_AT_3_9: &[u8] = include_bytes!("../../tests/golden/kafka-4.3.0-level-3.9/00000000000000000000.log");

fn empty() -> MetadataImage {
    MetadataImage { node: BrokerId::new(1), ..MetadataImage::default() }
}

/// Replays the records of `log` whose offsets are in the range.
fn replay_log(image: MetadataImage, log: &[u8], from: i64, to: i64) -> MetadataImage {
    let mut replay = Replay::new(image);
    for batch in Batches::new(log) {
        let batch = batch.unwrap();
        batch.check_crc().unwrap();
        read_batch(Path::new("log"), &batch, |offset, record| {
            if let LogRecord::Metadata(record) = record
                && (from..to).contains(&offset.get())
            {
                replay.record(*record).unwrap();
            }
            Ok(())
        })
        .unwrap();
    }
    assert!(!replay.in_transaction());
    replay.image
}

fn replay_checkpoint(bytes: &[u8]) -> MetadataImage {
    let mut replay = Replay::new(empty());
    read_checkpoint(Path::new("checkpoint"), bytes, |_, record| {
        if let LogRecord::Metadata(record) = record {
            replay.record(*record).unwrap();
        }
        Ok(())
    })
    .unwrap();
    replay.image
}

fn write_checkpoint(image: &MetadataImage) -> Vec<u8> {
    let quorum = vec![
        ControlRecord::kraft_version().unwrap(),
        ControlRecord::voters(
            image.node,
            Uuid::from_u128(5),
            &Endpoint::plaintext("CONTROLLER", "localhost", 9093),
        )
        .unwrap(),
    ];
    let mut writer =
        CheckpointWriter::new(CheckpointId { end_offset: 9, epoch: 2 }, 1_000, 900, quorum).unwrap();
    writer.image(image).unwrap();
    writer.finish().unwrap().to_vec()
}

/// What an image's records say, version by version, without regard to their order.
fn record_values(image: &MetadataImage) -> BTreeSet<Bytes> {
    let mut values = BTreeSet::new();
    image
        .for_each_record::<()>(|(record, version)| {
            values.insert(record.encode(version).unwrap());
            Ok(())
        })
        .unwrap();
    values
}

/// Kafka lists a broker's features in the order of a hash table, differently in the log and in a snapshot.
fn sort_features(mut image: MetadataImage) -> MetadataImage {
    for broker in Arc::make_mut(&mut image.brokers).values_mut() {
        broker.features.sort_by(|a, b| a.name.cmp(&b.name));
    }
    image
}

#[test]
fn replays_the_log_of_apache_kafka() {
    let image = replay_log(empty(), LOG, 0, i64::MAX);
    let names: Vec<&str> = image.topics().map(|topic| topic.name.as_str()).collect();
    assert_eq!(names, ["__consumer_offsets", "alpha", "gamma"]);
    let alpha = image.topic("alpha").unwrap();
    assert_eq!(alpha.id, uuid_from_text("bP36sOdoSUuwk68b-CL8Sg").unwrap());
    assert_eq!(alpha.configs.iter().collect::<Vec<_>>(), [(&"max.message.bytes".into(), &"2000000".into())]);
    assert_eq!(alpha.partition_count(), 3);
    let partition = alpha.partition(PartitionIndex::new(2)).unwrap();
    // Three starts: born in the first with epoch 0, then a stop and a start each raise it, and the last stop.
    assert_eq!((partition.leader_epoch.get(), partition.partition_epoch), (5, 5));
    assert_eq!(partition.leader, None);
    assert_eq!(partition.directory, uuid_from_text("_nQ-D7I2S_mce-n2ubgj7A").unwrap());
    assert_eq!(image.topic_by_id(alpha.id).unwrap(), alpha);
    assert_eq!(image.topic("beta"), None);

    let features: Vec<_> = image.features().collect();
    assert_eq!(features, [("group.version", 1), ("metadata.version", 25), ("transaction.version", 2)]);
    assert_eq!(image.next_producer_id(), 1000);
    assert_eq!(image.broker_epoch(), 109);
    let config =
        |resource: &ConfigResource, name| Some(image.configs(resource)?.get(name)?.as_str().to_owned());
    assert_eq!(config(&ConfigResource::Broker(None), "log.retention.ms").as_deref(), Some("99999999"));
    assert_eq!(config(&ConfigResource::Broker(Some(1)), "log.cleaner.threads").as_deref(), Some("2"));
    assert_eq!(
        config(&ConfigResource::Group("gg".into()), "consumer.session.timeout.ms").as_deref(),
        Some("50000")
    );
    assert_eq!(config(&ConfigResource::ClientMetrics("cm".into()), "interval.ms").as_deref(), Some("10000"));
    assert_eq!(image.kept.scram.len(), 1);
    assert_eq!(image.kept.quotas.len(), 1);
}

#[test]
fn snapshot_of_apache_kafka_and_the_rest_of_its_log_give_what_the_whole_log_gives() {
    let whole = replay_log(empty(), LOG, 0, i64::MAX);
    let mut resumed = replay_log(replay_checkpoint(CHECKPOINT), LOG, 122, i64::MAX);
    resumed.leader_epoch_floor = whole.leader_epoch_floor;
    assert!(sort_features(resumed) == sort_features(whole));
}

#[test]
fn our_snapshot_holds_the_records_that_apache_kafka_puts_into_its_own() {
    let at_122 = sort_features(replay_log(empty(), LOG, 0, 122));
    let mut theirs = BTreeSet::new();
    read_checkpoint(Path::new("checkpoint"), CHECKPOINT, |_, record| {
        if let LogRecord::Metadata(record) = record {
            let (record, version) = match *record {
                MetadataLogRecord::RegisterBroker(mut broker) => {
                    broker.features.sort_by(|a, b| a.name.cmp(&b.name));
                    (MetadataLogRecord::RegisterBroker(broker), 3)
                }
                MetadataLogRecord::Partition(partition) => (MetadataLogRecord::Partition(partition), 2),
                record => (record, 0),
            };
            theirs.insert(record.encode(version).unwrap());
        }
        Ok(())
    })
    .unwrap();
    assert!(record_values(&at_122) == theirs);
}

#[test]
fn our_snapshot_reads_back_whole() {
    for log in [LOG, LOG_AT_3_9] {
        let mut image = replay_log(empty(), log, 0, i64::MAX);
        image.leader_epoch_floor = 0;
        assert!(replay_checkpoint(&write_checkpoint(&image)) == image);
    }
}

#[test]
fn directory_of_an_older_level_keeps_its_record_versions() {
    let image = replay_log(empty(), LOG_AT_3_9, 0, i64::MAX);
    assert_eq!(image.metadata_version().0, 21);
    let mut versions = BTreeSet::new();
    let _done = image.for_each_record::<()>(|(record, version)| {
        if matches!(record, MetadataLogRecord::Partition(_)) {
            versions.insert(version);
        }
        Ok(())
    });
    assert_eq!(versions, BTreeSet::from([1]));
}

#[test]
fn snapshot_that_is_cut_or_damaged_anywhere_is_refused() {
    let image = replay_log(empty(), LOG_AT_3_9, 0, i64::MAX);
    let whole = write_checkpoint(&image);
    let read = |bytes: &[u8]| read_checkpoint(Path::new("checkpoint"), bytes, |_, _| Ok(()));
    assert_eq!(read(&whole).unwrap(), 900);
    for len in 0..whole.len() {
        assert!(read(&whole[..len]).is_err(), "cut to {len} bytes");
    }
    for place in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[place] ^= 0x10;
        // Neither base offset nor leader epoch of a batch is under its checksum, and nothing depends on them here.
        if read(&damaged).is_ok() {
            let in_batch = place - batch_start(&whole, place);
            assert!(in_batch < 8 || (12..16).contains(&in_batch), "damage at {place} went unseen");
        }
    }
}

fn batch_start(bytes: &[u8], place: usize) -> usize {
    let mut start = 0;
    for batch in Batches::new(bytes) {
        let len = batch.unwrap().bytes().len();
        if place < start + len {
            break;
        }
        start += len;
    }
    start
}

#[test]
fn records_of_an_aborted_transaction_have_no_effect() {
    use headwater_codec::records::{
        AbortTransactionRecord, BeginTransactionRecord, EndTransactionRecord, TopicRecord,
    };
    let topic = |name: &str, id| {
        MetadataLogRecord::from(TopicRecord {
            name: name.into(),
            topic_id: Uuid::from_u128(id),
            ..Default::default()
        })
    };
    let mut replay = Replay::new(empty());
    replay.record(BeginTransactionRecord::default().into()).unwrap();
    replay.record(topic("void", 1)).unwrap();
    assert!(replay.in_transaction());
    replay.record(AbortTransactionRecord::default().into()).unwrap();
    assert_eq!(replay.image.topic("void"), None);
    replay.record(BeginTransactionRecord::default().into()).unwrap();
    replay.record(topic("kept", 2)).unwrap();
    assert_eq!(replay.image.topic("kept"), None);
    replay.record(EndTransactionRecord::default().into()).unwrap();
    assert!(replay.image.topic("kept").is_some());
}

#[test]
fn records_that_do_not_fit_the_image_are_errors() {
    use headwater_codec::records::{PartitionChangeRecord, PartitionRecord, TopicRecord};
    let id = Uuid::from_u128(1);
    let mut image = empty();
    let orphan = PartitionRecord { topic_id: id, partition_id: 0, ..Default::default() };
    assert!(matches!(image.apply(orphan.into()), Err(CorruptMetadata::UnknownTopic(_))));
    image.apply(TopicRecord { name: "t".into(), topic_id: id, ..Default::default() }.into()).unwrap();
    for partition_id in [-1, 1, i32::MAX] {
        let hole = PartitionRecord { topic_id: id, partition_id, ..Default::default() };
        assert!(matches!(image.apply(hole.into()), Err(CorruptMetadata::UnknownPartition(..))));
        let change = PartitionChangeRecord { topic_id: id, partition_id, ..Default::default() };
        assert!(matches!(image.apply(change.into()), Err(CorruptMetadata::UnknownPartition(..))));
    }
}

#[test]
fn new_topics_start_above_every_epoch_of_deleted_ones() {
    let image = replay_log(empty(), LOG, 0, i64::MAX);
    let mut deleted = image.clone();
    let alpha = deleted.topic("alpha").unwrap().id;
    let record = headwater_codec::records::RemoveTopicRecord { topic_id: alpha, ..Default::default() };
    deleted.apply(record.into()).unwrap();
    assert_eq!(deleted.leader_epoch_floor, 6);
}

#[test]
fn batches_bear_epoch_and_offset() {
    let image = replay_log(empty(), LOG_AT_3_9, 0, i64::MAX);
    let mut records = Vec::new();
    image
        .for_each_record::<()>(|record| {
            records.push(record);
            Ok(())
        })
        .unwrap();
    let batch = data_batch(Offset::new(70).unwrap(), 12, 5_000, &records).unwrap();
    assert_eq!(batch.header().base_offset.get(), 70);
    assert_eq!(batch.header().leader_epoch.get(), 12);
    assert_eq!(batch.max_timestamp(), 5_000);
}

#[test]
fn no_changed_byte_of_a_record_makes_replay_panic() {
    let whole = replay_log(empty(), LOG, 0, i64::MAX);
    let (mut applied, mut refused) = (0, 0);
    for value in record_values(&whole) {
        for place in 0..value.len() {
            for flip in [0x01, 0x10, 0x80, 0xff] {
                let mut changed = value.to_vec();
                changed[place] ^= flip;
                let Ok(record) = MetadataLogRecord::decode(Bytes::from(changed)) else {
                    refused += 1;
                    continue;
                };
                let mut image = whole.clone();
                match image.apply(record) {
                    Ok(()) => applied += 1,
                    Err(_) => refused += 1,
                }
            }
        }
    }
    assert!(applied > 1000 && refused > 1000, "{applied} applied, {refused} refused");
}

use bytes::Bytes;
use headwater_codec::{LeaderEpoch, ProducerEpoch, ProducerId};

use super::*;
use crate::{
    Attributes, BatchBuilder, check,
    testing::{NOW_MS, batch_at, hex, record, resealed, rules, sealed},
};

/// Validates and expects an error that matches.
macro_rules! refused {
    ($records:expr, $rules:expr, $pattern:pat $(if $guard:expr)?) => {
        match validate($records.into(), &$rules) {
            Err($pattern) $(if $guard)? => {}
            Err(error) => panic!("refused for another reason: {error:?}"),
            Ok(batch) => panic!("accepted: {batch:?}"),
        }
    };
}

fn accepted(records: impl Into<Bytes>, rules: &ProduceRules) -> ValidatedBatch {
    let batch = validate(records.into(), rules).unwrap();
    assert_eq!(check(&batch.to_bytes()).unwrap(), *batch.header(), "what comes out is sound");
    batch
}

fn plain_record() -> Vec<u8> {
    record(&hex("00 00 00 02 6b 02 76 00"))
}

#[test]
fn a_good_batch_passes_as_it_came() {
    for codec in Compression::ALL {
        let bytes = Bytes::from(batch_at(codec, &[NOW_MS, NOW_MS + 5, NOW_MS - 5]));
        let mut batch = accepted(bytes.clone(), &rules());
        assert_eq!(batch.to_bytes(), bytes);
        assert_eq!(batch.records().as_ptr(), bytes[61..].as_ptr(), "the records are not copied");
        assert_eq!(batch.record_count(), 3);
        assert_eq!((batch.max_timestamp(), batch.max_timestamp_offset_delta()), (NOW_MS + 5, 1));
        assert_eq!((batch.producer(), batch.log_append_time_ms()), (None, None));
        assert_eq!(
            batch.unpacked_len(),
            batch_at(Compression::None, &[NOW_MS, NOW_MS + 5, NOW_MS - 5]).len() - 61
        );
        batch.assign(Offset::new(900).unwrap(), LeaderEpoch::new(7));
        let header = check(&batch.to_bytes()).unwrap();
        assert_eq!((header.base_offset.get(), header.leader_epoch.get()), (900, 7));
    }
}

#[test]
fn headers_with_nulls_and_without_text_pass() {
    // The bytes of cases C06 and C07.
    for case in [
        "000000000000000000000040ffffffff02689680cb0000000000000000018bcfe568000000018bcfe56800ffffffffffff\
         ffffffffffffffff000000011c000000026b027604026e01026500",
        "000000000000000000000040ffffffff0213c9d0900000000000000000018bcfe568000000018bcfe56800ffffffffffff\
         ffffffffffffffff000000011c000000026b02760204fffe04c328",
    ] {
        assert_eq!(accepted(hex(case), &rules()).to_bytes()[..], hex(case));
    }
}

#[test]
fn exactly_one_whole_batch_is_wanted() {
    let one = batch_at(Compression::None, &[NOW_MS]);
    refused!(Bytes::new(), rules(), RecordError::NoBatch { bytes: 0 });
    for have in [1, 16, 17, 60, 61, one.len() - 1] {
        refused!(one[..have].to_vec(), rules(), RecordError::NoBatch { bytes } if bytes == have);
    }
    refused!([one.clone(), one.clone()].concat(), rules(), RecordError::BytesAfterBatch { bytes } if bytes == one.len());
    refused!([one.clone(), vec![0]].concat(), rules(), RecordError::BytesAfterBatch { bytes: 1 });
}

#[test]
fn old_and_unknown_formats_are_refused() {
    let mut bytes = batch_at(Compression::None, &[NOW_MS]);
    for magic in [0, 1] {
        bytes[16] = magic;
        refused!(bytes.clone(), rules(), RecordError::Batch(BatchError::OldMagic { .. }));
    }
    bytes[16] = 3;
    refused!(bytes, rules(), RecordError::Batch(BatchError::UnknownMagic { magic: 3 }));
}

#[test]
fn the_size_limit_is_on_the_batch_as_it_came() {
    let mut builder = BatchBuilder::new().compression(Compression::Gzip);
    builder.push(NOW_MS, None, Some(&[b'a'; 5000]), &[]).unwrap();
    let bytes = builder.build().unwrap().to_bytes();
    assert!(bytes.len() < 2000);
    let at = |max_message_bytes| ProduceRules { max_message_bytes, ..rules() };
    accepted(bytes.clone(), &at(2000));
    accepted(bytes.clone(), &at(bytes.len()));
    refused!(bytes.clone(), at(bytes.len() - 1), RecordError::TooLarge { bytes: found, max } if found == max + 1);
}

#[test]
fn a_wrong_checksum_is_corrupt_and_size_is_judged_before() {
    let mut bytes = batch_at(Compression::None, &[NOW_MS]);
    *bytes.last_mut().unwrap() ^= 1;
    refused!(bytes.clone(), rules(), RecordError::Batch(BatchError::BadCrc { .. }));
    refused!(bytes, ProduceRules { max_message_bytes: 50, ..rules() }, RecordError::TooLarge { .. });
}

#[test]
fn count_and_last_offset_delta_agree() {
    // The bytes of case C14: one record, with count 2, and with last offset delta 5.
    for case in [
        "00000000000000000000003affffffff02b18d77c60000000000000000018bcfe568000000018bcfe56800ffffffffffff\
         ffffffffffffffff0000000210000000026b027600",
        "00000000000000000000003affffffff020d624fea0000000000050000018bcfe568000000018bcfe56800ffffffffffff\
         ffffffffffffffff0000000110000000026b027600",
    ] {
        refused!(hex(case), rules(), RecordError::Count { .. });
    }
    for count in [0, -1, i32::MIN, i32::MAX] {
        let bytes = sealed(|header| header.record_count = count, &plain_record());
        refused!(bytes, rules(), RecordError::Count { .. });
    }
    let bytes = resealed({
        let mut bytes = batch_at(Compression::None, &[NOW_MS]);
        bytes[23..27].copy_from_slice(&(-1_i32).to_be_bytes());
        bytes
    });
    refused!(bytes, rules(), RecordError::Batch(BatchError::BadOffsets { .. }));
}

#[test]
fn the_count_is_that_of_the_records() {
    for codec in Compression::ALL {
        let with = |count: i32, records: &[Vec<u8>]| {
            let edit = |header: &mut BatchHeader| {
                header.attributes = header.attributes.with_codec(codec);
                header.record_count = count;
                header.last_offset_delta = count - 1;
            };
            sealed(edit, &codec.pack(&records.concat()).unwrap())
        };
        let (first, second) = (plain_record(), record(&hex("00 00 02 02 6b 02 76 00")));
        accepted(with(2, &[first.clone(), second.clone()]), &rules());
        refused!(
            with(2, std::slice::from_ref(&first)),
            rules(),
            RecordError::Malformed { index: 1, reason: Malformed::Truncated }
        );
        refused!(with(1, &[first.clone(), second]), rules(), RecordError::BytesAfterRecords { count: 1 });
        refused!(with(1, &[first, vec![0]]), rules(), RecordError::BytesAfterRecords { count: 1 });
    }
}

#[test]
fn offset_deltas_count_up_from_zero() {
    for (delta, found) in [("02", 1), ("01", -1)] {
        let bytes = sealed(|_| {}, &record(&hex(&format!("00 00 {delta} 02 6b 02 76 00"))));
        refused!(bytes, rules(), RecordError::Malformed {
            index: 0,
            reason: Malformed::OffsetDelta { expected: 0, found: f },
        } if f == found);
    }
    let twice = [plain_record(), plain_record()].concat();
    let bytes = sealed(|header| (header.record_count, header.last_offset_delta) = (2, 1), &twice);
    refused!(bytes, rules(), RecordError::Malformed { index: 1, reason: Malformed::OffsetDelta { .. } });
}

#[test]
fn the_producer_chooses_no_offset() {
    let bytes = sealed(|header| header.base_offset = Offset::new(3).unwrap(), &plain_record());
    refused!(bytes, rules(), RecordError::BaseOffsetNotZero { base_offset } if base_offset.get() == 3);
}

#[test]
fn control_batches_are_the_brokers() {
    // The bytes of case C16: transactional and control, producer 7, epoch 0.
    let bytes = hex(
        "000000000000000000000042ffffffff020f98c3d80030000000000000018bcfe568000000018bcfe568000000000000000007\
                     000000000000000000012000000008000000010c00000000000000",
    );
    refused!(bytes.clone(), rules(), RecordError::ControlBatch);
    refused!(bytes, ProduceRules { transactional_allowed: true, ..rules() }, RecordError::ControlBatch);
}

#[test]
fn the_delete_horizon_is_compactions() {
    let bytes =
        sealed(|header| header.attributes = Attributes::default().with_delete_horizon(true), &plain_record());
    refused!(bytes, rules(), RecordError::DeleteHorizon);
}

#[test]
fn attribute_bits_without_a_meaning_pass() {
    let bytes = sealed(|header| header.attributes = Attributes::from_bits(0x7f80), &plain_record());
    assert_eq!(accepted(bytes.clone(), &rules()).to_bytes(), bytes);
}

#[test]
fn producer_fields_go_together() {
    let with = |id: i64, epoch: i16, sequence: i32, transactional: bool| {
        let edit = |header: &mut BatchHeader| {
            header.producer_id = ProducerId::new(id);
            header.producer_epoch = ProducerEpoch::new(epoch);
            header.base_sequence = sequence;
            header.attributes = header.attributes.with_transactional(transactional);
        };
        sealed(edit, &plain_record())
    };
    let allowing = ProduceRules { transactional_allowed: true, ..rules() };
    refused!(with(7, 0, -1, false), rules(), RecordError::Producer { .. });
    refused!(with(7, -1, 0, false), rules(), RecordError::Producer { .. });
    refused!(with(-1, -1, -1, true), allowing, RecordError::Producer { .. });
    refused!(with(7, 0, 0, true), rules(), RecordError::Transactional);
    assert!(accepted(with(7, 0, 0, true), &allowing).header().attributes.is_transactional());
    let producer = accepted(with(7, 3, i32::MAX, false), &rules()).producer().unwrap();
    assert_eq!((producer.id.get(), producer.epoch.get()), (7, 3));
    assert_eq!((producer.base_sequence, producer.last_sequence), (i32::MAX, i32::MAX));
    assert_eq!(accepted(with(-1, 0, 0, false), &rules()).producer(), None);
}

#[test]
fn timestamps_keep_within_the_bounds_and_each_fault_is_told() {
    let bounded = ProduceRules { before_max_ms: 100, after_max_ms: 10, ..rules() };
    for codec in Compression::ALL {
        accepted(batch_at(codec, &[NOW_MS - 100, NOW_MS + 10, -1]), &bounded);
        let bytes = batch_at(codec, &[NOW_MS, NOW_MS - 101, NOW_MS + 10, NOW_MS + 11]);
        let Err(RecordError::Refused { faults }) = validate(bytes.into(), &bounded) else {
            panic!("not refused")
        };
        let told: Vec<_> = faults.iter().map(|fault| (fault.index, fault.kind)).collect();
        let kind =
            |timestamp| RecordFaultKind::Timestamp { timestamp, earliest: NOW_MS - 100, latest: NOW_MS + 10 };
        assert_eq!(told, [(1, kind(NOW_MS - 101)), (3, kind(NOW_MS + 11))]);
    }
}

#[test]
fn by_default_old_times_pass_and_far_future_ones_do_not() {
    accepted(batch_at(Compression::None, &[0, 1, i64::MIN, -2]), &rules());
    accepted(batch_at(Compression::None, &[NOW_MS + 3_600_000]), &rules());
    refused!(batch_at(Compression::None, &[NOW_MS + 3_600_001]), rules(), RecordError::Refused { .. });
    let unbounded = ProduceRules { after_max_ms: i64::MAX, ..rules() };
    accepted(batch_at(Compression::None, &[i64::MAX]), &unbounded);
}

#[test]
fn a_timestamp_beyond_64_bits_is_malformed() {
    let edit = |header: &mut BatchHeader| header.base_timestamp = i64::MAX;
    let bytes = sealed(edit, &record(&hex("00 02 00 02 6b 02 76 00")));
    refused!(bytes, rules(), RecordError::Malformed { index: 0, reason: Malformed::Timestamp });
}

#[test]
fn a_compacted_topic_wants_keys_and_takes_empty_ones() {
    let keyed = ProduceRules { key_required: true, ..rules() };
    for codec in Compression::ALL {
        let with = |keys: &[Option<&[u8]>]| {
            let mut builder = BatchBuilder::new().compression(codec);
            for key in keys {
                builder.push(NOW_MS, *key, None, &[]).unwrap();
            }
            builder.build().unwrap().to_bytes()
        };
        accepted(with(&[Some(b"k"), Some(b"")]), &keyed);
        accepted(with(&[None]), &rules());
        let result = validate(with(&[Some(b"k"), None, Some(b""), None]), &keyed);
        let Err(RecordError::Refused { faults }) = result else { panic!("not refused") };
        assert_eq!(faults.iter().map(|fault| fault.index).collect::<Vec<_>>(), [1, 3]);
        assert_eq!((faults.len(), faults.first().kind), (2, RecordFaultKind::MissingKey));
    }
}

#[test]
fn faults_are_counted_beyond_those_that_are_kept() {
    let bounded = ProduceRules { after_max_ms: 0, ..rules() };
    let Err(error) = validate(batch_at(Compression::None, &[NOW_MS + 1; 250]).into(), &bounded) else {
        panic!()
    };
    assert!(
        error.to_string().starts_with("250 records are refused; the first is record 0: timestamp "),
        "{error}"
    );
    let RecordError::Refused { faults } = error else { panic!("{error}") };
    assert_eq!((faults.len(), faults.iter().count()), (250, RecordFaults::KEPT));
}

#[test]
fn a_wrong_max_timestamp_is_corrected() {
    for codec in Compression::ALL {
        let right = batch_at(codec, &[NOW_MS, NOW_MS + 5, NOW_MS - 5]);
        for wrong in [-1, 0, NOW_MS, NOW_MS + 6, i64::MAX] {
            let mut bytes = right.clone();
            bytes[35..43].copy_from_slice(&wrong.to_be_bytes());
            let batch = accepted(resealed(bytes), &rules());
            assert_eq!(batch.to_bytes()[..], right);
        }
    }
    let batch = accepted(sealed(|header| header.base_timestamp = -1, &plain_record()), &rules());
    assert_eq!((batch.max_timestamp(), batch.max_timestamp_offset_delta()), (-1, 0));
}

#[test]
fn log_append_time_is_the_brokers_and_binds_no_record() {
    let appending =
        ProduceRules { timestamp_type: TimestampType::LogAppendTime, before_max_ms: 0, ..rules() };
    for codec in Compression::ALL {
        let batch = accepted(batch_at(codec, &[0, NOW_MS + 864_000_000]), &appending);
        assert_eq!(batch.header().attributes.timestamp_type(), TimestampType::LogAppendTime);
        assert_eq!(batch.header().attributes.codec(), Some(codec));
        assert_eq!((batch.log_append_time_ms(), batch.max_timestamp_offset_delta()), (Some(NOW_MS), 0));
        let bytes = batch.to_bytes();
        let records = Batch::parse(&bytes).unwrap().records(1000).unwrap();
        assert!(records.iter().all(|record| record.unwrap().timestamp == NOW_MS));
    }
}

#[test]
fn a_producer_does_not_set_the_timestamp_type() {
    let bytes = sealed(
        |header| header.attributes = Attributes::default().with_timestamp_type(TimestampType::LogAppendTime),
        &plain_record(),
    );
    for timestamp_type in [TimestampType::CreateTime, TimestampType::LogAppendTime] {
        let rules = ProduceRules { timestamp_type, ..rules() };
        refused!(bytes.clone(), rules, RecordError::TimestampType { .. });
    }
}

#[test]
fn codecs_are_those_that_exist_and_the_version_knows() {
    let old = ProduceRules { zstd_allowed: false, ..rules() };
    refused!(
        batch_at(Compression::Zstd, &[NOW_MS]),
        old,
        RecordError::CodecNotAllowed { codec: Compression::Zstd }
    );
    accepted(batch_at(Compression::Lz4, &[NOW_MS]), &old);
    for id in 5..8 {
        let bytes = sealed(|header| header.attributes = Attributes::from_bits(id), &plain_record());
        refused!(bytes, rules(), RecordError::UnknownCodec { id: found } if i16::from(found) == id);
    }
}

#[test]
fn data_that_does_not_unpack_is_refused() {
    for codec in &Compression::ALL[1..] {
        let bytes =
            sealed(|header| header.attributes = header.attributes.with_codec(*codec), &plain_record());
        refused!(bytes, rules(), RecordError::Unpack { .. } | RecordError::Malformed { .. });
    }
}

#[test]
fn unpacked_bytes_are_bounded_by_the_batch() {
    for codec in &Compression::ALL[1..] {
        let mut builder = BatchBuilder::new().compression(*codec);
        for _ in 0..100 {
            builder.push(NOW_MS, None, Some(&[0; 1000]), &[]).unwrap();
        }
        let unpacked_len = builder.records_len();
        let bytes = builder.build().unwrap().to_bytes();
        let at = |max_decompressed_bytes| ProduceRules { max_decompressed_bytes, ..rules() };
        assert_eq!(accepted(bytes.clone(), &at(unpacked_len)).unpacked_len(), unpacked_len);
        refused!(bytes, at(unpacked_len - 1), RecordError::UnpackedTooLarge { .. });
    }
    accepted(batch_at(Compression::None, &[NOW_MS]), &ProduceRules { max_decompressed_bytes: 1, ..rules() });
}

#[test]
fn structure_is_judged_before_the_topics_rules() {
    let keyed = ProduceRules { key_required: true, ..rules() };
    let records = [record(&hex("00 00 00 01 01 00")), vec![0x7f]].concat();
    let bytes = sealed(|header| (header.record_count, header.last_offset_delta) = (2, 1), &records);
    refused!(bytes, keyed, RecordError::Malformed { index: 1, .. });
}

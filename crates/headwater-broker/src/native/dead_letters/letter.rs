//! A dead letter: the record that could not be processed, in its envelope.

use bytes::{Bytes, BytesMut};
use headwater_codec::{GroupId, Offset, TopicName};
use headwater_native::{DeadLetter, PartitionId, limits};
use headwater_records::{BatchBuilder, Compression, RecordError, TimestampType, ValidatedBatch};
use headwater_storage::LogConfig;

/// A record as it stands in a log: null and empty are different.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(in crate::native) struct StoredRecord {
    pub(in crate::native) timestamp: i64,
    pub(in crate::native) key: Option<Bytes>,
    pub(in crate::native) value: Option<Bytes>,
    pub(in crate::native) headers: Vec<(Bytes, Option<Bytes>)>,
}

/// Why a record failed.
#[derive(Clone, Debug)]
pub(in crate::native) struct Cause {
    pub(in crate::native) topic: TopicName,
    pub(in crate::native) partition: PartitionId,
    pub(in crate::native) offset: Offset,
    pub(in crate::native) group: GroupId,
    pub(in crate::native) attempts: u16,
    pub(in crate::native) reason: Bytes,
}

/// The envelope of a record that failed.
///
/// A record that is itself a dead letter of this very topic was put back into it: it keeps its first place and its own value, so
/// that envelopes do not pile up however often it fails. The reason is cut when the whole is readable for clients of the original
/// protocol only without its end.
pub(super) fn envelope(record: &StoredRecord, cause: &Cause) -> DeadLetter {
    let value = record.value.clone().unwrap_or_default();
    let before = put_back(&value, &cause.topic);
    let anew = |value| DeadLetter {
        topic: cause.topic.clone(),
        partition: cause.partition,
        offset: cause.offset,
        timestamp: record.timestamp.max(0),
        group: cause.group.clone(),
        attempts: cause.attempts,
        reason: cause.reason.clone(),
        value,
    };
    let mut letter = match before {
        None => anew(value),
        Some(before) => {
            let DeadLetter { partition, offset, timestamp, value, .. } = before;
            DeadLetter { partition, offset, timestamp, ..anew(value) }
        }
    };
    let over = (letter.overhead() + letter.value.len()).saturating_sub(limits::STRING_BYTES_MAX);
    // Where the value alone is too large, cutting helps nobody.
    if let Some(kept) = letter.reason.len().checked_sub(over) {
        letter.reason.truncate(whole_characters(&letter.reason, kept));
    }
    letter
}

/// At most `length` bytes of a text, so that its last character is whole.
fn whole_characters(text: &[u8], length: usize) -> usize {
    let begins = |at: &usize| text.get(*at).is_none_or(|byte| byte & 0b1100_0000 != 0b1000_0000);
    (length.saturating_sub(3)..=length).rev().find(begins).unwrap_or(length)
}

/// The envelope in a value, when the whole value is one and it names this topic.
fn put_back(value: &Bytes, topic: &TopicName) -> Option<DeadLetter> {
    let letter = DeadLetter::decode(value.clone()).ok().filter(|letter| letter.topic == *topic)?;
    let mut again = BytesMut::with_capacity(value.len());
    letter.encode(&mut again).ok()?;
    (again == *value).then_some(letter)
}

/// The batch that holds the dead letter, in a topic with these configs. When it is too large for the topic the reason is
/// left out, then it is compressed.
///
/// `None` when it does not fit even so, or when the topic takes no record without a key and this one has none.
pub(super) fn batch(
    record: &StoredRecord,
    letter: &DeadLetter,
    config: &LogConfig,
    now_ms: i64,
) -> Result<Option<ValidatedBatch>, RecordError> {
    if config.cleanup_compact && record.key.is_none() {
        return Ok(None);
    }
    let short = DeadLetter { reason: Bytes::new(), ..letter.clone() };
    let codec = config.compression.unwrap_or_default();
    let smallest = if config.compression.is_none() { Compression::Zstd } else { codec };
    for (letter, codec) in [(letter, codec), (&short, codec), (&short, smallest)] {
        let mut value = BytesMut::with_capacity(letter.overhead() + letter.value.len());
        if letter.encode(&mut value).is_err() {
            continue;
        }
        let headers: Vec<_> =
            record.headers.iter().map(|(name, value)| (&name[..], value.as_deref())).collect();
        let mut builder = BatchBuilder::new().compression(codec);
        builder.push(now_ms, record.key.as_deref(), Some(&value), &headers)?;
        let mut batch = builder.build()?;
        if config.timestamp_type == TimestampType::LogAppendTime {
            batch.set_log_append_time(now_ms);
        }
        if batch.len() <= config.max_message_bytes as usize {
            return Ok(Some(batch));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use headwater_records::Batch;

    use super::*;

    fn record(value: Option<&[u8]>) -> StoredRecord {
        StoredRecord {
            timestamp: 4711,
            key: Some(Bytes::from_static(b"k1")),
            value: value.map(Bytes::copy_from_slice),
            headers: vec![
                (Bytes::from_static(b"retry"), Some(Bytes::from_static(b"1"))),
                (Bytes::from_static(b"retry"), None),
                (Bytes::from_static(b"empty"), Some(Bytes::new())),
            ],
        }
    }

    fn cause(offset: i64, reason: &[u8]) -> Cause {
        Cause {
            topic: "orders".into(),
            partition: PartitionId::new(2),
            offset: Offset::new(offset).unwrap(),
            group: "billing".into(),
            attempts: 3,
            reason: Bytes::copy_from_slice(reason),
        }
    }

    fn config(max_message_bytes: u32) -> LogConfig {
        LogConfig { max_message_bytes, ..LogConfig::default() }
    }

    fn value_of(letter: &DeadLetter) -> Bytes {
        let mut value = BytesMut::new();
        letter.encode(&mut value).unwrap();
        value.freeze()
    }

    #[test]
    fn the_envelope_tells_where_the_record_was_and_why_it_failed() {
        let letter = envelope(&record(None), &cause(7, b""));
        assert_eq!((letter.topic.as_str(), letter.partition.get(), letter.offset.get()), ("orders", 2, 7));
        assert_eq!((letter.timestamp, letter.attempts), (4711, 3));
        assert!(letter.reason.is_empty() && letter.value.is_empty(), "no reason and no value are no bytes");
    }

    #[test]
    fn a_record_that_is_put_back_fifty_times_does_not_grow() {
        let original = vec![b'v'; 900_000];
        let reason = [b'e'; 1024];
        let first = value_of(&envelope(&record(Some(&original)), &cause(7, &reason)));
        let mut value = first.clone();
        for hop in 0..50 {
            let letter = envelope(&record(Some(&value)), &cause(100 + hop, &reason));
            assert_eq!((letter.offset.get(), letter.value.len()), (7, original.len()), "hop {hop}");
            value = value_of(&letter);
            assert_eq!(value.len(), first.len(), "hop {hop}");
        }
    }

    #[test]
    fn the_largest_value_is_readable_for_the_original_with_any_reason() {
        // What PRODUCE takes for a topic of this name: 65,536 bytes less those of an envelope with the longest group.
        let largest = vec![b'v'; 65_536 - 39 - "orders".len() - 256];
        let reason_of = |value: &[u8], reason: &[u8]| {
            let letter = envelope(&record(Some(value)), &cause(7, reason));
            (letter.reason.clone(), value_of(&letter).len())
        };
        let room = 256 - "billing".len();
        assert_eq!(reason_of(&largest, &[b'e'; 1024]), (Bytes::from(vec![b'e'; room]), 65_536));
        let kept = &"é".repeat(512)[..room - 1];
        assert_eq!(reason_of(&largest, "é".repeat(512).as_bytes()), (Bytes::from(kept.to_owned()), 65_535));
        assert_eq!(reason_of(&largest, &[b'e'; 20]).0.len(), 20, "what fits stays whole");
        assert_eq!(reason_of(&[b'v'; 65_536], &[b'e'; 1024]).0.len(), 1024, "cutting would not help");
    }

    #[test]
    fn an_envelope_of_another_topic_is_a_value_like_any_other() {
        let inner =
            value_of(&DeadLetter { topic: "others".into(), ..envelope(&record(None), &cause(7, b"")) });
        assert_eq!(envelope(&record(Some(&inner)), &cause(8, b"")).value, inner);
        let mut longer = value_of(&envelope(&record(None), &cause(7, b""))).to_vec();
        longer.push(0);
        assert_eq!(envelope(&record(Some(&longer)), &cause(8, b"")).value, longer);
    }

    #[test]
    fn key_and_headers_stay_as_they_were() {
        let record = record(Some(b"v"));
        let letter = envelope(&record, &cause(7, b"boom"));
        let made = batch(&record, &letter, &config(1 << 20), 99).unwrap().unwrap().to_bytes();
        let records = Batch::parse(&made).unwrap();
        let records = records.records(1 << 20).unwrap();
        let view = records.iter().next().unwrap().unwrap();
        assert_eq!((view.timestamp, view.key), (99, Some(&b"k1"[..])));
        let headers: Vec<_> = view.headers.collect();
        assert_eq!(headers, [(&b"retry"[..], Some(&b"1"[..])), (b"retry", None), (b"empty", Some(b""))]);
    }

    #[test]
    fn a_letter_that_is_too_large_loses_its_reason_then_is_compressed() {
        let record = record(Some(&[b'v'; 500]));
        let letter = envelope(&record, &cause(7, &[b'e'; 1000]));
        let made = |max| batch(&record, &letter, &config(max), 99).unwrap().map(|batch| batch.to_bytes());
        let reason_of = |made: Bytes| {
            let batch = Batch::parse(&made).unwrap();
            let records = batch.records(1 << 20).unwrap();
            let value = records.iter().next().unwrap().unwrap().value.unwrap().to_vec();
            DeadLetter::decode(Bytes::from(value)).unwrap().reason.len()
        };
        assert_eq!(reason_of(made(2000).unwrap()), 1000);
        assert_eq!(reason_of(made(900).unwrap()), 0);
        assert_eq!(reason_of(made(300).unwrap()), 0, "500 equal bytes pack well");
        assert_eq!(made(100), None);
        let keyless = StoredRecord { key: None, ..record.clone() };
        let compacted = LogConfig { cleanup_compact: true, ..config(1 << 20) };
        assert_eq!(batch(&keyless, &letter, &compacted, 99).unwrap().map(|batch| batch.len()), None);
    }
}

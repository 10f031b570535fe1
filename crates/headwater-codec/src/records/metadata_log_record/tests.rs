use super::*;
use crate::Uuid;
use crate::schema::MessageKind;

#[test]
fn frame_version_type_and_version_stand_before_the_body() {
    let topic = TopicRecord { name: "orders".into(), topic_id: Uuid::from_u128(1), ..TopicRecord::default() };
    let bytes = MetadataLogRecord::from(topic.clone()).encode(0).unwrap();
    assert_eq!(bytes, b"\x01\x02\x00\x07orders\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\x00"[..]);
    assert_eq!(MetadataLogRecord::decode(bytes), Ok(MetadataLogRecord::Topic(topic)));
}

#[test]
fn every_kind_has_a_type_id_of_its_own() {
    let mut ids: Vec<_> = MetadataLogRecord::SCHEMAS
        .iter()
        .map(|schema| match schema.kind {
            MessageKind::Data { type_id: Some(id) } => id,
            other => panic!("{} is {other:?}", schema.name),
        })
        .collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count);
    assert!(!ids.contains(&6) && !ids.contains(&13) && !ids.contains(&16), "Kafka never gave these out");
}

#[test]
fn the_version_of_a_record_is_kept() {
    let change = PartitionChangeRecord { partition_id: 3, ..PartitionChangeRecord::default() };
    let bytes = MetadataLogRecord::from(change.clone()).encode(2).unwrap();
    assert_eq!(MetadataLogRecord::decode_with_version(bytes), Ok((2, change.into())));
}

#[test]
fn what_is_not_known_is_refused_by_name() {
    let kind =
        |bytes: &'static [u8]| MetadataLogRecord::decode(Bytes::from_static(bytes)).unwrap_err().kind();
    assert_eq!(kind(b"\x02\x02\x00"), DecodeErrorKind::UnsupportedVersion(2));
    assert_eq!(kind(b"\x01\x63\x00"), DecodeErrorKind::UnknownRecordType(99));
    assert_eq!(kind(b"\x01\x14\x05\x00"), DecodeErrorKind::UnsupportedVersion(5));
    assert_eq!(kind(b"\x01\x14\x00\x00\x00"), DecodeErrorKind::TrailingBytes(1));
    assert_eq!(kind(b"\x01"), DecodeErrorKind::Truncated);
}

#[test]
fn a_version_that_a_record_does_not_have_cannot_be_written() {
    let no_op = MetadataLogRecord::from(NoOpRecord::default());
    assert_eq!(no_op.encode(1).unwrap_err().kind(), EncodeErrorKind::UnsupportedVersion(1));
    assert_eq!(no_op.encode(-1).unwrap_err().kind(), EncodeErrorKind::UnsupportedVersion(-1));
}

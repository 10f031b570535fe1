//! The derive, on small messages of our own.

use bytes::Bytes;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use crate::{
    ApiKey, BrokerId, DecodeErrorKind, EncodeErrorKind, ErrorCode, FieldType, Message, MessageKind,
    MetadataRecord, ProducerEpoch, Records, Request, Str, TopicName, UnknownTags, Uuid, Versions,
};

/// A request with a field of every kind.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = Metadata, request, versions = "1..=6", stable = "..=5", advertise = "0..=5", flexible = "4..")]
struct SampleRequest {
    flag: bool,
    #[message(versions = "2..", default = -1)]
    broker: BrokerId,
    #[message(versions = "2..", default = 0x7fffffff, ignorable)]
    max_bytes: i32,
    #[message(versions = "..=3")]
    old: i16,
    #[message(versions = "2..=4", ignorable)]
    middle: u16,
    #[message(nullable = "3..", default = null)]
    rack: Option<Str>,
    #[message(nullable = "1..")]
    topics: Option<Vec<SampleTopic>>,
    #[message(versions = "5..", nullable = "5..", default = null)]
    cursor: Option<SampleCursor>,
    #[message(versions = "4..", tag = 1, tagged = "4..", default = -1)]
    epoch: i64,
    #[message(versions = "4..", tag = 0, tagged = "4..", ignorable)]
    leader: SampleCursor,
    #[message(versions = "5..", tag = 3, tagged = "5..", nullable = "5..", default = null)]
    cluster: Option<Str>,
    unknown_tags: UnknownTags,
}

#[derive(Clone, Debug, PartialEq, Message)]
struct SampleTopic {
    #[message(map_key)]
    name: TopicName,
    #[message(versions = "4..", ignorable)]
    id: Uuid,
    partitions: Vec<i32>,
    #[message(nullable = "0..")]
    records: Option<Records>,
    unknown_tags: UnknownTags,
}

#[derive(Clone, Debug, PartialEq, Message)]
struct SampleCursor {
    #[message(default = "start")]
    name: Str,
    #[message(name = "ISR")]
    isr: Vec<BrokerId>,
    unknown_tags: UnknownTags,
}

#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = Metadata, response, versions = "1..=6", flexible = "4..")]
struct SampleResponse {
    error_code: ErrorCode,
    unknown_tags: UnknownTags,
}

#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "0..=1", flexible = "none", type_id = 9)]
struct SampleRecord {
    epoch: ProducerEpoch,
    load: f64,
    count: u32,
    level: i8,
    value: Bytes,
}

fn sample() -> SampleRequest {
    SampleRequest { rack: Some(Str::from("r")), ..Default::default() }
}

#[test]
fn a_message_is_written_field_by_field() {
    let topic = SampleTopic { name: "t".into(), partitions: vec![7], ..Default::default() };
    let request = SampleRequest { flag: true, topics: Some(vec![topic]), old: 3, ..sample() };
    let bytes = request.encode_body(1).unwrap();
    assert_eq!(
        bytes,
        b"\x01\x00\x03\x00\x01r\x00\x00\x00\x01\x00\x01t\x00\x00\x00\x01\x00\x00\x00\x07\xff\xff\xff\xff"[..]
    );
    assert_eq!(SampleRequest::decode_body(bytes, 1), Ok(request));
}

#[test]
fn a_flexible_version_is_compact_and_ends_every_structure_in_tags() {
    let topic = SampleTopic { name: "t".into(), partitions: vec![7], ..Default::default() };
    let request = SampleRequest { flag: true, topics: Some(vec![topic]), middle: 5, ..sample() };
    let mut expected = b"\x01\xff\xff\xff\xff\x7f\xff\xff\xff\x00\x05\x02r\x02\x02t".to_vec();
    expected.extend([0; 16]);
    expected.extend(b"\x02\x00\x00\x00\x07\x00\x00\x00");
    let bytes = request.encode_body(4).unwrap();
    assert_eq!(bytes, expected[..]);
    assert_eq!(SampleRequest::decode_body(bytes, 4), Ok(request));
}

#[test]
fn tagged_fields_are_written_when_they_differ_from_their_default() {
    let leader = SampleCursor { name: Str::from("x"), ..Default::default() };
    let request = SampleRequest { epoch: 9, leader, cluster: Some(Str::from("c")), ..sample() };
    let bytes = request.encode_body(6).unwrap();
    let tags = b"\x03\x00\x04\x02x\x01\x00\x01\x08\x00\x00\x00\x00\x00\x00\x00\x09\x03\x02\x02c";
    assert!(bytes.ends_with(tags), "{bytes:x?}");
    assert_eq!(SampleRequest::decode_body(bytes, 6), Ok(request));
    assert!(sample().encode_body(6).unwrap().ends_with(&[0xff, 0]), "null cursor, then an empty block");
}

#[test]
fn defaults_are_those_of_the_attributes() {
    let request = SampleRequest::default();
    assert_eq!(request.broker, BrokerId::NONE);
    assert_eq!(request.max_bytes, i32::MAX);
    assert_eq!(request.rack, None);
    assert_eq!(request.topics, Some(vec![]), "nullable, but empty unless said otherwise, as Kafka has it");
    assert_eq!(request.leader.name, "start");
    assert_eq!(SampleTopic::default().records, None);
}

#[test]
fn fields_that_a_version_lacks_decode_to_their_defaults() {
    let request = SampleRequest { broker: BrokerId::new(5), ..sample() };
    let mut bytes = request.encode_body(2).unwrap().to_vec();
    bytes.drain(1..9);
    bytes.drain(3..5);
    assert_eq!(SampleRequest::decode_body(bytes.into(), 1), Ok(sample()));
}

#[test]
fn a_value_that_the_version_has_no_room_for_is_dropped_only_if_ignorable() {
    let ignorable = SampleRequest {
        max_bytes: 4,
        leader: SampleCursor { name: "x".into(), ..Default::default() },
        ..sample()
    };
    assert_eq!(ignorable.encode_body(1), sample().encode_body(1));

    let error = SampleRequest { broker: BrokerId::new(5), ..sample() }.encode_body(1).unwrap_err();
    assert_eq!(error.kind(), EncodeErrorKind::FieldAbsent { version: 1 });
    assert_eq!(error.field(), "SampleRequest.Broker");
    let error = SampleRequest { old: 1, ..sample() }.encode_body(4).unwrap_err();
    assert_eq!(error.field(), "SampleRequest.Old");
    let error = SampleRequest { epoch: 1, ..sample() }.encode_body(3).unwrap_err();
    assert_eq!(error.field(), "SampleRequest.Epoch");
}

#[test]
fn null_is_refused_both_ways_where_the_version_has_none() {
    let error = SampleRequest::default().encode_body(2).unwrap_err();
    assert_eq!(error.kind(), EncodeErrorKind::NullNotAllowed { version: 2 });
    assert_eq!(error.field(), "SampleRequest.Rack");

    let null = SampleRequest::default().encode_body(3).unwrap();
    let error = SampleRequest::decode_body(null, 2).unwrap_err();
    assert_eq!(error.kind(), DecodeErrorKind::NullNotAllowed);
    assert_eq!((error.field(), error.position()), ("SampleRequest.Rack".to_owned(), 13));
}

#[test]
fn a_nullable_structure_has_a_marker_before_it() {
    let cursor = SampleCursor { name: "n".into(), isr: vec![BrokerId::new(1)], ..Default::default() };
    let request = SampleRequest { cursor: Some(cursor), ..sample() };
    let bytes = request.encode_body(5).unwrap();
    assert!(bytes.ends_with(b"\x01\x02n\x02\x00\x00\x00\x01\x00\x00"), "{bytes:x?}");
    assert_eq!(SampleRequest::decode_body(bytes, 5), Ok(request));
}

#[test]
fn unknown_tags_survive_between_known_ones() {
    let mut request = SampleRequest { epoch: 4, cluster: Some("c".into()), ..sample() };
    for tag in [2, 9] {
        request.unknown_tags.insert(tag, Bytes::from_static(b"??"));
    }
    let bytes = request.encode_body(5).unwrap();
    assert!(bytes.ends_with(b"\x02\x02??\x03\x02\x02c\x09\x02??"), "{bytes:x?}");
    assert_eq!(SampleRequest::decode_body(bytes, 5), Ok(request));
}

#[test]
fn a_tag_that_only_a_later_version_defines_is_unknown() {
    let mut older = sample();
    older.unknown_tags.insert(3, Bytes::from_static(b"\x02c"));
    let bytes = older.encode_body(4).unwrap();
    assert_eq!(SampleRequest::decode_body(bytes, 4), Ok(older.clone()));

    let both = SampleRequest { cluster: Some("d".into()), ..older.clone() };
    assert_eq!(both.encode_body(5).unwrap_err().kind(), EncodeErrorKind::TagTwice(3));
    assert_eq!(older.encode_body(3).unwrap_err().kind(), EncodeErrorKind::TagsNotAllowed { version: 3 });
}

#[test]
fn bytes_left_over_are_refused() {
    let mut bytes = sample().encode_body(5).unwrap().to_vec();
    bytes.push(0);
    let error = SampleRequest::decode_body(bytes.into(), 5).unwrap_err();
    assert_eq!(error.kind(), DecodeErrorKind::TrailingBytes(1));
}

#[test]
fn versions_that_do_not_exist_are_refused() {
    for version in [-1, 0, 7] {
        let error = sample().encode_body(version).unwrap_err();
        assert_eq!(error.kind(), EncodeErrorKind::UnsupportedVersion(version));
        let error = SampleRequest::decode_body(Bytes::new(), version).unwrap_err();
        assert_eq!(error.kind(), DecodeErrorKind::UnsupportedVersion(version));
    }
}

#[test]
fn an_error_inside_an_array_names_the_whole_path() {
    let topic = SampleTopic { name: "topic".into(), ..Default::default() };
    let request = SampleRequest { topics: Some(vec![topic]), ..sample() };
    let mut bytes = request.encode_body(1).unwrap().to_vec();
    let name = bytes.windows(5).position(|window| window == b"topic").unwrap();
    bytes[name] = 0xff;
    let error = SampleRequest::decode_body(bytes.into(), 1).unwrap_err();
    assert_eq!(error.to_string(), format!("SampleRequest.Topics.Name, byte {name}: a string is not UTF-8"));
}

#[test]
fn the_schema_reflects_the_attributes() {
    let schema = SampleRequest::SCHEMA;
    assert_eq!(schema.kind, MessageKind::Request(ApiKey::Metadata));
    assert_eq!(schema.versions, Versions::new(1, 6));
    assert_eq!(schema.stable, Versions::new(1, 5));
    assert_eq!(schema.advertised, Versions::new(0, 5));
    assert_eq!(schema.flexible, Versions::from(4));
    assert_eq!(SampleRequest::KEY, ApiKey::Metadata);
    assert_eq!(<SampleRequest as Request>::Response::SCHEMA.name, "SampleResponse");
    assert_eq!(SampleRecord::TYPE_ID, 9);

    let field = |name| schema.fields.iter().find(|field| field.name == name).unwrap();
    assert_eq!(field("Topics").field_type.name(), "[]SampleTopic");
    assert_eq!(field("MaxBytes").default, Some("2147483647"));
    assert!(field("MaxBytes").ignorable);
    assert_eq!(field("Rack").nullable, Versions::from(3));
    assert_eq!(field("Epoch").tag, Some(1));
    assert_eq!(field("Epoch").tagged, Versions::from(4));
    assert_eq!(SampleCursor::SCHEMA.fields[1].name, "ISR");
    assert_eq!(SampleCursor::SCHEMA.fields[1].field_type, FieldType::Array(&FieldType::Int32));
    assert!(SampleTopic::SCHEMA.fields[0].map_key);
}

#[test]
fn the_least_size_is_that_of_a_default() {
    for version in 1..=6 {
        let flexible = version >= 4;
        let least = SampleTopic::least_size(version, flexible);
        let request = SampleRequest { topics: Some(vec![SampleTopic::default(); 2]), ..sample() };
        let none = sample().encode_body(version).unwrap().len();
        assert_eq!(request.encode_body(version).unwrap().len() - none, 2 * least, "version {version}");
    }
}

prop_compose! {
    fn unknown_tags()(tags in vec((4..200_u32, vec(any::<u8>(), 0..200)), 0..3)) -> UnknownTags {
        let mut unknown = UnknownTags::NONE;
        for (tag, value) in tags {
            unknown.insert(tag, value.into());
        }
        unknown
    }
}

prop_compose! {
    fn cursor()(name in ".{0,200}", isr in vec(any::<i32>(), 0..4), unknown_tags in unknown_tags()) -> SampleCursor {
        SampleCursor { name: name.into(), isr: isr.into_iter().map(BrokerId::new).collect(), unknown_tags }
    }
}

prop_compose! {
    fn topic()(
        name in ".{0,20}",
        id: u128,
        partitions in vec(any::<i32>(), 0..4),
        records in option::of(vec(any::<u8>(), 0..2000)),
        unknown_tags in unknown_tags(),
    ) -> SampleTopic {
        let records = records.map(|bytes| Records::from(Bytes::from(bytes)));
        SampleTopic { name: name.into(), id: Uuid::from_u128(id), partitions, records, unknown_tags }
    }
}

prop_compose! {
    fn newest()(
        flag: bool,
        numbers: (i32, i32, i64),
        rack in option::of(".{0,20}"),
        cluster in option::of(".{0,20}"),
        topics in option::of(vec(topic(), 0..4)),
        cursor in option::of(cursor()),
        leader in cursor(),
        unknown_tags in unknown_tags(),
    ) -> SampleRequest {
        SampleRequest {
            flag, broker: BrokerId::new(numbers.0), max_bytes: numbers.1, old: 0, middle: 0,
            rack: rack.map(Str::from), topics, cursor, epoch: numbers.2, leader,
            cluster: cluster.map(Str::from), unknown_tags,
        }
    }
}

proptest! {
    #[test]
    fn random_messages_round_trip(request in newest()) {
        for version in [5, 6] {
            let bytes = request.encode_body(version).unwrap();
            prop_assert_eq!(SampleRequest::decode_body(bytes, version), Ok(request.clone()));
        }
    }

    #[test]
    fn random_records_round_trip(epoch: i16, load: f64, count: u32, level: i8, value in vec(any::<u8>(), 0..50)) {
        let record = SampleRecord { epoch: ProducerEpoch::new(epoch), load, count, level, value: value.into() };
        let bytes = record.encode_body(1).unwrap();
        prop_assert_eq!(SampleRecord::decode_body(bytes, 1), Ok(record));
    }

    #[test]
    fn random_bytes_never_panic_and_what_decodes_encodes(bytes in vec(any::<u8>(), 0..100)) {
        for version in 1..=6 {
            if let Ok(request) = SampleRequest::decode_body(bytes.clone().into(), version) {
                let again = request.encode_body(version).unwrap();
                prop_assert_eq!(SampleRequest::decode_body(again, version), Ok(request));
            }
        }
    }

    #[test]
    fn mutated_messages_never_panic(request in newest(), at: proptest::sample::Index, byte: u8) {
        let mut bytes = request.encode_body(6).unwrap().to_vec();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        for end in [bytes.len(), at] {
            let _outcome = SampleRequest::decode_body(Bytes::copy_from_slice(&bytes[..end]), 6);
        }
    }
}

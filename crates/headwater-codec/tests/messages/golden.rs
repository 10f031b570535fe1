//! Bytes that Kafka's own Java classes wrote: `kafka-clients`, `kafka-metadata` and `kafka-group-coordinator`
//! 4.3.0, each from the values that the test names. Requests are frames without their length.

use bytes::{Bytes, BytesMut};
use headwater_codec::messages::api_versions::ApiVersionsRequest;
use headwater_codec::messages::fetch::{FetchPartition, FetchRequest, FetchTopic};
use headwater_codec::messages::leave_group::{LeaveGroupRequest, MemberIdentity};
use headwater_codec::records::{
    ClearElrRecord, ConsumerGroupMemberMetadataValue, ConsumerProtocolSubscription, GroupMetadataValue,
    MetadataLogRecord, OffsetCommitValue, PartitionChangeRecord, PartitionRecord, RegisterBrokerRecord,
    consumer_group_member_metadata_value, consumer_protocol_subscription, decode_versioned, encode_versioned,
    group_metadata_value, register_broker_record,
};
use headwater_codec::{BrokerId, Message, Request, Uuid, decode_request, encode_request};

/// The bytes that a string of hexadecimal digits says; "-" says none.
#[track_caller]
pub(crate) fn bytes(hex: &str) -> Bytes {
    let hex = hex.trim_start_matches('-');
    let digits: Vec<u8> = hex.chars().map(|digit| digit.to_digit(16).expect("a digit") as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

#[track_caller]
fn check_request<R: Request>(hex: &str, version: i16, expected: R) {
    let frame = bytes(hex);
    let (header, request) = decode_request::<R>(frame.clone()).unwrap();
    assert_eq!(request, expected);
    assert_eq!((header.api_version, header.correlation_id.get()), (version, 77));
    assert_eq!(header.client_id.as_deref(), Some("consumer-orders-1"));
    let mut buf = BytesMut::new();
    let encoded =
        encode_request(header.correlation_id, header.client_id, version, &request, &mut buf).unwrap();
    let encoded = encoded.to_bytes().unwrap();
    assert_eq!(encoded[..4], (frame.len() as u32).to_be_bytes());
    assert_eq!(encoded[4..], frame);
}

#[track_caller]
fn check_metadata(hex: &str, version: i16, expected: impl Into<MetadataLogRecord>) {
    let expected = expected.into();
    assert_eq!(MetadataLogRecord::decode_with_version(bytes(hex)).unwrap(), (version, expected.clone()));
    assert_eq!(expected.encode(version).unwrap(), bytes(hex));
}

#[track_caller]
fn check_versioned<M: Message>(hex: &str, version: i16, expected: M) {
    assert_eq!(decode_versioned::<M>(bytes(hex)).unwrap(), (version, expected.clone()));
    assert_eq!(encode_versioned(&expected, version).unwrap(), bytes(hex));
}

fn uuid(high: u64, low: u64) -> Uuid {
    Uuid::from_u64_pair(high, low)
}

#[test]
fn leave_group_v5_of_a_java_consumer() {
    let member = MemberIdentity {
        member_id: "consumer-orders-1-5e9b".into(),
        reason: Some("the consumer is being closed".into()),
        ..Default::default()
    };
    let request =
        LeaveGroupRequest { group_id: "orders".into(), members: vec![member], ..Default::default() };
    let hex = concat!(
        "000d00050000004d0011636f6e73756d65722d6f72646572732d3100076f72646572730217636f6e73756d65722d6f72646572732d31",
        "2d35653962001d74686520636f6e73756d6572206973206265696e6720636c6f7365640000",
    );
    check_request(hex, 5, request);
}

#[test]
fn api_versions_v4_of_a_java_client() {
    let request = ApiVersionsRequest {
        client_software_name: "apache-kafka-java".into(),
        client_software_version: "4.3.0".into(),
        ..Default::default()
    };
    let hex = "001200040000004d0011636f6e73756d65722d6f72646572732d3100126170616368652d6b61666b612d6a61766106342e332e3000";
    check_request(hex, 4, request);
}

#[test]
fn fetch_v17_of_a_java_consumer() {
    let partition = FetchPartition {
        partition: 3,
        current_leader_epoch: 4,
        fetch_offset: 5,
        partition_max_bytes: 1 << 20,
        ..Default::default()
    };
    let request = FetchRequest {
        max_wait_ms: 500,
        min_bytes: 1,
        max_bytes: 50 << 20,
        isolation_level: 1,
        session_epoch: 0,
        topics: vec![FetchTopic { topic_id: uuid(1, 2), partitions: vec![partition], ..Default::default() }],
        ..Default::default()
    };
    let hex = concat!(
        "000100110000004d0011636f6e73756d65722d6f72646572732d3100000001f4000000010320000001000000000000000002000000000000",
        "000100000000000000020200000003000000040000000000000005ffffffffffffffffffffffff001000000000010100",
    );
    check_request(hex, 17, request);
}

#[test]
fn partition_record_v2() {
    let record = PartitionRecord {
        partition_id: 1,
        topic_id: uuid(1, 2),
        replicas: vec![BrokerId::new(1)],
        isr: vec![BrokerId::new(1)],
        leader: BrokerId::new(1),
        leader_epoch: 5,
        partition_epoch: 6,
        directories: vec![uuid(3, 4)],
        eligible_leader_replicas: Some(vec![BrokerId::new(2)]),
        ..Default::default()
    };
    let hex = concat!(
        "010302000000010000000000000001000000000000000202000000010200000001010100000001000000050000000602000000000000000300",
        "000000000000040101050200000002",
    );
    check_metadata(hex, 2, record);
}

#[test]
fn partition_change_record_v1_skips_the_tags_of_version_2() {
    let record = PartitionChangeRecord {
        partition_id: 1,
        topic_id: uuid(1, 2),
        isr: Some(vec![BrokerId::new(1)]),
        leader: BrokerId::NONE,
        directories: Some(vec![uuid(3, 4)]),
        ..Default::default()
    };
    let hex = concat!(
        "010501000000010000000000000001000000000000000203000502000000010104ffffffff0811020000000000000003",
        "0000000000000004",
    );
    check_metadata(hex, 1, record);
}

#[test]
fn register_broker_record_v3() {
    let endpoint = register_broker_record::BrokerEndpoint {
        name: "PLAINTEXT".into(),
        host: "localhost".into(),
        port: 9092,
        ..Default::default()
    };
    let feature = register_broker_record::BrokerFeature {
        name: "metadata.version".into(),
        min_supported_version: 7,
        max_supported_version: 25,
        ..Default::default()
    };
    let record = RegisterBrokerRecord {
        broker_id: BrokerId::new(1),
        incarnation_id: uuid(7, 8),
        broker_epoch: 9,
        end_points: vec![endpoint],
        features: vec![feature],
        rack: None,
        log_dirs: vec![uuid(3, 4)],
        ..Default::default()
    };
    let hex = concat!(
        "0100030000000100000000000000000700000000000000080000000000000009020a504c41494e544558540a6c6f63616c686f7374238400",
        "000002116d657461646174612e76657273696f6e00070019000001000100110200000000000000030000000000000004",
    );
    check_metadata(hex, 3, record);
}

#[test]
fn clear_elr_record_v0() {
    let record = ClearElrRecord { topic_name: "orders".into(), ..Default::default() };
    check_metadata("011c00076f726465727300", 0, record);
}

#[test]
fn offset_commit_value_v3_and_v4() {
    let value = OffsetCommitValue {
        offset: 42,
        leader_epoch: 3,
        metadata: "m".into(),
        commit_timestamp: 1_700_000_000_000,
        ..Default::default()
    };
    check_versioned("0003000000000000002a0000000300016d0000018bcfe56800", 3, value.clone());
    let value = OffsetCommitValue { topic_id: uuid(1, 2), ..value };
    let hex = "0004000000000000002a00000003026d0000018bcfe5680001001000000000000000010000000000000002";
    check_versioned(hex, 4, value);
}

#[test]
fn group_metadata_value_v3() {
    let member = group_metadata_value::MemberMetadata {
        member_id: "m-1".into(),
        client_id: "c".into(),
        client_host: "/127.0.0.1".into(),
        rebalance_timeout: 300_000,
        session_timeout: 45_000,
        subscription: Bytes::from_static(&[1, 2]),
        assignment: Bytes::from_static(&[3]),
        ..Default::default()
    };
    let value = GroupMetadataValue {
        protocol_type: "consumer".into(),
        generation: 2,
        protocol: Some("range".into()),
        leader: Some("m-1".into()),
        current_state_timestamp: 1_700_000_000_000,
        members: vec![member],
        ..Default::default()
    };
    let hex = concat!(
        "00030008636f6e73756d657200000002000572616e676500036d2d310000018bcfe568000000000100036d2d31ffff000163000a2f313237",
        "2e302e302e31000493e00000afc80000000201020000000103",
    );
    check_versioned(hex, 3, value);
}

#[test]
fn consumer_protocol_subscription_v3() {
    let owned =
        consumer_protocol_subscription::TopicPartition { topic: "orders".into(), partitions: vec![2] };
    let subscription = ConsumerProtocolSubscription {
        topics: vec!["orders".into()],
        user_data: None,
        owned_partitions: vec![owned],
        generation_id: 4,
        rack_id: Some("rack-a".into()),
    };
    let hex = "00030000000100066f7264657273ffffffff0000000100066f726465727300000001000000020000000400067261636b2d61";
    check_versioned(hex, 3, subscription);
}

/// A tagged field that is a structure and can be null says null as 0, where any other says it as -1.
#[test]
fn consumer_group_member_metadata_with_and_without_a_classic_protocol() {
    let member = |classic_member_metadata| ConsumerGroupMemberMetadataValue {
        classic_member_metadata,
        ..Default::default()
    };
    let classic = |session_timeout_ms| consumer_group_member_metadata_value::ClassicMemberMetadata {
        session_timeout_ms,
        ..Default::default()
    };
    check_versioned("0000010101010101ffffffff0100", 0, member(Some(classic(0))));
    check_versioned("0000010101010101ffffffff0101000100", 0, member(None));
    check_versioned("0000010101010101ffffffff0101000701000000070100", 0, member(Some(classic(7))));
}
